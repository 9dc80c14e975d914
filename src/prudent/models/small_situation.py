"""What a conversation has come to: the question, the steps since, and the facts they brought."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from prudent.messages import Message
from prudent.models.small_layout import tidy
from prudent.types import JSON, JSONObject

THINK = "think_and_plan"
"""The planning tool: an ordinary tool that is never chosen by itself, but filled in beside the first call."""

_TITLES = ("title", "place", "section", "heading", "source", "path", "file", "url", "name")
_BODIES = ("text", "content", "passage", "snippet", "summary", "body")
_ASIDE = ("score", "rank", "id", "handle")
_LABEL_FIELDS = 2
_LABEL_CHARS = 160

_ENTRY = re.compile(r"^\[([^\]\s]{1,40})\] (.+)\n((?:[ \t]+\S.*(?:\n|$))+)", re.MULTILINE)
"""An entry of an index written as text: `[id] where it is from`, then indented lines."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call since the question, with its result as the model sees it."""

    name: str
    arguments: JSONObject
    result: str

    @property
    def failed(self) -> bool:
        """Whether the result is an error."""
        return self.result.lstrip().startswith('{"error"')

    @property
    def value(self) -> JSON:
        """The result as JSON, or as it stands."""
        try:
            return json.loads(self.result)
        except ValueError:
            return self.result


@dataclass(frozen=True, slots=True)
class Fact:
    """Something an answer may rest on."""

    label: str
    """Where it is from, for people."""

    text: str
    id: str = ""
    """What it can be opened by, where it is an entry of an index."""


@dataclass(slots=True)
class Situation:
    """A conversation as a small model is shown it."""

    instructions: str = ""
    question: str = ""
    earlier: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Questions and answers before this one."""

    steps: list[Step] = field(default_factory=list[Step])
    thoughts: int = 0


def read_situation(messages: Sequence[Message]) -> Situation:
    """Read a conversation. What follows the last user message belongs to the question in it."""
    situation = Situation()
    names = {call.id: call for message in messages for call in message.calls}
    for message in messages:
        match message.role:
            case "system":
                situation.instructions += message.text + "\n\n"
            case "user":
                _ask(situation, message.text)
            case "tool":
                call = names.get(message.call_id)
                if call is None:
                    continue
                if call.name == THINK:
                    situation.thoughts += 1
                else:
                    situation.steps.append(Step(call.name, _object(call.arguments), message.text))
            case "assistant" if message.text and not message.calls:
                situation.earlier.append((situation.question, message.text))
            case _:
                pass
    return situation


def _ask(situation: Situation, text: str) -> None:
    """Begin a question; one that nobody answered before it (a request to do better, say) joins the one before."""
    answered = not situation.question or (situation.earlier and situation.earlier[-1][0] == situation.question)
    if answered:
        situation.question, situation.steps, situation.thoughts = text, [], 0
    else:
        situation.question += "\n" + text


def _object(arguments: str) -> JSONObject:
    try:
        found: JSON = json.loads(arguments or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def facts_of(steps: Sequence[Step], *, chars: int, most_entries: int, indexes: Collection[str] = ()) -> list[Fact]:
    """Give what an answer may rest on, in order.

    An index of which something was opened counts only by what was opened, and a tool in `indexes` only by its entries: when
    it says that it found none, that is no fact.
    """
    facts: list[Fact] = []
    for position, step in enumerate(steps):
        found = [] if step.failed else facts_in(step, chars)
        ids = {fact.id for fact in found if fact.id}
        opened = any(ids & set(map(str, later.arguments.values())) for later in steps[position + 1 :] if not later.failed)
        if not (ids and opened) and (ids or step.name not in indexes):
            facts += found[:most_entries] if ids else found
    return facts


def facts_in(step: Step, chars: int) -> list[Fact]:
    """Take a result apart: an index is many facts, all else is one."""
    value = step.value
    if isinstance(value, str):
        entries = [Fact(_plain_label(label), tidy(text), id) for id, label, text in _ENTRY.findall(value)]
        return entries or [_passage(step, value, chars)]
    facts = [_fact(step, item, chars) for item in _items(value)]
    return [fact for fact in facts if fact.text]


def values_named(name: str, steps: Sequence[Step], *, of_entries: bool = False) -> list[str]:
    """Find the values of fields of that name in results, in order, each once; with `of_entries` whatever entries open by."""
    found: dict[str, None] = {}
    spelled = re.compile(rf"""\b{re.escape(name)}["']?\s*[:=]\s*["']?([\w.#/\-]+)""")
    for step in steps:
        if of_entries:
            found.update((fact.id, None) for fact in facts_in(step, 1) if fact.id)
        value = step.value
        found.update(dict.fromkeys(spelled.findall(value) if isinstance(value, str) else _named(name, value)))
    return list(found)


def _named(name: str, value: JSON) -> Iterator[str]:
    """Walk through JSON for fields of a name."""
    if isinstance(value, list):
        for item in value:
            yield from _named(name, item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key == name and isinstance(item, str | int):
                yield str(item)
            else:
                yield from _named(name, item)


def _items(value: JSON) -> list[JSON]:
    """Take JSON apart: a list, or the one list of objects in an object, is many facts; all else is one."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        for item in value.values():
            if isinstance(item, list) and item and all(isinstance(entry, dict) for entry in item):
                return item
    return [value]


def _fact(step: Step, item: JSON, chars: int) -> Fact:
    """Make a fact of a piece of JSON: its title and place as the label, the rest as the text."""
    if not isinstance(item, dict):
        text = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
        return Fact(step.name, text[:chars])
    titles = [str(item[key]) for key in _TITLES if item.get(key) and isinstance(item[key], str)]
    bodies = [str(item[key]) for key in _BODIES if item.get(key)]
    if not bodies:
        rest = {key: value for key, value in item.items() if key not in _TITLES and key not in _ASIDE}
        bodies = [json.dumps(rest, ensure_ascii=False)] if rest else []
    label = ", ".join(dict.fromkeys(titles[:_LABEL_FIELDS])) or step.name
    return Fact(label, " ".join(bodies)[:chars], str(item.get("id") or item.get("handle") or ""))


def _passage(step: Step, text: str, chars: int) -> Fact:
    """Make a fact of a text; a first line that is no sentence says where it is from."""
    first, _, rest = text.strip().partition("\n")
    if rest.strip() and len(first) <= _LABEL_CHARS and not first.endswith((".", "。", ":", "：")):
        return Fact(first, tidy(rest)[:chars])
    return Fact(step.name, tidy(text)[:chars])


def _plain_label(label: str) -> str:
    """Leave out what a ranking says about itself."""
    return re.sub(r"\s*;[^()]*(?=\)\s*$)", "", label).strip()
