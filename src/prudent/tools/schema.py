"""The JSON schema and the validator of a Python function's arguments, both by pydantic.

A model class is made of the parameters; pydantic says how their types look as JSON, and turns checked JSON into them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from types import NoneType
from typing import Annotated, Any

import pydantic
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind

from prudent.errors import CallRefused, DefinitionError
from prudent.tools.annotations import admits_none, or_none, readable
from prudent.tools.checking import Path, Problem
from prudent.tools.inlining import wire_schema
from prudent.tools.nodes import as_list, as_object, branches, follow
from prudent.tools.signature import NO_DEFAULT, Parameter, Signature
from prudent.tools.wording import quote
from prudent.types import JSON, JSONMapping, JSONObject

_CONFIG = pydantic.ConfigDict(extra="forbid", protected_namespaces=(), allow_inf_nan=False)


class Arguments:
    """Turns checked JSON arguments into the Python objects that a function wants."""

    def __init__(self, model: type[pydantic.BaseModel], attributes: Mapping[str, str]) -> None:
        self._model = model
        self._attributes = attributes

    def problems(self, arguments: JSONObject) -> list[Problem]:
        """List what the types have against the arguments: formats, patterns, the program's own validators."""
        try:
            self._read(arguments)
        except pydantic.ValidationError as error:
            details = error.errors(include_url=False, include_context=False)
            return [_problem(arguments, detail["loc"], detail["msg"]) for detail in details[:20]]
        except Exception as error:  # a validator is a program's own code: whatever it raises must not end the run
            return [Problem("value", (), arguments, note=f"a validator failed with {type(error).__name__}")]
        return []

    def convert(self, arguments: JSONMapping) -> dict[str, object]:
        """Give the keyword arguments of the function. Raises CallRefused for arguments that were not checked before."""
        try:
            read = self._read(arguments)
        except pydantic.ValidationError as error:
            raise CallRefused("invalid_arguments", f"the arguments were not checked: {error.errors()[0]['msg']}") from error
        return {name: getattr(read, attribute) for name, attribute in self._attributes.items()}

    def _read(self, arguments: JSONMapping) -> pydantic.BaseModel:
        # strict, and from JSON text: there a date is a string, but "3" is no number
        return self._model.model_validate_json(json.dumps(arguments), strict=True)


class _Generator(GenerateJsonSchema):
    def emit_warning(self, kind: JsonSchemaWarningKind, detail: str) -> None:
        """Stay silent: a default that has no JSON form is left out of the schema, and that is all."""


def build(signature: Signature, descriptions: Mapping[str, str], where: str) -> tuple[JSONObject, Arguments]:
    """Make the schema and the validator of a function's arguments.

    Args:
        signature: its parameters.
        descriptions: what the docstring says about them; a `Field(description=…)` comes first.
        where: names the tool in errors.

    Raises:
        DefinitionError: a type has no JSON form, or a default is not allowed by its own type.
    """
    attributes = {parameter.name: f"argument_{index}" for index, parameter in enumerate(signature.parameters)}
    fields: dict[str, Any] = {attributes[parameter.name]: _field(parameter) for parameter in signature.parameters}
    try:
        model = pydantic.create_model("Arguments", __config__=_CONFIG, **fields)
        raw: JSONObject = model.model_json_schema(schema_generator=_Generator)
    except Exception as error:
        raise _no_json_form(signature, where, error) from error
    properties = as_object(raw.get("properties"))
    arguments = Arguments(model, attributes)
    for name, attribute in attributes.items():
        node = as_object(properties.get(name))
        _state_default(node, model.model_fields[attribute].default, fields[attribute])
        if "description" not in node and name in descriptions:
            node["description"] = descriptions[name]
    _check_defaults(arguments, properties, where)
    return wire_schema(raw), arguments


def explain_values(schema: JSONObject, help_by_value: Mapping[Any, str], where: str) -> None:
    """Write into the parameters' descriptions when to choose which value of an enumeration."""
    texts = {str(value.value if isinstance(value, Enum) else value): text for value, text in help_by_value.items()}
    unused = set(texts)
    for node in _properties(schema):
        known = set(map(str, _values(schema, node)))
        lines = [f"{value}: {text}" for value, text in texts.items() if value in known]
        unused -= known
        if lines:
            description = node.get("description", "")
            node["description"] = f"{description} {'; '.join(lines)}".strip()
    if unused:
        raise DefinitionError(
            f"{where}: enum_help explains {', '.join(sorted(unused))}, but no parameter has such a value: mend or remove it"
        )


def _field(parameter: Parameter) -> tuple[Any, FieldInfo]:
    name: dict[str, Any] = dict.fromkeys(("alias", "validation_alias", "serialization_alias"), parameter.name)
    annotation = readable(parameter.annotation)
    if isinstance(parameter.default, FieldInfo):
        return Annotated[annotation, parameter.default], pydantic.Field(**name)
    if parameter.default is NO_DEFAULT:
        return annotation, pydantic.Field(**name)
    if parameter.default is None and not admits_none(annotation):
        annotation = or_none(annotation)
    return annotation, pydantic.Field(default=parameter.default, **name)


def _state_default(node: JSONObject, default: object, field: tuple[Any, FieldInfo]) -> None:
    """Leave the default in the schema only where its JSON form means the same: the model may write it out."""
    is_plain = isinstance(default, str | int | NoneType) or (isinstance(default, float) and math.isfinite(default))
    if "default" not in node or is_plain:
        return
    if isinstance(default, set | frozenset):
        node["default"] = sorted(as_list(node["default"]), key=quote)  # a set has no order, but the schema must have one
    alone = pydantic.create_model("Default", __config__=_CONFIG, value=(field[0], ...))
    try:
        text = json.dumps({"value": node["default"]}, allow_nan=False)
        stays = alone.model_validate_json(text, strict=True).__dict__["value"] == default
    except ValueError:
        stays = False
    if not stays:
        del node["default"]


def _check_defaults(arguments: Arguments, properties: JSONObject, where: str) -> None:
    defaults = {name: as_object(node)["default"] for name, node in properties.items() if "default" in as_object(node)}
    for problem in arguments.problems(defaults) if defaults else ():
        if problem.path and problem.path[0] in defaults:
            raise DefinitionError(
                f"parameter {problem.path[0]!r} of {where} has the default {quote(defaults[str(problem.path[0])], 60)}, "
                f"which its own type refuses ({problem.note}): change one of them"
            )


def _problem(arguments: JSONObject, place: Sequence[str | int], message: str) -> Problem:
    """Bring an error of pydantic into our form; names of alternatives in its place are passed over."""
    path: Path = ()
    value: JSON = arguments
    for part in place:
        if isinstance(value, dict) and isinstance(part, str) and part in value:
            value = value[part]
        elif isinstance(value, list) and isinstance(part, int) and part < len(as_list(value)):
            value = as_list(value)[part]
        elif not path and isinstance(part, str):
            return Problem("value", (part,), None, note=message)
        else:
            continue
        path = (*path, part)
    return Problem("value", path, value, note=message)


def _no_json_form(signature: Signature, where: str, error: Exception) -> DefinitionError:
    """Name the parameter whose type pydantic cannot handle."""
    for parameter in signature.parameters:
        try:
            alone = pydantic.create_model("Alone", __config__=_CONFIG, value=_field(parameter))
            alone.model_json_schema(schema_generator=_Generator)
        except Exception as cause:
            reason = str(cause).splitlines()[0]
            return DefinitionError(
                f"parameter {parameter.name!r} of {where} has a type that has no JSON form ({reason}): "
                "use plain types, dataclasses, TypedDicts, enums or pydantic models"
            )
    return DefinitionError(f"{where} has parameters that have no JSON form: {str(error).splitlines()[0]}")


def _properties(raw: JSON) -> Iterator[JSONObject]:
    """Yield the schema of each property, however deep it stands."""
    node = as_object(raw)
    if not node:
        return
    for inner in as_object(node.get("properties")).values():
        yield as_object(inner)
    parts = [*as_object(node.get("properties")).values(), *as_object(node.get("$defs")).values(), *branches(node)]
    for part in (*parts, *as_list(node.get("prefixItems")), node.get("items"), node.get("additionalProperties")):
        yield from _properties(part)


def _values(root: JSONMapping, raw: JSON, depth: int = 0) -> Iterator[JSON]:
    """Yield the values that a property, or the items of its list, can be chosen from."""
    node = follow(root, raw)
    yield from as_list(node.get("enum"))
    if "const" in node:
        yield node["const"]
    for part in (*branches(node), node.get("items")) if depth < 4 else ():
        if part is not None:
            yield from _values(root, part, depth + 1)
