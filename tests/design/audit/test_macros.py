"""Macros written out: parameters from outside, values from earlier steps, and what is missing."""

from __future__ import annotations

from tests.design.audit.kit import facts, spec

from prudent.design.audit.flow import Origin, Step
from prudent.design.audit.macros import draft_macro
from prudent.design.audit.sequences import Repeated

TOOLS = spec("find", "", (), words={"type": "string", "description": "Words."}), spec("open", "", (), id="", words="")


def repeated(*steps: Step) -> Repeated:
    return Repeated(tuple(step.tool for step in steps), 9, 9, 1.0, 9, steps, ())


def test_steps_are_written_with_what_flows():
    found = repeated(
        Step("find", (("limit", Origin("constant", value="5")), ("words", Origin("given")))),
        Step(
            "open",
            (("id", Origin("result", 0, "hits[0].id", path=("hits", 0, "id"))), ("words", Origin("argument", 0, "words"))),
        ),
    )
    draft = draft_macro(found, facts([], *TOOLS))
    assert draft.steps == ("find(limit=5, words=$words)", "open(id=$1.hits[0].id, words=$words)")
    assert draft.spec.name == "find_then_open"
    assert draft.spec.parameters == {
        "type": "object",
        "properties": {"words": {"type": "string", "description": "Words."}},
        "required": ["words"],
        "additionalProperties": False,
    }
    assert draft.missing == ()
    assert draft.code == (
        "from prudent.tools.macro import given, macro, result, step\n\n# It needs find, open of your module.\n\n\n"
        "@macro(\n    steps=[\n"
        '        step("find", find, limit=5, words=given("words")),\n'
        '        step("open", open, id=result("find", "hits", 0, "id"), words=given("words")),\n'
        "    ],\n)\n"
        "def find_then_open(words: str) -> str:\n"
        '    """Do in one call, up to the first that fails: find, open.\n\n    Args:\n        words: Words.\n'
        '    """\n'
    )


def test_two_parameters_of_one_name_are_told_apart():
    found = repeated(Step("find", (("words", Origin("given")),)), Step("open", (("words", Origin("given")),)))
    draft = draft_macro(found, facts([], *TOOLS), taken=["find_then_open"])
    assert draft.steps == ("find(words=$words)", "open(words=$open_words)")
    assert draft.spec.name == "find_then_open_2"


def test_a_value_out_of_a_text_has_to_become_a_field():
    found = repeated(Step("find", ()), Step("open", (("id", Origin("result", 0, "")),)))
    draft = draft_macro(found, facts([], *TOOLS))
    assert draft.steps == ("find()", "open(id=$1.id)")
    assert draft.missing == ("step 1 has to return id as a field: models took it from its text",)


def test_names_stay_short_enough():
    tools = [f"a_rather_long_name_of_a_tool_{at}" for at in range(5)]
    assert len(draft_macro(repeated(*(Step(tool, ()) for tool in tools)), facts([])).spec.name) <= 64


def test_a_tool_that_comes_twice_and_names_that_are_no_python():
    found = repeated(
        Step("web-find", (("max-hits", Origin("given")),)),
        Step("web-find", (("q", Origin("result", 0, "", path=())), ("tags", Origin("constant", value='["a", NaN, null]')))),
    )
    code = draft_macro(found, facts([])).code
    compile(code, "pasted.py", "exec")
    assert 'step("web-find 1", web_find, **{"max-hits": given("max_hits")}),' in code
    assert 'step("web-find 2", web_find, q=result("web-find 1", "q"), tags=["a", float("nan"), None]),' in code


def test_what_step_keeps_for_itself_cannot_be_written():
    assert draft_macro(repeated(Step("find", (("undo", Origin("given")),)), Step("open", ())), facts([])).code == ""
