"""What a standing rule covers, and how it is read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.standing import StandingRule, argument_text, exact_globs, holds_hidden, rule_of, unfit_for_rule
from prudent.types import JSON, JSONObject

VALUES: st.SearchStrategy[JSON] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
ARGUMENTS: st.SearchStrategy[JSONObject] = st.dictionaries(st.text(max_size=4), VALUES, max_size=3)


def exact(arguments: JSONObject) -> StandingRule:
    return StandingRule("r1", "delete", exact_globs(arguments), exact=True)


@given(ARGUMENTS)
def test_an_exact_rule_covers_its_own_call_and_no_longer_one(arguments: JSONObject) -> None:
    rule = exact(arguments)
    assert rule.covers("delete", arguments)
    assert not rule.covers("delete", {**arguments, "another": 1})
    assert not rule.covers("drop", arguments)


@given(ARGUMENTS, ARGUMENTS)
def test_an_exact_rule_covers_no_other_arguments(arguments: JSONObject, others: JSONObject) -> None:
    texts, other_texts = ({name: argument_text(value) for name, value in a.items()} for a in (arguments, others))
    assert exact(arguments).covers("delete", others) is (texts == other_texts)


@pytest.mark.parametrize("text", ["*", "a*b", "[ab]", "?", "[[]", "[!a]", "]", "[*]", "a\nb"])
def test_a_text_that_looks_like_a_pattern_is_taken_as_text(text: str) -> None:
    rule = exact({"path": text})
    assert rule.covers("delete", {"path": text})
    for other in ("a", "axb", "x", "[", "*x"):
        assert rule.covers("delete", {"path": other}) is (other == text)


def test_named_arguments_matter_and_the_others_are_free() -> None:
    rule = StandingRule("r1", "delete", {"path": "/scratch/*"})
    assert rule.covers("delete", {"path": "/scratch/x\ny", "force": True})
    assert not rule.covers("delete", {"path": "/system/x"})
    assert not rule.covers("delete", {"force": True})


def test_an_object_is_the_same_in_whatever_order_it_came() -> None:
    assert exact({"filter": {"a": 1, "b": "二"}}).covers("delete", {"filter": {"b": "二", "a": 1}})


@pytest.mark.parametrize(
    ("globs", "is_exact", "words"),
    [
        ({"path": "/scratch/*"}, False, "`delete` runs unasked when path is /scratch/*"),
        ({"path": "/scratch/*", "id": "7"}, False, "`delete` runs unasked when path is /scratch/* and id is 7"),
        ({"id": "7"}, True, "`delete` runs unasked when id is 7, with no other argument"),
        (exact_globs({"path": "a*[b]"}), True, '`delete` runs unasked when path is "a*[b]", with no other argument'),
        (exact_globs({"text": "two words", "to": ""}), True,
         '`delete` runs unasked when text is "two words" and to is "", with no other argument'),
        ({}, True, "`delete` runs unasked when it has no arguments"),
    ],
)  # fmt: skip
def test_a_rule_in_words(globs: dict[str, str], words: str, *, is_exact: bool) -> None:
    assert StandingRule("r1", "delete", globs, is_exact).words == words


def test_a_long_pattern_is_cut_in_words() -> None:
    assert len(StandingRule("r1", "delete", {"text": "x" * 1000}).words) < 300


@given(arguments=ARGUMENTS, is_exact=st.booleans())
def test_a_rule_is_read_back_as_it_was_written(arguments: JSONObject, *, is_exact: bool) -> None:
    rule = StandingRule("r1", "delete", exact_globs(arguments), is_exact)
    assert rule_of(json.loads(json.dumps(rule.as_json()))) == rule


@pytest.mark.parametrize("data", [None, "x", 3, [], {}, {"globs": None}])
def test_anything_else_is_no_rule(data: JSON) -> None:
    assert rule_of(data) is None


def test_what_was_hidden_or_is_too_long_is_unfit() -> None:
    globs = exact_globs({"key": "[secret]", "command": "curl -H '[redacted: github token]'", "text": "x" * 3000, "to": "ann"})
    assert unfit_for_rule(globs) == ["key", "command", "text"]
    assert holds_hidden("x [redacted: api key] y")
    assert not holds_hidden("[rs]edacted")
