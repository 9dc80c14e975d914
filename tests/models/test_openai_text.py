from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.models.openai_text import ThinkTags, WholeCharacters, mended


def divide(*pieces: str) -> tuple[str, str]:
    tags = ThinkTags()
    thinking, text = zip(*[*(tags.feed(piece) for piece in pieces), tags.finish()], strict=True)
    return "".join(thinking), "".join(text)


@pytest.mark.parametrize(
    ("whole", "thinking", "text"),
    [
        ("plain <think>no</think>", "", "plain <think>no</think>"),
        ("<think>so</think>\n\nanswer", "so", "answer"),
        ("\n <think>\nso\n</think>answer</think>", "\nso\n", "answer</think>"),
        ("<think>cut off", "cut off", ""),
        ("<think>a</thin", "a</thin", ""),
        ("<think></think>", "", ""),
        ("<thi", "", "<thi"),
        ("  <b>", "", "  <b>"),
        ("  ", "", "  "),
        ("", "", ""),
    ],
)
@given(size=st.integers(1, 9))
def test_thinking_at_the_head_is_told_from_the_answer(whole: str, thinking: str, text: str, size: int) -> None:
    assert divide(*(whole[at : at + size] for at in range(0, len(whole), size))) == (thinking, text)


@given(st.lists(st.sampled_from(["<think>", "</think>", "a", " ", "<", "中"])), st.integers(1, 5))
def test_nothing_is_lost_but_tags_and_blanks(parts: list[str], size: int) -> None:
    whole = "".join(parts)
    thinking, text = divide(*(whole[at : at + size] for at in range(0, len(whole), size)))
    for tag in ("<think>", "</think>"):
        whole, thinking, text = whole.replace(tag, ""), thinking.replace(tag, ""), text.replace(tag, "")
    assert "".join(whole.split()) == "".join((thinking + text).split())


@given(st.text(), st.integers(1, 3))
def test_a_character_cut_in_two_is_shown_whole(text: str, size: int) -> None:
    halves = "".join(chr(unit) for unit in memoryview(text.encode("utf-16-le")).cast("H")) if text else ""
    out = WholeCharacters()
    shown = "".join(out.feed(halves[at : at + size]) for at in range(0, len(halves), size))
    assert shown == text
    assert mended(halves) == text


def test_a_lone_half_cannot_be_written_and_is_replaced() -> None:
    assert mended("a\ud83d b") == "a\ufffd b"
    out = WholeCharacters()
    assert out.feed("x\ud83d") == "x"
    assert out.feed("y") == "\ufffdy"
