from __future__ import annotations

import json
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from prudent.errors import CallRefused
from prudent.messages import ToolCall, canonical_json
from prudent.tools.context import Context
from prudent.tools.definition import Tool, tool
from prudent.tools.inlining import wire_schema
from prudent.tools.refusal import example_arguments
from prudent.tools.validation import decode_arguments, history_arguments, history_name, validate, validate_object
from prudent.types import JSON, JSONObject


class Item(BaseModel):
    name: str
    count: Annotated[int, Field(ge=1, le=20)] = 1


@dataclass
class Order:
    customer: str
    items: list[Item]
    due: date | None = None


@tool
def add(a: Annotated[int, Field(ge=1, le=5)], b: Annotated[int, Field(ge=1, le=5)] = 1) -> int:
    """Add two small numbers."""
    return a + b


@tool
def place(order: Order, urgency: Literal["low", "high"] = "low", notes: list[str] | None = None) -> Order:
    """Place an order."""
    del urgency, notes
    return order


@tool(secret=["key"])
def login(user: str, key: str) -> None:
    """Log in."""


def take(**arguments: Any) -> Any:
    return arguments


IMPORTED = Tool(
    name="imported",
    function=take,
    summary="",
    parameters={
        "type": "dict",
        "properties": {
            "city": {"type": "string", "minLength": 2},
            "days": {"type": "integer", "minimum": 1, "maximum": 7, "default": "None"},
            "where": {"anyOf": [{"type": "array", "items": {"type": "float"}}, {"type": "null"}]},
        },
        "required": ["city"],
    },
)
LENIENT = Tool("think_and_plan", take, "", {"type": "object", "properties": {"plan": {"type": "string"}}}, lenient=True)


def call(arguments: str, *, null: bool = False) -> ToolCall:
    return ToolCall("c1", "x", arguments, null)


def checked(made: Tool, arguments: str) -> JSONObject:
    return validate(made, call(arguments)).arguments


def refused(made: Tool, arguments: str) -> CallRefused:
    with pytest.raises(CallRefused) as caught:
        validate(made, call(arguments))
    assert len(caught.value.reason) + len(caught.value.fix) < 1500
    return caught.value


# ------------------------------------------------------------------ valid JSON passes unchanged
items = st.fixed_dictionaries({"name": st.text(max_size=5), "count": st.integers(1, 20)})
orders = st.fixed_dictionaries(
    {
        "customer": st.text(max_size=9),
        "items": st.lists(items, max_size=3),
        "due": st.none() | st.dates().map(date.isoformat),
    }
)
places = st.fixed_dictionaries(
    {
        "order": orders,
        "urgency": st.sampled_from(["low", "high"]),
        "notes": st.none() | st.lists(st.text(max_size=5), max_size=3),
    }
)


@settings(deadline=None)
@given(places)
def test_what_is_right_passes_unchanged_and_becomes_python(arguments: JSONObject) -> None:
    validated = validate(place, call(json.dumps(arguments)))
    assert validated.arguments == arguments
    assert validated.repairs == ()
    assert isinstance(place.invoke(validated.arguments, Context()), Order)


@settings(deadline=None)
@given(places, st.randoms(use_true_random=False))
def test_equal_calls_are_equal_however_they_were_written(arguments: JSONObject, random: Any) -> None:
    def rewrite(value: JSON) -> JSON:
        if isinstance(value, dict):
            keys = [key for key in value if not (key == "due" and value[key] is None)]
            random.shuffle(keys)
            rewritten: JSON = {key: rewrite(value[key]) for key in keys}
        elif isinstance(value, list):
            rewritten = [rewrite(item) for item in value]
        else:
            return str(value) if isinstance(value, int) and random.random() < 0.5 else value
        return json.dumps(rewritten, ensure_ascii=random.random() < 0.5) if random.random() < 0.3 else rewritten

    written = json.dumps(rewrite(arguments), indent=random.choice([None, 2]))
    assert canonical_json(checked(place, written)) == canonical_json(arguments)


@pytest.mark.parametrize("written", ["{}", '{"seconds": 0}', '{"seconds": 0.0}', '{"seconds": "0.0"}', '{"point": [1.0, 2]}'])
def test_a_default_looks_the_same_whether_it_is_written_out_or_not(written: str) -> None:
    @tool
    def wait(seconds: float = 0.0, point: tuple[float, float] = (1.0, 2.0)) -> None:
        """Wait."""

    assert canonical_json(checked(wait, written)) == '{"point":[1,2],"seconds":0}'


@settings(deadline=None)
@given(places)
def test_validating_again_changes_nothing(arguments: JSONObject) -> None:
    once = validate_object(place, arguments).arguments
    again = validate(place, call(canonical_json(once)))
    assert json.dumps(again.arguments) == json.dumps(once)
    assert again.repairs == ()


def schemas(depth: int = 2) -> st.SearchStrategy[tuple[JSONObject, st.SearchStrategy[JSON]]]:
    """Make schemas, each with a strategy for values that are right by it."""
    leaves: list[tuple[JSONObject, st.SearchStrategy[JSON]]] = [
        ({"type": "integer", "minimum": -3, "maximum": 9}, st.integers(-3, 9)),
        ({"type": "number"}, st.floats(allow_nan=False, allow_infinity=False)),
        ({"type": "string", "maxLength": 4}, st.text(max_size=4)),
        ({"type": "boolean"}, st.booleans()),
        ({"enum": ["a", 1, None]}, st.sampled_from(["a", 1, None])),
    ]
    if depth == 0:
        return st.sampled_from(leaves)

    def array(part: tuple[JSONObject, st.SearchStrategy[JSON]]) -> tuple[JSONObject, st.SearchStrategy[JSON]]:
        return {"type": "array", "items": part[0], "maxItems": 3}, st.lists(part[1], max_size=3)

    def mapping(
        parts: dict[str, tuple[JSONObject, st.SearchStrategy[JSON]]],
    ) -> tuple[JSONObject, st.SearchStrategy[JSON]]:
        properties: JSONObject = {name: part[0] for name, part in parts.items()}
        values = {name: part[1] for name, part in parts.items()}
        first = list(parts)[:1]
        schema: JSONObject = {"type": "object", "properties": properties, "required": [*first], "additionalProperties": False}
        required = {name: values.pop(name) for name in first}
        return schema, st.fixed_dictionaries(required, optional=values)

    def either(
        parts: list[tuple[JSONObject, st.SearchStrategy[JSON]]],
    ) -> tuple[JSONObject, st.SearchStrategy[JSON]]:
        return {"anyOf": [part[0] for part in parts]}, st.one_of([part[1] for part in parts])

    inner = schemas(depth - 1)
    return st.one_of(
        st.sampled_from(leaves),
        inner.map(array),
        st.dictionaries(st.sampled_from("abc"), inner, max_size=3).map(mapping),
        st.lists(inner, min_size=1, max_size=3).map(either),
    )


@settings(deadline=None)
@given(st.data())
def test_what_is_right_by_any_schema_passes_unchanged(data: st.DataObject) -> None:
    schema, values = data.draw(schemas())
    value = data.draw(values)
    imported = Tool("t", take, "", {"type": "object", "properties": {"v": schema}, "required": ["v"]})
    validated = validate(imported, call(json.dumps({"v": value})))
    assert validated.arguments == {"v": value}
    assert validated.repairs == ()


# ------------------------------------------------------------------ everything else is answered, in bounded time
JSONISH = st.text(alphabet='{}[]",: \n\\abcorder0123.eE-+truefalsnNI`', max_size=80)


@settings(deadline=None)
@given(JSONISH | st.text(max_size=40) | st.binary(max_size=40).map(lambda b: b.decode("latin-1")), st.booleans())
def test_garbage_decodes_or_is_refused_and_nothing_else(text: str, null: bool) -> None:
    for made in (add, place, login, IMPORTED):
        try:
            validated = validate(made, call(text, null=null))
        except CallRefused as refusal:
            told = refusal.reason + refusal.fix
        else:
            told = canonical_json(validated.arguments)
        told.encode()
    json.loads(history_arguments(call(text, null=null)))
    validate(LENIENT, call(text, null=null))


KEYS = st.sampled_from(["order", "customer", "items", "name", "count", "a", "b"])
ANY_JSON: st.SearchStrategy[JSON] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
)


@settings(deadline=None)
@given(ANY_JSON)
def test_any_json_is_taken_or_refused(value: JSON) -> None:
    for made in (add, place, IMPORTED):
        try:
            validated = validate(made, call(json.dumps(value)))
        except CallRefused as refusal:
            assert refusal.kind in ("invalid_json", "invalid_arguments")  # noqa: PT017 - either outcome is right
            assert len(refusal.reason) + len(refusal.fix) < 1500  # noqa: PT017
        else:
            made.invoke(validated.arguments, Context())


@pytest.mark.parametrize(
    "text",
    [
        "[" * 500_000,
        '{"order":' * 100_000,
        '{"order": "' + "x" * 900_000 + '"}',
        '{"order": {"customer": "Ada", "items": [' + ",".join(['{"name": "x", "count": "99"}'] * 20_000) + "]}}",
        json.dumps({"order": {"customer": "a", "items": json.dumps([{"name": "b", "count": "c"}] * 9_000)}}),
        json.dumps({f"k{index}": index for index in range(50_000)}),
        json.dumps({"x" * 900_000: 1}),
        '"' * 900_000,
    ],
)
def test_huge_arguments_are_refused_briefly_and_soon(text: str) -> None:
    start = time.process_time()
    for made in (add, place, IMPORTED):
        refused(made, text)
    history_arguments(call(text))
    assert time.process_time() - start < 6


# ------------------------------------------------------------------ what a model sees
@pytest.mark.parametrize("text", ["", " ", "null"])
def test_no_arguments_at_all(text: str) -> None:
    @tool
    def ping() -> None:
        """Ping."""

    assert checked(ping, text) == {}
    assert validate(ping, call("ignored", null=True)).repairs == ("no arguments given: read as {}",)
    assert refused(add, text).reason.startswith("a is missing; due is a whole number from 1 to 5")


def test_repairs_are_recorded_with_their_place() -> None:
    validated = validate(
        place, call('{"order": {"customer": "Ada", "items": "[{\\"name\\": \\"cup\\", \\"count\\": \\"3\\"}]"},}')
    )
    assert validated.arguments["order"] == {"customer": "Ada", "items": [{"name": "cup", "count": 3}], "due": None}
    assert validated.repairs == (
        "trailing comma removed",
        "order.items: string holding JSON decoded",
        "order.items[0].count: string read as a number",
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ('{"a": 99}', "a is not right (received 99); allowed is a whole number from 1 to 5"),
        ('{"a": 3.7}', "received 3.7"),
        ('{"a": true}', "received true"),
        ('{"a": "NaN"}', 'received "NaN"'),
        ('{"a": null}', "received null"),
        ('{"a": NaN}', "finite"),
        ('{"a": 1, "c": 2}', "c is unknown (received 2); the parameters of add are: a, b"),
        ('{"a": 2, "b": ', "breaks off"),
        ("[1, 1]", "a list"),
    ],
)
def test_refusals_say_what_and_where_and_give_an_example(arguments: str, says: str) -> None:
    refusal = refused(add, arguments)
    assert says in refusal.reason
    assert 'call add again, for example with {"a": 1}' in refusal.fix


def test_enumerations_and_places_inside() -> None:
    assert 'one of "low", "high"' in refused(place, '{"order": {"customer": "", "items": []}, "urgency": "urgent"}').reason
    inside = refused(place, '{"order": {"customer": "Ada", "items": [{"name": "a"}, {"name": "b", "count": 21, "colour": 1}]}}')
    assert "order.items[1].count is not right (received 21); allowed is a whole number from 1 to 20" in inside.reason
    assert "order.items[1].colour is unknown (received 1); the parameters of order.items[1] are: " in inside.reason
    wrong_date = refused(place, '{"order": {"customer": "Ada", "items": [], "due": "2031-02-30"}}')
    assert "order.due is not right" in wrong_date.reason
    assert "valid date" in wrong_date.reason


def test_secrets_are_not_repeated() -> None:
    for arguments in (
        '{"user": "u", "key": ["sk-9876"]}',
        '{"user": "u", "kay": "sk-9876"}',
        '{"user": "u", "key": "sk-9876',
        '["sk-9876"]',
    ):
        refusal = refused(login, arguments)
        assert "9876" not in refusal.reason + refusal.fix


def test_an_imported_tool_is_held_to_its_schema() -> None:
    assert checked(IMPORTED, '{"days": "3", "city": "Oslo", "where": "[1, 2.5]"}') == {
        "city": "Oslo",
        "days": 3,
        "where": [1, 2.5],
    }
    assert checked(IMPORTED, '{"city": "Oslo"}') == {"city": "Oslo"}
    for wrong in ('{"city": "O"}', '{"city": "Oslo", "days": 8}', '{"city": "Oslo", "dayz": 8}', "{}"):
        refused(IMPORTED, wrong)


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        ('{"plan": 3, "more": [true]}', {"plan": 3, "more": [True]}),
        ('"{\\"plan\\": \\"1.\\"}"', {"plan": "1."}),
        ('{"plan": "cut o', {}),
        ("[1]", {}),
        ("", {}),
    ],
)
def test_a_lenient_tool_gets_whatever_could_be_decoded(arguments: str, passed: JSON) -> None:
    assert checked(LENIENT, arguments) == passed


def test_arguments_that_a_person_edited() -> None:
    assert validate_object(add, {"a": "2"}).arguments == {"a": 2, "b": 1}
    assert validate_object(LENIENT, {"x": 1}).arguments == {"x": 1}
    with pytest.raises(CallRefused):
        validate_object(add, {"a": 9})
    with pytest.raises(CallRefused):
        validate_object(add, {"a": float("nan")})


def test_decoding_without_a_tool() -> None:
    assert decode_arguments(call('{"a": 3.10,}')) == ({"a": 3.1}, ("trailing comma removed",))
    decoded, _ = decode_arguments(call('{"a": [1.5]}'))
    assert type(decoded["a"]) is list
    assert type(decoded["a"][0]) is float
    with pytest.raises(CallRefused):
        decode_arguments(call('{"a": ' + "[" * 70 + "]" * 70 + "}"))


# ------------------------------------------------------------------ published definitions
SHARED = Path(__file__).parents[3] / "shared"


def definitions(read: Any) -> list[Any]:
    if "tools" in read:
        return list[Any](read["tools"])
    return list[Any](read)


def published() -> list[tuple[str, JSONObject]]:
    """List the schemas of real servers, and those of a benchmark with their oddities."""
    found: list[tuple[str, JSONObject]] = []
    for path in sorted((SHARED / "mcp_tools").glob("*.json")):
        found += [(made["name"], made["inputSchema"]) for made in definitions(json.loads(path.read_text()))]
    benchmark: list[Any] = json.loads((SHARED / "bfcl_tools.json").read_text())
    return found + [(made["name"], made.get("parameters") or {}) for made in benchmark]


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.exists(), reason="needs ../shared")
def test_published_definitions_take_an_example_of_theirs_and_refuse_rubbish() -> None:
    refusals: list[str] = []
    for name, schema in published():
        made = Tool(name, take, "", wire_schema(schema))
        try:
            validate(made, call(json.dumps(example_arguments(made.parameters))))
        except CallRefused as refusal:
            refusals.append(f"{name}: {refusal.reason}")
        with pytest.raises(CallRefused):
            validate(made, call("rubbish"))
    assert len(refusals) < 5, refusals  # patterns and formats that no example can be made up for


# ------------------------------------------------------------------ what goes back into the history
@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        ('{ "b":1,  "a":"天气" }', '{ "b":1,  "a":"天气" }'),
        ('{"a": 1,}', '{"a":1}'),
        ('"{\\"a\\": 2}"', '{"a":2}'),
        ("", "{}"),
        ("null", "{}"),
        ("[1, 1]", '{"invalid_arguments":"[1, 1]"}'),
        ('{"a": 1', '{"invalid_arguments":"{\\"a\\": 1"}'),
        ('{"a": NaN}', '{"invalid_arguments":"{\\"a\\": NaN}"}'),
        ('{"a": 1, "a": 2}', '{"invalid_arguments":"{\\"a\\": 1, \\"a\\": 2}"}'),
        ("x" * 40_000, '{"invalid_arguments":"' + "x" * 200 + '"}'),
        ("\ud800", '{"invalid_arguments":"?"}'),
    ],
)
def test_the_history_holds_objects_only(arguments: str, kept: str) -> None:
    assert history_arguments(call(arguments)) == kept
    json.loads(kept).items()
    kept.encode()


def test_null_arguments_are_none() -> None:
    assert history_arguments(call("", null=True)) == "{}"


@pytest.mark.parametrize(
    ("name", "accepted"),
    [
        ("add", "add"),
        ("_private-2", "_private-2"),
        ("functions.add", "functions_add"),
        ("multi_tool_use.parallel", "multi_tool_use_parallel"),
        ("two words!", "two_words"),
        ("", "unnamed_tool"),
        ("天气", "unnamed_tool"),
        ("x" * 100_000, "x" * 64),
    ],
)
def test_names_for_the_history(name: str, accepted: str) -> None:
    assert history_name(name) == accepted
