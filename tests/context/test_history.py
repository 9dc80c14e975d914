from __future__ import annotations

from prudent.context.counting import TokenCounter
from prudent.context.history import EARLIER, UNFINISHED, history_messages
from prudent.messages import Message


def test_what_was_said_comes_as_messages() -> None:
    said = [("What is it?", "A boat.", True), ("How long?", "About", False)]
    assert history_messages(said, 32_768) == [
        Message("user", "What is it?"),
        Message("assistant", "A boat."),
        Message("user", "How long?"),
        Message("assistant", f"About\n{UNFINISHED['en']}"),
    ]
    assert history_messages([], 32_768) == []


def test_a_long_conversation_is_put_together_from_its_beginning() -> None:
    said = [(f"question {n} about the harbour", f"answer {n}. " + "More words about it. " * 60, True) for n in range(60)]
    messages = history_messages(said, 8192)
    assert TokenCounter().messages(messages) < 8192 * 0.45
    assert messages[0].role == "user"
    assert messages[0].text.startswith(EARLIER["en"])
    assert messages[-1].text == said[-1][1]
    whole = [message.text for message in messages[1:] if message.role == "user"]
    first_whole = int(whole[0].split()[1])
    assert f"Q: question {first_whole - 1} " in messages[0].text
    assert f"question {first_whole} " not in messages[0].text


def test_one_huge_answer_is_cut_and_says_so() -> None:
    messages = history_messages([("q", "字" * 100_000, True)], 128_000)
    assert "left out]" in messages[1].text
    assert len(messages[1].text) < 7000
    assert history_messages([("q", "字" * 100_000, True)], 2000, "zh")[0].text.startswith(EARLIER["zh"])
