"""A tool tried by hand: its definition, a form for its arguments, one call, and what a model would see of it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

from prudent.cli import exits
from prudent.cli.discretion import Discretion
from prudent.cli.options import only_one
from prudent.cli.terminals import somebody_there
from prudent.cli.text import as_json, count, json_or_text, seconds_text, visible
from prudent.errors import CallRefused, ConfigurationError, ToolError
from prudent.journal.redact import HIDDEN
from prudent.tools.definition import Tool
from prudent.trial import Field, asks, call_once, default_words, definition, example, fits, form, load_tool, pattern, preview
from prudent.types import JSON, JSONObject


def try_by_hand(reference: str, arguments: str | None, *, yes: bool, no: bool) -> int:
    """Show a tool and call it once, if that may be; gives the exit status."""
    only_one(yes=yes, no=no)
    tried = load_tool(reference)
    fields = list(form(tried))
    _show(tried, fields)
    chosen = _arguments(tried, fields, arguments)
    if chosen is None:
        _say(f"\nnot called: give it arguments, as in --arguments '{as_json(pattern(tried))}'")
        return exits.OK
    shown: JSONObject = {name: HIDDEN if name in tried.secret else value for name, value in chosen.items()}
    _say(f"\ncall  {tried.name} {as_json(shown)}")
    try:
        if not _may(tried, chosen, yes=yes, no=no):
            return exits.OK
        outcome = asyncio.run(call_once(tried, chosen))
    except (CallRefused, ToolError) as refusal:
        _say(f"refused: {refusal.reason}" + (f"\n  {refusal.fix}" if refusal.fix else ""))
        return exits.FAILED
    whole = f", shortened from {count(outcome.result_chars, 'character')}" if outcome.result_chars > len(outcome.shown) else ""
    _say(f"\n{'result' if outcome.fine else 'failed'}, as a model sees it  ({seconds_text(outcome.seconds)}{whole})")
    _say(outcome.shown)
    return exits.OK if outcome.fine else exits.FAILED


def _show(tried: Tool, fields: Sequence[Field]) -> None:
    spec, tokens = definition(tried)
    kind = f"{tried.effect or 'undeclared, counts as write'}{', idempotent' if tried.idempotent else ''}"
    _say(f"{spec.name}  (effect: {kind}; runs in: {tried.run_in}; limit: {tried.timeout_seconds:g} s; about {tokens} tokens)")
    _say("\nas the model reads it")
    for line in as_json(spec.as_json()["function"], indent=2).splitlines():
        _say(f"  {line}")
    _say("\narguments" if fields else "\nit takes no arguments")
    for field in fields:
        _say(f"  {field.name}: {field.allowed}; {default_words(field)}")
        if field.description:
            _say(f"      {field.description}")


def _arguments(tried: Tool, fields: Sequence[Field], given: str | None) -> JSONObject | None:
    """Take the arguments as given, from the form where somebody is there to fill it in, or from the tool's example."""
    if given is not None:
        value = json_or_text(given)
        if not isinstance(value, dict):
            raise ConfigurationError("""--arguments is no JSON object: write it as in --arguments '{"id": 7}'""")
        return value
    if fields and somebody_there(sys.stderr):
        return _filled_in(tried, fields)
    return example(tried)


def _filled_in(tried: Tool, fields: Sequence[Field]) -> JSONObject | None:
    """Have a person fill the form in; Enter takes what stands in brackets."""
    known = example(tried) or {}
    filled: JSONObject = {}
    for field in fields:
        shown = f" [{as_json(known[field.name])}]" if field.name in known else " [left out]" if not field.required else ""
        sys.stderr.write(f"  {field.name}{shown}: ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            return None
        text = line.strip()
        if text:
            filled[field.name] = _meant(tried, field, text)
        elif field.name in known:
            filled[field.name] = known[field.name]
    return filled


def _meant(tried: Tool, field: Field, text: str) -> JSON:
    """Take what was typed as text where the parameter is one, else as JSON."""
    as_text = fits(tried, {**_others(tried, field), field.name: text})
    return text if as_text else json_or_text(text)


def _others(tried: Tool, field: Field) -> JSONObject:
    return {name: value for name, value in pattern(tried).items() if name != field.name}


def _may(tried: Tool, arguments: JSONObject, *, yes: bool, no: bool) -> bool:
    """Ask before a call that may change something."""
    if not asks(tried) or yes:
        return True
    _say(f"\nit would do this\n{preview(tried, arguments)}")
    if no or not somebody_there(sys.stderr):
        _say("\nnot called: it may change something; add --yes if that is right")
        return False
    sys.stderr.write("Call it? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _say(text: str) -> None:
    sys.stdout.write(visible(Discretion().text(text)) + "\n")
