"""What an operation takes, as one JSON schema: its parameters by name, and its body under `body`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

from prudent.tools.nodes import as_list, as_object
from prudent.types import JSON, JSONObject

BODY = "body"
BodyKind = Literal["json", "form", "text"]
Where = Literal["path", "query", "header", "cookie", "body"]

_COMPONENTS, _DEFS = "#/components/schemas/", "#/$defs/"
_UNSAID = frozenset({"xml", "externalDocs", "discriminator", "example", "nullable", "readOnly", "writeOnly", "deprecated"})
_HEADERS_OF_OTHERS = frozenset({"accept", "content-type", "authorization"})
_MAX_DEPTH = 60


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a request one argument goes, and how it is written there."""

    name: str
    """Its name in the request."""

    where: Where
    style: str = ""
    explode: bool = False
    body: BodyKind = "json"
    media_type: str = ""


class Definitions:
    """The document's components, looked up by reference."""

    def __init__(self, parsed: Any) -> None:
        self._components: Any = parsed.components
        schemas = self._named("schemas")
        self.schemas: JSONObject = {name: clean(plain(schema)) for name, schema in schemas.items()}

    def resolved(self, found: Any) -> Any:
        """Follow a reference to a parameter or a request body; None where it leads nowhere here."""
        for _ in range(8):
            reference = getattr(found, "ref", None)
            if not isinstance(reference, str):
                return found
            _, _, place = reference.partition("#/components/")
            kind, _, name = place.partition("/")
            found = self._named(kind).get(name)
        return None

    def _named(self, kind: str) -> dict[str, Any]:
        return cast("dict[str, Any]", getattr(self._components, kind, None) or {})


def operation_parameters(definitions: Definitions, item: Any, operation: Any) -> tuple[JSONObject, dict[str, Place]] | None:
    """Give the schema of an operation's arguments, and where each goes; None for a body that cannot be written from JSON."""
    properties: JSONObject = {}
    required: list[JSON] = []
    places: dict[str, Place] = {}
    named: dict[tuple[str, str], Any] = {}
    for found in [*(item.parameters or ()), *(operation.parameters or ())]:
        parameter = definitions.resolved(found)
        if parameter is not None:
            named[(parameter.name, str(parameter.param_in.value))] = parameter
    for (name, where), parameter in named.items():
        if where == "header" and name.lower() in _HEADERS_OF_OTHERS:
            continue
        key = name if name not in properties and name != BODY else f"{name}_{where}"
        properties[key] = _parameter(parameter)
        places[key] = _place(parameter, cast("Where", where))
        if parameter.required or where == "path":
            required.append(key)
    body = definitions.resolved(operation.requestBody) if operation.requestBody else None
    if body is not None:
        written = _body(body)
        if written is None:
            return None
        properties[BODY], places[BODY] = written
        if body.required:
            required.append(BODY)
    schema: JSONObject = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    return {**schema, "$defs": definitions.schemas}, places


def _parameter(parameter: Any) -> JSONObject:
    node: JSONObject = clean(plain(parameter.param_schema)) if parameter.param_schema is not None else {}
    if parameter.param_schema is None and parameter.content:
        node = {"type": "string"}
    if parameter.description:
        node = {**node, "description": parameter.description}
    return node


def _place(parameter: Any, where: Where) -> Place:
    style = parameter.style or ("form" if where in ("query", "cookie") else "simple")
    explode = parameter.explode if parameter.explode is not None else style == "form"
    return Place(parameter.name, where, style, explode)


def _body(body: Any) -> tuple[JSON, Place] | None:
    """Choose the first kind of body that can be written."""
    for media_type, content in body.content.items():
        plain_type = media_type.partition(";")[0].strip().lower()
        kind: BodyKind | None = None
        if plain_type == "application/json" or plain_type.endswith("+json") or plain_type == "*/*":
            kind = "json"
        elif plain_type == "application/x-www-form-urlencoded":
            kind = "form"
        elif plain_type.startswith("text/"):
            kind = "text"
        if kind is not None:
            found = content.media_type_schema
            node = clean(plain(found)) if found is not None else {}
            if body.description and "description" not in node and "$ref" not in node:
                node = {**node, "description": body.description}
            sent = "application/json" if plain_type == "*/*" else media_type
            return (node or {"type": "object"}) if kind != "text" else {"type": "string"}, Place(
                BODY, "body", body=kind, media_type=sent
            )
    return None


def plain(schema: Any) -> JSONObject:
    """Give a schema of the library as JSON."""
    if isinstance(schema, bool):
        return {}
    return as_object(schema.model_dump(mode="json", by_alias=True, exclude_unset=True))


def clean(node: JSONObject, depth: int = 0) -> JSONObject:
    """Write a schema of OpenAPI 3.0 or 3.1 as plain JSON schema."""
    if depth > _MAX_DEPTH:
        return {}
    written: JSONObject = {key: _cleaned(key, part, depth) for key, part in node.items() if key not in _UNSAID}
    from_server = [name for name, part in as_object(node.get("properties")).items() if _is_from_server("properties", part)]
    if from_server and "required" in written:
        written["required"] = [name for name in as_list(written["required"]) if name not in from_server]
    if isinstance(reference := node.get("$ref"), str):
        written["$ref"] = reference.replace(_COMPONENTS, _DEFS, 1)
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        flag = written.get(exclusive)
        if isinstance(flag, bool):
            del written[exclusive]
            if flag and bound in written:
                written[exclusive] = written.pop(bound)
    return _nullable(written) if node.get("nullable") is True else written


def _cleaned(key: str, part: JSON, depth: int) -> JSON:
    if key in ("properties", "patternProperties", "$defs"):
        inner = as_object(part)
        shown = {name: node for name, node in inner.items() if not _is_from_server(key, node)}
        return {name: clean(as_object(node), depth + 1) for name, node in shown.items()}
    if key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        return [clean(as_object(node), depth + 1) for node in as_list(part)]
    return clean(part, depth + 1) if key in ("items", "additionalProperties", "not") and isinstance(part, dict) else part


def _is_from_server(key: str, node: JSON) -> bool:
    return key == "properties" and as_object(node).get("readOnly") is True


def _nullable(node: JSONObject) -> JSONObject:
    if isinstance(node.get("type"), str):
        values = node.get("enum")
        more: JSONObject = {"enum": [*as_list(values), None]} if isinstance(values, list) and None not in values else {}
        return {**node, "type": [node["type"], "null"], **more}
    return {"anyOf": [node, {"type": "null"}]}
