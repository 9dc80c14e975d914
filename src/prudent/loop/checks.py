"""Answer checks: anything goes, a declared type, or a function that may send the answer back."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from prudent.errors import JournalError, PrudentError
from prudent.loop.parts import AnswerCheck, Correction
from prudent.state import RunState
from prudent.types import JSON, JSONObject

SENT_BACK = "Your answer was sent back: "
Judge = Callable[[str], "str | Awaitable[str | None] | None"]
"""Gets the answer's text; gives the reason why it will not do, or None."""


@dataclass(frozen=True, slots=True)
class AnyAnswer:
    """Every text will do."""

    async def check(self, text: str, state: RunState) -> Correction | None:
        """Let it pass."""
        del text, state
        return None

    def value(self, text: str) -> JSON:
        """Give the text."""
        return text


class TypedAnswer:
    """The answer is one JSON value of a declared type; asked for once more, with the errors, when it is not."""

    def __init__(self, output_type: Any) -> None:
        from pydantic import TypeAdapter  # slow to import, and needed for typed answers only

        self._adapter: TypeAdapter[Any] = TypeAdapter(output_type)
        self.schema: JSONObject = self._adapter.json_schema()

    @property
    def instruction(self) -> str:
        """What the model is told about the form of its answer."""
        schema = json.dumps(self.schema, ensure_ascii=False)
        return f"Your final answer must be one JSON value of this schema and nothing else, no words around it:\n{schema}"

    async def check(self, text: str, state: RunState) -> Correction | None:
        """Validate the answer."""
        try:
            self._adapter.validate_json(unfenced(text))
        except ValueError as error:
            reason = f"{SENT_BACK}it does not have the declared form. {_brief(error)}\n{self.instruction}"
            asked_before = any(m.role == "user" and m.text.startswith(SENT_BACK) for m in state.transcript)
            return Correction(
                reason, final=f"the answer does not have the declared form: {_brief(error)}" if asked_before else ""
            )
        return None

    def value(self, text: str) -> JSON:
        """Give the answer as JSON."""
        return self._adapter.dump_python(self._adapter.validate_json(unfenced(text)), mode="json")

    def restore(self, value: JSON) -> Any:
        """Give the answer as an object of the declared type."""
        return self._adapter.validate_python(value)


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """A function looks at the answer after `inner` has; it may send it back with a reason, `times` times at most."""

    inner: AnswerCheck
    judge: Judge
    times: int = 2

    async def check(self, text: str, state: RunState) -> Correction | None:
        """Ask the function; what it still dislikes after `times` corrections fails the run."""
        if correction := await self.inner.check(text, state):
            return correction
        try:
            verdict = self.judge(text)
            reason = await verdict if inspect.isawaitable(verdict) else verdict
        except JournalError:
            raise
        except Exception as error:  # a check is a user's code: when it fails, the answer is not taken for a checked one
            what = str(error) if isinstance(error, PrudentError) else type(error).__name__
            return Correction("", final=f"the answer could not be checked: {what}")
        if not reason:
            return None
        before = sum(m.role == "user" and m.text.startswith(SENT_BACK) for m in state.transcript)
        return Correction(
            f"{SENT_BACK}{reason}", final=f"the answer was not accepted: {reason}" if before >= self.times else ""
        )

    def value(self, text: str) -> JSON:
        """Give what the inner check makes of it."""
        return self.inner.value(text)


def unfenced(text: str) -> str:
    """Take a Markdown fence off."""
    text = text.strip()
    if not text.startswith("```"):
        return text
    return text.partition("\n")[2].rsplit("```", 1)[0].strip()


def _brief(error: ValueError) -> str:
    from pydantic import ValidationError  # slow to import, and needed for typed answers only

    if not isinstance(error, ValidationError):
        return str(error)[:500]
    lines = [f"{'.'.join(map(str, e['loc'])) or 'the value'}: {e['msg']}" for e in error.errors(include_url=False)]
    return "; ".join(lines)[:800]
