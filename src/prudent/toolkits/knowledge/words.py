"""Words of a text, as they are indexed and looked for.

Languages with spaces give words; the stemming is left to SQLite's porter tokenizer. Chinese, Japanese and Korean, which
have no spaces to go by, give overlapping pairs of characters. Both live in one index.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_UNSPACED = (
    "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\u3040-\u309f\u30a0-\u30fa\u30fc-\u30ff"  # kana
    "\uac00-\ud7af\u1100-\u11ff"  # Hangul
    "\U00020000-\U0003ffff"  # rarer Han
)
_TOKEN = re.compile(rf"(?P<run>[{_UNSPACED}]+)|(?P<word>[^\W_{_UNSPACED}]+)")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")

_MAX_WORD = 40
MAX_QUERY_WORDS = 48

_QUESTION_WORDS = """
a about after again all also am an and any are as at be because been before being both but by can cannot could did do does
doing done each else for from get gets give had has have having he her here hers him his how i if in into is it its just let
like long many may me might mine more most much must my need no nor not of off on once one only or other our ours out over own
please same shall she should so some such tell than that the their theirs them then there these they this those through to too
under until up us very want was we were what when where whether which while who whom whose why will with would you your yours
"""
_STOP_WORDS = frozenset(_QUESTION_WORDS.split())
"""Words of English questions that say nothing of the subject."""

_STOP_RUNS = re.compile(
    "请问|什么样|什么时候|什么|怎么样|怎么办|怎么|怎样|如何|多少|多久|多长时间|多长|哪些|哪个|哪里|哪儿|哪|谁|几天|几个|几|为何|为什么|几时|"
    "是否|能否|可否|可不可以|能不能|是不是|有没有|可以|一下|告诉我|我想知道|我们|你们|他们|它们|的话|有|的|了|吗|呢|吧|啊|我|你"
)
"""The same for Chinese. They are taken out before pairs are formed."""


def text_words(text: str) -> list[str]:
    """Give the words of a text in order, as the index stores them."""
    return list(_words(text, whole_runs=True))


def query_words(query: str) -> list[str]:
    """Give the different words to look for: those of the query without words that say nothing, or all when it has no others."""
    kept = _STOP_RUNS.sub(" ", query)
    telling = [word for word in _words(kept, whole_runs=False) if word not in _STOP_WORDS and not _is_letter(word)]
    words = telling or list(_words(query, whole_runs=False))
    return list(dict.fromkeys(words))[:MAX_QUERY_WORDS]


def match_expression(word: str) -> str:
    """Write a word so that SQLite's full-text search takes it as nothing but a word."""
    # A lone character of an unspaced language begins the pair that it stands in.
    return f'"{word}"*' if len(word) == 1 and re.match(f"[{_UNSPACED}]", word) else f'"{word}"'


def width(text: str) -> int:
    """Measure a text in narrow characters; a wide one (Han, kana, Hangul) counts two."""
    return len(text) + sum(1 for character in text if unicodedata.east_asian_width(character) in "WF")


def _words(text: str, *, whole_runs: bool) -> Iterator[str]:
    plain = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", text).casefold())
    for match in _TOKEN.finditer(plain):
        run = match["run"]
        if run is None:
            yield match["word"][:_MAX_WORD]
            continue
        yield from (run[at : at + 2] for at in range(len(run) - 1))
        if whole_runs or len(run) == 1:
            yield run[-1]


def _is_letter(word: str) -> bool:
    return len(word) == 1 and word.isascii() and word.isalpha()
