"""Measuring text in English and Chinese: words, what they have in common, and an estimate of tokens."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache

WORDS_A_HAN_CHARACTER = 0.65
"""130 English words say about as much as 200 Chinese characters."""

_TOKENS_A_HAN_CHARACTER = 0.8
_CHARACTERS_A_TOKEN = 4.0
_MARKS_A_TOKEN = 2.9

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_HAN_RUN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\u3000-\u303f]")
_MARK = re.compile(r"[^\w\s]|_")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’]*|\d+(?:\.\d+)?")
_NAME_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[\u3400-\u9fff]{1,2}")

_EMPTY_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a about above after all also an and any are as at based be been before being between both but by can could
        currently do does each either etc every for from function given has have he her his how i if in into is it its
        itself let like may me might more most must my need needs no not of on one only onto or other our out over own
        per please provided provides s same shall she should so some specific specified such t than that the their them
        then there these they this those to tool under up upon use used uses using via was we were what when where
        which while who will with within without would you your""",
    )
)
_EMPTY_HAN = re.compile(r"[的了是在和与或及于对为将把被从到按用中上下其该此这那个些所有以可能会并等一]")


def is_chinese(text: str) -> bool:
    """Whether a text is written in Chinese: at least a fifth of its words are."""
    han = len(_HAN.findall(text))
    return han > 0 and han * WORDS_A_HAN_CHARACTER >= 0.2 * word_count(text)


def word_count(text: str) -> float:
    """Count words; Chinese, which has no spaces, by its characters (see `WORDS_A_HAN_CHARACTER`)."""
    return len(_WORD.findall(text)) + len(_HAN.findall(text)) * WORDS_A_HAN_CHARACTER


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a model counts for a text: an estimate only, since each model has its own vocabulary."""
    wide = len(_WIDE.findall(text))
    marks = len(_MARK.findall(_WIDE.sub("", text)))
    rest = len(text) - wide - marks
    return math.ceil(wide * _TOKENS_A_HAN_CHARACTER + marks / _MARKS_A_TOKEN + rest / _CHARACTERS_A_TOKEN)


def name_parts(name: str) -> list[str]:
    """Split a name into lower-case words, however they are joined: `getUserByID` and `get_user_by_id` alike.

    Of Chinese, where nothing parts the words, two characters count as a word.
    """
    return [part.lower() for part in _NAME_PART.findall(name)]


def content_words(text: str) -> list[str]:
    """List the words that carry meaning, reduced to their stems; of Chinese the pairs of characters."""
    english = [stem(word.lower()) for word in _WORD.findall(text) if word.lower() not in _EMPTY_WORDS and len(word) > 1]
    return [*english, *_han_pairs(text)]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Cut an English word's inflection off: `searches`, `searching` and `searched` all give `search`."""
    word = word.removesuffix("'s").removesuffix("’s")
    for ending, put in (("ies", "y"), ("ying", "y"), ("ied", "y")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + put
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith(("ss", "us", "is")):
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def canonical(word: str) -> str:
    """Give one word for all that mean the same in a tool's name: `fetch`, `retrieves` and `get` all give `get`."""
    reduced = stem(word)
    return _CANONICAL.get(reduced, reduced)


def _han_pairs(text: str) -> Iterator[str]:
    for run in _HAN_RUN.findall(text):
        for piece in _EMPTY_HAN.split(run):
            if len(piece) == 1:
                yield piece
            yield from (piece[at : at + 2] for at in range(len(piece) - 1))


_SAME_MEANING = (
    ("get", "fetch", "retrieve", "obtain", "read", "load", "show", "view", "display"),
    ("search", "find", "lookup", "query", "locate", "discover"),
    ("delete", "remove", "erase", "drop", "destroy", "unlink"),
    ("create", "make", "add", "new", "generate", "insert"),
    ("update", "edit", "modify", "change", "set", "alter", "adjust"),
    ("calculate", "compute", "calc", "determine", "evaluate", "work"),
    ("send", "post", "submit", "dispatch"),
    ("run", "execute", "start", "launch", "perform", "trigger", "invoke"),
    ("list", "enumerate"),
    ("获取", "查询", "读取", "查看"),
    ("删除", "移除", "清除"),
    ("创建", "新建", "添加", "新增"),
    ("更新", "修改", "编辑"),
)
_CANONICAL = {stem(word): group[0] for group in _SAME_MEANING for word in group}
