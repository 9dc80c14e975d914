"""One definition for several: parameters joined, what differs said, the name chosen."""

from __future__ import annotations

import pytest
from tests.design.audit.kit import spec

from prudent.design.audit.merge import merge
from prudent.messages import ToolSpec
from prudent.tools.nodes import as_object

BY_ID = spec("get_user_by_id", "Get a user by id.", ["user_id"], user_id="", limit={"type": "integer", "maximum": 5})
BY_MAIL = spec(
    "get_user_by_email", "Get a user by e-mail address.", ["email"], email="", limit={"type": "integer", "maximum": 9}
)


def properties(of: ToolSpec) -> dict[str, object]:
    return dict(as_object(of.parameters["properties"]))


def test_a_family_becomes_one_tool_that_says_what_to_give():
    merged = merge([BY_ID, BY_MAIL])
    assert merged.spec.name == "get_user"
    assert merged.replaces == ("get_user_by_id", "get_user_by_email")
    assert [*properties(merged.spec)] == ["user_id", "limit", "email"]
    assert "required" not in merged.spec.parameters
    assert "by e-mail address" in merged.spec.description
    assert merged.spec.description.endswith("Give exactly one of these: user_id or email.")
    assert properties(merged.spec)["limit"] == {"type": "integer", "maximum": 9}


def test_a_name_that_another_tool_has_is_not_taken():
    assert merge([BY_ID, BY_MAIL], taken=["get_user"]).spec.name == "get_user_by_id"


def test_what_all_require_stays_required():
    one = spec("read_text", "Read a file.", ["path"], path="", head="")
    other = spec("read_binary", "Read a file as bytes.", ["path", "size"], path="", size="")
    merged = merge([one, other]).spec
    assert merged.parameters["required"] == ["path"]
    assert "exactly one" not in merged.description


def test_parameters_that_got_the_same_values_are_one():
    one, other = spec("get_weather", "", ["city"], city=""), spec("fetch_weather", "", ["location"], location="")
    assert [*properties(merge([one, other]).spec)] == ["city", "location"]
    renames = {("fetch_weather", "location", "get_weather", "city"): 2}
    merged = merge([one, other], renames=renames)
    assert [*properties(merged.spec)] == ["city"]
    assert merged.spec.parameters["required"] == ["city"]
    assert merged.names["fetch_weather"] == {"location": "city"}


def test_parameters_of_other_types_stay_apart():
    one = spec("list_a", "", (), since={"type": "string"})
    other = spec("list_b", "", (), since={"type": "integer"})
    assert merge([one, other]).names["list_b"] == {"since": "since_2"}


def test_choices_are_joined_and_the_longer_description_stays():
    one = spec("list_a", "", (), sort={"type": "string", "enum": ["name", "size"], "description": "How."})
    other = spec("list_b", "", (), sort={"type": "string", "enum": ["size", "age"], "description": "How it is sorted."})
    assert properties(merge([one, other]).spec)["sort"] == {
        "type": "string",
        "enum": ["name", "size", "age"],
        "description": "How it is sorted.",
    }


def test_sentences_about_the_merged_tools_go():
    one = spec("read_file", "Read a file. Use `read_text_file` for text.")
    other = spec("read_text_file", "Read a file. Decodes umlauts properly.")
    assert merge([one, other]).spec.description == "Read a file. Decodes umlauts properly."


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_chinese_stays_chinese(order: tuple[int, int]):
    pair = spec("查询订单", "查询用户的订单", ["编号"], 编号=""), spec("获取订单", "获取用户的快递", ["电话"], 电话="")
    merged = merge([pair[at] for at in order])
    assert merged.spec.name == pair[order[0]].name
    assert "必须且只能给出其中一组参数：" in merged.spec.description
