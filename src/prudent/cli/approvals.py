"""`prudent approvals` and `approve`: what waits for a decision, and the decision."""

from __future__ import annotations

import getpass
import sys
from typing import Annotated, cast

import typer

from prudent.cli.options import DEFAULT_DATABASE, DatabaseOption, JsonListOption, RunArgument, database_words, only_one, teach
from prudent.cli.text import as_json, json_or_text
from prudent.errors import ConfigurationError
from prudent.events import Decision
from prudent.types import JSONObject

LIST_HELP = "List the calls of all runs that wait for a decision, or the standing rules by which calls run unasked."
LIST_EPILOG = teach(
    [
        ("prudent approvals", "what waits, with its preview and the commands that answer"),
        ("prudent approvals --json", "the same for a program"),
        ("prudent approvals --rules", "what `prudent approve --always` has allowed, by agent"),
        ("prudent approvals --forget 3f9a1c7b", "take a rule back: its calls ask again, also in runs under way"),
    ],
    "Exit status: 0 listed (also when nothing waits), 2 no such database or rule.",
)

APPROVE_HELP = (
    "Decide about a call that waits. A run under way goes on at once, a parked one when `prudent resume RUN` takes it up."
)
APPROVE_EPILOG = teach(
    [
        ("prudent approve last call_1", "yes, exactly as shown"),
        ("prudent approve last call_1 --always", "yes, and from now on unasked for exactly these arguments"),
        (
            "prudent approve last call_1 --always --where 'path=docs/*'",
            "… for every path there; arguments that are not named are free",
        ),
        ("""prudent approve last call_1 --edit '{"id": 10}'""", "yes, with these arguments instead"),
        ('prudent approve last call_1 --reject "still in use"', "no; the model is told the reason"),
        (
            "prudent approve last call_2 --happened --result '\"receipt 7718\"'",
            "it did happen, with this result",
        ),
        ("prudent approve last call_2 --retry", "it did not happen: run it again (--skip: leave it)"),
    ],
    "A call whose outcome is unknown takes --happened, --retry or --skip, any other call takes the rest. "
    "A decision is used once, for exactly the call that was shown; the first one counts, whoever gives it.",
    "--always makes a standing rule for the agent and the tool, until `prudent approvals --forget` ends it. It does not reach "
    "what the agent's policy or the tool's author wants asked each time, plans, modes or unknown outcomes.",
    "Exit status: 0 noted, 2 no such run or call, a decision that does not fit, or somebody was first.",
)

CallArgument = Annotated[
    str, typer.Argument(metavar="CALL", help="The call's id, as `prudent approvals` shows it.", show_default=False)
]


def approvals(
    rules: Annotated[bool, typer.Option("--rules", help="List the standing rules instead.")] = False,
    forget: Annotated[
        str | None, typer.Option("--forget", metavar="RULE", help="End a standing rule; the beginning of its id is enough.")
    ] = None,
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonListOption = False,
) -> None:
    """List what waits for a decision, or the standing rules; end one of those."""
    from prudent.cli.discretion import Discretion  # the journal is slow to import, and --help needs none of it
    from prudent.cli.pending import waiting_calls, waiting_lines  # the same
    from prudent.cli.rules import forget_rules, forgotten_lines, rule_lines, standing_rules  # the same

    only_one(rules=rules, forget=forget is not None)
    discretion, words = Discretion(), database_words(db)
    found = forget_rules(db, forget) if forget is not None else standing_rules(db) if rules else waiting_calls(db)
    items = [discretion.mapping(item) for item in found]
    lines = forgotten_lines(items) if forget is not None else (rule_lines if rules else waiting_lines)(items, words)
    if json:
        sys.stdout.write(as_json(items) + "\n")
        return
    for text in lines:
        sys.stdout.write(discretion.text(text.text) + "\n")


def approve(
    run: RunArgument,
    call: CallArgument,
    edit: Annotated[
        str | None, typer.Option("--edit", metavar="JSON", help="Approve with these arguments, an object, instead.")
    ] = None,
    reject: Annotated[str | None, typer.Option("--reject", metavar="REASON", help="Reject; the model is told why.")] = None,
    always: Annotated[
        bool, typer.Option("--always", help="Approve, and let such calls of this agent run unasked from now on.")
    ] = False,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", metavar="NAME=GLOB", help="With --always: an argument that matters; may be given again."),
    ] = None,
    happened: Annotated[bool, typer.Option("--happened", help="Unknown outcome: it took effect.")] = False,
    result: Annotated[str | None, typer.Option("--result", metavar="JSON", help="With --happened: what came of it.")] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Unknown outcome: it did not take effect; run it again.")] = False,
    skip: Annotated[bool, typer.Option("--skip", help="Unknown outcome: go on without it.")] = False,
    db: DatabaseOption = DEFAULT_DATABASE,
) -> None:
    """Note a decision for a run."""
    from prudent.cli.discretion import Discretion  # the journal is slow to import, and --help needs none of it
    from prudent.cli.pending import decide, find_question, noted_lines  # the same
    from prudent.cli.rules import new_rule, rule_line  # the same

    flags = {"always": always, "happened": happened, "retry": retry, "skip": skip}
    only_one(edit=edit is not None, reject=reject is not None, **flags)
    if result is not None and not happened:
        raise ConfigurationError("--result goes with --happened only")
    if where and not always:
        raise ConfigurationError("--where goes with --always only")
    chosen = next((name for name, given in flags.items() if given), "approve")
    decision = cast("Decision", "edit" if edit is not None else "reject" if reject is not None else chosen)
    arguments = _arguments(edit)
    asked = find_question(db, run, call)
    rule = new_rule(asked.question, where) if always else None
    if rule:
        sys.stdout.write(Discretion().text(f"{rule_line(rule).text.strip()} (rule {rule.rule_id})\n"))
    note: JSONObject = {
        "decision": decision,
        "decided_by": _who(),
        "reason": (reject or "").strip(),
        "arguments": arguments,
        "result": None if result is None else json_or_text(result),
        "rule": rule.as_json() if rule else None,
    }
    taken = decide(db, asked, note)
    for text in noted_lines(asked, decision, database_words(db), taken=taken):
        sys.stdout.write(text.text + "\n")


def _arguments(edit: str | None) -> JSONObject | None:
    """Read edited arguments."""
    if edit is None:
        return None
    value = json_or_text(edit)
    if not isinstance(value, dict):
        raise ConfigurationError("""--edit is no JSON object: write all arguments, as in --edit '{"id": 10}'""")
    return value


def _who() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no such user on this machine
        return "prudent approve"
