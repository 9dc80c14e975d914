"""The command `prudent`: its commands, and the last resort for whatever goes wrong."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from prudent.cli import approvals, audit, chat, exits, init, lint, models, resume, run, runs, sessions, show, stop, try_tool
from prudent.cli.machine import fill_missing_streams
from prudent.cli.mishaps import quieten_threads, report_bug, tell, usage_text
from prudent.errors import ConfigurationError, JournalError, PrudentError

HELP = """Run language-model agents that plan, act within brakes, stop in time and leave a record."""

EPILOG = """\b
To begin:
  prudent init --template starter my-agent
      writes an agent file with a small folder of documents
  prudent run "How long can a yearly plan be returned?" --agent my-agent/agent.toml
      plans, looks it up, answers, and says on what grounds

Every command explains itself: `prudent run --help`."""

app = typer.Typer(
    name="prudent",
    help=HELP,
    epilog=EPILOG,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)

app.command("run", help=run.HELP, epilog=run.EPILOG)(run.run)
app.command("chat", help=chat.HELP, epilog=chat.EPILOG)(chat.chat)
app.command("resume", help=resume.HELP, epilog=resume.EPILOG)(resume.resume)
app.command("stop", help=stop.HELP, epilog=stop.EPILOG)(stop.stop)
app.command("approvals", help=approvals.LIST_HELP, epilog=approvals.LIST_EPILOG)(approvals.approvals)
app.command("approve", help=approvals.APPROVE_HELP, epilog=approvals.APPROVE_EPILOG)(approvals.approve)
app.command("runs", help=runs.HELP, epilog=runs.EPILOG)(runs.runs)
app.command("show", help=show.HELP, epilog=show.EPILOG)(show.show)
app.command("audit", help=audit.HELP, epilog=audit.EPILOG)(audit.audit)
app.command("lint", help=lint.HELP, epilog=lint.EPILOG)(lint.lint)
app.command("try", help=try_tool.HELP, epilog=try_tool.EPILOG)(try_tool.try_tool)
app.add_typer(models.app, name="models", help=models.HELP, epilog=models.EPILOG)
app.add_typer(sessions.app, name="sessions", help=sessions.HELP, epilog=sessions.EPILOG)
app.command("init", help=init.HELP, epilog=init.EPILOG)(init.init)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version  # slow, and needed only here

        sys.stdout.write(f"prudent {version('prudent')}\n")
        raise typer.Exit


@app.callback()
def prudent(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = False,
) -> None:
    """Take the options that stand before a command."""
    del version


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and end the process with its exit status; no traceback ever reaches the user."""
    fill_missing_streams()
    words = sys.argv[1:] if arguments is None else arguments
    quieten_threads(words)
    status = run_command(words)
    if not exits.flush():
        exits.silence_stdout()
    if exits.others_alive():
        exits.leave_at_once(status)
    sys.exit(status)


def run_command(arguments: Sequence[str]) -> int:
    """Run a command and give its exit status; whatever goes wrong is told in a sentence. Without a command it is the help."""
    try:
        status = int(app([*arguments] or ["--help"], prog_name="prudent", standalone_mode=False) or exits.OK)
    except typer.TyperException as error:
        tell(usage_text(error, arguments))
        return exits.USAGE
    except (ConfigurationError, JournalError) as error:
        tell(str(error))
        return exits.USAGE
    except PrudentError as error:
        tell(str(error))
        return exits.FAILED
    except BrokenPipeError:
        exits.silence_stdout()
        return exits.OK
    except typer.Abort:
        status = exits.INTERRUPTED
    except Exception as error:  # the last resort: a person gets a sentence and a report, not a traceback
        tell(report_bug(error, arguments))
        return exits.FAILED
    if status == exits.INTERRUPTED:
        tell("stopped before anything ran")
        return exits.STOPPED
    return status


if __name__ == "__main__":
    main()
