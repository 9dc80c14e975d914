from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prudent.errors import CallRefused
from prudent.tools.decoding import MAX_CHARS, MAX_DEPTH, WrittenFloat, plain, read_json, read_object, read_strictly
from prudent.types import JSON

json_values: st.SearchStrategy[JSON] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(json_values)
def test_valid_json_is_read_as_it_is(value: JSON) -> None:
    assert read_json(json.dumps(value)) == (value, ())
    assert read_json(json.dumps(value, ensure_ascii=False, indent=1)) == (value, ())


@pytest.mark.parametrize("text", ["", "  \n", "null", ' "" ', '"null"'])
def test_nothing_means_no_arguments(text: str) -> None:
    value, repairs = read_object(text)
    assert value == {}
    assert repairs[-1] == "no arguments given: read as {}"


@pytest.mark.parametrize(
    ("text", "value", "repair"),
    [
        ('{"a": 3, "b": 4,}', {"a": 3, "b": 4}, "trailing comma removed"),
        ('{"a": [1, 2, ], }', {"a": [1, 2]}, "trailing comma removed"),
        ('{"a": "x,}",}', {"a": "x,}"}, "trailing comma removed"),
        ('{"a": "say \\",]",}', {"a": 'say ",]'}, "trailing comma removed"),
        ('```json\n{"a": 1}\n```', {"a": 1}, "code fence removed"),
        (' ```\n{"a": "```"}``` ', {"a": "```"}, "code fence removed"),
        ('"{\\"a\\": 1}"', {"a": 1}, "the arguments were encoded twice: decoded"),
        ('{"a": "one\ntwo\tthree"}', {"a": "one\ntwo\tthree"}, "line breaks or tabs inside a string: kept as they stand"),
    ],
)
def test_repairs_that_lose_nothing(text: str, value: JSON, repair: str) -> None:
    assert read_object(text) == (value, (repair,))


def test_several_repairs_at_once() -> None:
    assert read_object('```json\n{"a": "x\ny",}\n```') == (
        {"a": "x\ny"},
        ("code fence removed", "trailing comma removed", "line breaks or tabs inside a string: kept as they stand"),
    )
    thrice = json.dumps(json.dumps(json.dumps({"a": 1})))
    assert read_object(thrice)[0] == {"a": 1}


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ('{"a": 2, "b": ', "invalid_json", "breaks off"),
        ('{"a": 2', "invalid_json", "breaks off"),
        ('{"text": "xxx', "invalid_json", "never closed"),
        ('{"action": listt_windows"}', "invalid_json", "expecting value at character 11"),
        ("{'a': 1}", "invalid_json", "at character 1"),
        ('{"a": 1}{"b": 2}', "invalid_json", "something follows"),
        ("[,]", "invalid_json", "no valid JSON"),
        ('{"a": 1,,}', "invalid_json", "no valid JSON"),
        ('{"a": NaN}', "invalid_json", "finite"),
        ('{"a": -Infinity}', "invalid_json", "finite"),
        ('{"a": 1e999}', "invalid_json", "too large"),
        ('{"a": 1, "b": {"a": 1, "a": 1}}', "invalid_json", '"a" stands twice'),
        ('{"a": "\\ud83d"}', "invalid_json", "half of a character"),
        ('{"a": "\ud83d"}', "invalid_json", "half of a character"),
        ('{"a": ' + "9" * 5000 + "}", "invalid_json", "5000 digits"),
        ("[1, 1]", "invalid_arguments", "a list"),
        ("3", "invalid_arguments", "a number"),
        ("true", "invalid_arguments", "true or false"),
        ('"1 and 1"', "invalid_json", "must be one JSON object"),
        ('"[1]"', "invalid_arguments", "a list"),
        ("[" * 100_000, "invalid_arguments", "nested deeper"),
        ('{"a":' * 100_000, "invalid_arguments", "nested deeper"),
        ("x" * (MAX_CHARS + 1), "invalid_arguments", "characters long"),
    ],
)
def test_everything_else_is_refused(text: str, kind: str, reason: str) -> None:
    with pytest.raises(CallRefused) as caught:
        read_object(text)
    assert caught.value.kind == kind
    assert reason in caught.value.reason
    assert caught.value.fix
    assert len(caught.value.reason) < 500


def test_a_whole_surrogate_pair_is_a_character() -> None:
    assert read_object('{"a": "\\ud83d\\ude00"}') == ({"a": "😀"}, ())


def test_errors_quote_nothing_where_a_secret_may_stand() -> None:
    for text in ('{"key": "sk-12345', '["sk-12345"]', '"sk-12345"', '{"key": sk-12345}', '"[\\"sk-12345\\"]"'):
        with pytest.raises(CallRefused) as caught:
            read_object(text, quoting=False)
        assert "12345" not in caught.value.reason
        with pytest.raises(CallRefused, match="12345"):
            read_object(text)


def test_a_number_remembers_how_it_was_written() -> None:
    number = read_strictly("3.10")
    assert isinstance(number, WrittenFloat)
    assert number.text == "3.10"
    assert type(plain(number)) is float


def test_plain_refuses_what_is_too_deep_or_not_finite() -> None:
    deep: JSON = 1
    for _ in range(MAX_DEPTH):
        deep = [deep]
    assert plain(deep) == deep
    with pytest.raises(CallRefused, match="nested deeper"):
        plain([deep])
    with pytest.raises(CallRefused, match="finite"):
        plain({"a": float("nan")})


@pytest.mark.parametrize(
    "text",
    [
        '"' * 300_000,
        '\\"' * 300_000,
        '{"a": "' + '\\"' * 300_000,
        "," * 300_000,
        "[" + "," * 300_000 + "]",
        "```" + " " * 500_000 + "x",
        "```" * 200_000,
        '{"a": 1' + ", " * 300_000,
        '{"a": [' + "1," * 300_000,
        " " * 900_000 + ",",
    ],
)
def test_hostile_strings_take_no_long_time(text: str) -> None:
    start = time.process_time()
    with pytest.raises(CallRefused):
        read_object(text)
    assert time.process_time() - start < 2


@settings(deadline=None)
@given(st.text(alphabet='{}[]",:\\`n1.e-tru falsN\n\ud800', max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        value, _ = read_object(text)
    except CallRefused:
        return
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
