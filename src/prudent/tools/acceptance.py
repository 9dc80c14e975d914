"""Taking JSON arguments in: fitted to the schema, then checked by it and by the function's own types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from prudent.tools.checking import Checker, Problem
from prudent.tools.fitting import Fill, Fitter
from prudent.types import JSONMapping, JSONObject


class ArgumentTypes(Protocol):
    """The Python types behind a schema."""

    def problems(self, arguments: JSONObject) -> list[Problem]:
        """List what the types have against arguments that fit the schema."""
        ...

    def convert(self, arguments: JSONMapping) -> dict[str, object]:
        """Turn checked arguments into the Python objects that the function wants, by parameter."""
        ...


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What became of arguments."""

    arguments: JSONObject
    """Fitted: repaired, complete, in order."""

    repairs: tuple[str, ...]
    problems: tuple[Problem, ...]
    """Why they may not be used; empty when they may."""


def accept(parameters: JSONMapping, types: ArgumentTypes | None, arguments: JSONObject) -> Acceptance:
    """Fit arguments and check them. Raises CallRefused for what is too deep or too much to look at.

    Defaults are filled in only where there are types: an imported tool's are its server's business, and often declared wrong.
    """
    first = _accept(parameters, types, arguments, "none" if types is None else "everywhere")
    if not first.problems or types is None:
        return first
    # a type may refuse its own default when it is written out: then what stands inside an object is left to the type
    second = _accept(parameters, types, arguments, "parameters")
    return first if second.problems else second


def _accept(parameters: JSONMapping, types: ArgumentTypes | None, arguments: JSONObject, fill: Fill) -> Acceptance:
    fitter = Fitter(parameters, fill)
    fitted = fitter.fit(arguments)
    problems = Checker(parameters).problems(fitted)
    if not problems and types is not None:
        problems = types.problems(fitted)
    return Acceptance(fitted, tuple(fitter.repairs), tuple(problems))
