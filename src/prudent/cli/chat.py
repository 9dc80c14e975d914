"""`prudent chat`: a conversation, in which each question is a run of its own and the earlier answers are known."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module

from prudent.cli import exits
from prudent.cli.options import (
    DEFAULT_DATABASE,
    AgentOption,
    BaseUrlOption,
    DatabaseOption,
    ModelCallsOption,
    ModelOption,
    ModeOption,
    NoOption,
    SecondsOption,
    SessionOption,
    YesOption,
    teach,
)

HELP = "Talk with an agent: each question is a run of its own, and it knows the earlier answers of the session."
EPILOG = teach(
    [
        ("prudent chat --agent agent.toml", "the agent that the file describes"),
        ("prudent chat --model local", "a plain agent with a calculator, on the embedded model"),
        ("prudent chat --agent agent.toml --session tax", "goes on with what was said under this name, or begins it"),
    ],
    "In the chat: /help, /new begins another conversation, /quit or Ctrl-D leaves. Ctrl-C stops the answer under way.",
    "Exit status: 0 left, 2 usage or configuration error.",
)

COMMANDS = """/help   this list
/new    begin another conversation; the one so far stays a session
/stop   is Ctrl-C: it stops the answer that is being worked on, and the chat goes on
/quit   leave (or Ctrl-D)"""


def chat(
    agent: AgentOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    db: DatabaseOption = DEFAULT_DATABASE,
    session: SessionOption = "",
    mode: ModeOption = None,
    yes: YesOption = False,
    no: NoOption = False,
    max_model_calls: ModelCallsOption = None,
    seconds: SecondsOption = None,
) -> int:
    """Ask for questions until there are no more."""
    from prudent.cli.agents import agent_or_plain, fetch_model  # the engine is slow to import, and --help needs none of it
    from prudent.cli.sitting import open_sitting

    chosen = agent_or_plain(agent)
    fetch_model(chosen, model, yes=yes)
    names = Names(session)
    for question in questions(names.begin_another):
        sitting = open_sitting(db, yes=yes, no=no)
        run = chosen.prepare(
            question,
            model=model,
            base_url=base_url,
            db=db,
            session=names.current,
            mode=mode,
            max_model_calls=max_model_calls,
            seconds=seconds,
            approver=sitting.approver,
        )
        sitting.drive(run, process_ends=False)
    return exits.OK


class Names:
    """The session that questions belong to: as the user named it, else by the time."""

    def __init__(self, session: str) -> None:
        self.current = session or self._by_time()

    def begin_another(self) -> None:
        """Go on under a new name."""
        self.current = self._by_time()

    @staticmethod
    def _by_time() -> str:
        return f"chat-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"


def questions(forget: Callable[[], object]) -> Iterator[str]:
    """Give what is typed, line by line, and follow the commands among it."""
    ask = _editor()
    while True:
        line = ask()
        typed = "/quit" if line is None else line.strip()
        if typed in ("/quit", "/exit"):
            return
        if not typed:
            continue
        if not typed.startswith("/"):
            yield typed
        elif typed == "/new":
            forget()
            sys.stdout.write("another conversation\n")
        else:
            sys.stdout.write(COMMANDS + "\n")


def _editor() -> Callable[[], str | None]:
    """Give what asks for a line: with editing and a history in a terminal, without any words elsewhere."""
    if not (sys.stdin and sys.stdin.isatty()):
        return lambda: sys.stdin.readline() or None if sys.stdin else None
    with suppress(ImportError):  # Windows has none
        import_module("readline")  # gives input() its editing and history
    sys.stdout.write("Ask something; /help tells more, /quit leaves.\n")
    return _typed_line


def _typed_line() -> str | None:
    try:
        return input("> ")
    except EOFError:
        sys.stdout.write("\n")
        return None
    except KeyboardInterrupt:
        sys.stdout.write("\n(/quit or Ctrl-D leaves)\n")
        return ""
