from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from prudent.context.counting import IMAGE_TOKENS, TokenCounter, best_count, estimate_tokens
from prudent.exchange import ModelRequest
from prudent.messages import Image, Message, ToolCall, ToolSpec


def test_english_takes_about_a_quarter_of_its_characters() -> None:
    assert 20 <= estimate_tokens("The quick brown fox jumps over the lazy dog, twice a day, and sleeps at night.") <= 25


def test_chinese_takes_nearly_a_token_a_character() -> None:
    assert 12 <= estimate_tokens("今天北京的天气很好,适合出门散步。") <= 16


def test_accents_and_emoji_are_no_chinese() -> None:
    assert estimate_tokens("é" * 100) <= 60
    assert estimate_tokens("\ud800") >= 0


def test_a_message_counts_with_its_calls_and_pictures() -> None:
    counter = TokenCounter()
    plain = counter.message(Message("assistant", "x" * 37))
    assert counter.message(Message("assistant", "x" * 37, (ToolCall("c", "look", '{"at": "somewhere"}'),))) > plain
    assert counter.message(Message("user", images=(Image("image/png", b"x" * 10**6),))) < 2 * IMAGE_TOKENS


def test_usage_is_marked_as_an_estimate() -> None:
    tools = (ToolSpec("look", "Look at a place." * 10, {"type": "object"}),)
    usage = TokenCounter().usage(ModelRequest([Message("user", "word " * 100)], tools), Message("assistant", "yes " * 10))
    assert usage.estimated
    assert usage.input_tokens > 150
    assert usage.output_tokens >= 10


def test_a_tokenizer_is_used_only_where_its_vocabulary_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[str] = []

    def get_encoding(name: str) -> object:
        fetched.append(name)
        return SimpleNamespace(encode_ordinary=str.split)

    monkeypatch.setitem(sys.modules, "tiktoken", SimpleNamespace(get_encoding=get_encoding))  # pyright: ignore[reportArgumentType]
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    best_count.cache_clear()
    assert best_count() is estimate_tokens
    assert not fetched
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "/somewhere")
    best_count.cache_clear()
    assert best_count()("one two three") == 3
    monkeypatch.setitem(sys.modules, "tiktoken", None)  # pyright: ignore[reportArgumentType]
    best_count.cache_clear()
    assert best_count() is estimate_tokens
    best_count.cache_clear()
