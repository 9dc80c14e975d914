"""What a conversation has come to: the question, the steps since, and the facts they brought."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from prudent.messages import Message
from prudent.types import JSON, JSONObject

THINK = "think_and_plan"
"""The planning tool: an ordinary tool that is never chosen by itself, but filled in beside the first call."""

_TITLES = ("title", "place", "section", "heading", "source", "path", "file", "url", "name")
_BODIES = ("text", "content", "passage", "snippet", "summary", "body")
_ASIDE = ("score", "rank", "id", "handle")
_LABEL_FIELDS = 2


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


def facts_of(steps: Sequence[Step], *, chars: int) -> list[Fact]:
    """Give what an answer may rest on, the latest first in rank: an index that was opened counts only by what was opened."""
    facts: list[Fact] = []
    for position, step in enumerate(steps):
        if step.failed or (_is_index(step) and _was_opened(step, steps[position + 1 :])):
            continue
        facts += [_fact(step, item, chars) for item in _items(step.value)]
    return [fact for fact in facts if fact.text]


def values_named(name: str, steps: Sequence[Step]) -> list[str]:
    """Find the values of fields of that name in results, in order, each once."""
    found: dict[str, None] = {}
    spelled = re.compile(rf"""\b{re.escape(name)}["']?\s*[:=]\s*["']?([\w.#/\-]+)""")
    for step in steps:
        value = step.value
        values = spelled.findall(value) if isinstance(value, str) else _named(name, value)
        found.update(dict.fromkeys(values))
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
    """Take a result apart: a list, or the one list of objects in an object, is many facts; all else is one."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        for item in value.values():
            if isinstance(item, list) and item and all(isinstance(entry, dict) for entry in item):
                return item
    return [value]


def _is_index(step: Step) -> bool:
    """Whether a result lists things that can be opened."""
    items = _items(step.value)
    return bool(items) and all(isinstance(item, dict) and ("id" in item or "handle" in item) for item in items)


def _was_opened(step: Step, later: Sequence[Step]) -> bool:
    """Whether a later call that went well names one of the things in an index."""
    listed = {*values_named("id", [step]), *values_named("handle", [step])}
    return any(not other.failed and listed & {str(value) for value in other.arguments.values()} for other in later)


def _fact(step: Step, item: JSON, chars: int) -> Fact:
    """Make a fact of a piece of a result: its title and place as the label, the rest as the text."""
    if not isinstance(item, dict):
        text = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
        return Fact(step.name, text[:chars])
    titles = [str(item[key]) for key in _TITLES if item.get(key) and isinstance(item[key], str)]
    bodies = [str(item[key]) for key in _BODIES if item.get(key)]
    if not bodies:
        rest = {key: value for key, value in item.items() if key not in _TITLES and key not in _ASIDE}
        bodies = [json.dumps(rest, ensure_ascii=False)] if rest else []
    return Fact(", ".join(dict.fromkeys(titles[:_LABEL_FIELDS])) or step.name, " ".join(bodies)[:chars])
