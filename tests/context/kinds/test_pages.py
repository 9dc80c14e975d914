"""HTML to text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.context.kinds.pages import looks_like_page, page_text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>One <b>two</b>\n   three.</p><p>Four</p>", "One two three.\n\nFour"),
        ("<h1>Prices</h1><ul><li>a</li><li>b</li></ul>", "# Prices\n\n- a\n- b"),
        ("<a href='/x?a=1&amp;b=2'>here</a>", "here (/x?a=1&b=2)"),
        ('<a href="#top">up</a>', "up"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<pre>  x\n    y</pre>", "x\n    y"),
        ("&lt;p&gt; &amp; &#20320;&#22909;", "<p> & 你好"),
        ("<script>if (a < b) alert('<p>no</p>')</script>yes<style>p{}</style>", "yes"),
        ("<head><title>T &amp; U</title><meta x></head><body>b</body>", "T & U\n\nb"),
        ("3 < 4 and 5 > 4", "3 < 4 and 5 > 4"),
        ('<img alt="a cat" src="x.png">', "[picture: a cat]"),
        ('<p title="a > b">text</p>', "text"),
        ("<!-- <p>hidden</p> -->shown<!-- unclosed", "shown"),
    ],
)
def test_a_page_reads_as_its_reader_sees_it(source: str, text: str) -> None:
    assert page_text(source) == text


def test_a_table_is_read_by_rows() -> None:
    lines = page_text("<table><tr><th>City</th><th>Sales</th></tr><tr><td>Graz</td><td>3</td></tr></table>").splitlines()
    assert [line for line in lines if line] == ["City | Sales |", "Graz | 3 |"]


@pytest.mark.parametrize(
    "source",
    [
        "<" * 200_000,
        "<!--" * 50_000,
        "<a " * 60_000,
        "<a x=\"'" * 30_000,
        "<head>" * 30_000,
        "<svg" * 50_000,
        "<noscript>" * 20_000,
        "<p " + "x " * 200_000,
        "&" * 200_000,
        "<script>" * 30_000 + "</script",
    ],
    ids=lambda source: source[:10],
)
def test_broken_pages_are_read_in_one_pass(source: str) -> None:
    before = time.process_time()
    page_text(source)
    assert time.process_time() - before < 2


@given(st.text(alphabet="<>/!-\"'= abphref&;#\n", max_size=300))
def test_nothing_breaks_the_reader(source: str) -> None:
    page_text(source)


def test_documents_are_told_from_pieces() -> None:
    assert looks_like_page("  <!DOCTYPE html><html>")
    assert looks_like_page("<html lang='en'>")
    assert looks_like_page("<!-- made by x --> <html>")
    assert not looks_like_page("<p>a piece</p>")
    assert not looks_like_page("a <html> in a text")
