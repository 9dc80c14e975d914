from __future__ import annotations

import time

from prudent.toolkits.knowledge.documents import Block
from prudent.toolkits.knowledge.readers.page import read_page

PAGE = """<!doctype html>
<html><head><meta charset="utf-8"><title>Travel &amp; costs</title>
<script>var evil = "<p>not shown</p>"</script><style>p { color: red }</style>
<body>
<h1>Travel costs</h1>
<p>Intro <b>bold</b>
goes on<br>next line.</p>
<h2>Per <em>diem</em></h2>
<table><tr><th></th><th>Full day</th><tr><td>Germany<td>32 EUR</tr><tr><td>France</td><td><p>44 EUR</p></td></tr></table>
<ul><li>one</li><li>two <b>bold</b></li></ul>
<h3>Sub</h3>sub text
<h2>Next</h2>end
<script>unclosed"""


def test_text_rows_and_lists_stand_under_their_headings() -> None:
    document = read_page(PAGE.encode())
    assert document.title == "Travel & costs"
    assert document.blocks == (
        Block("Intro bold goes on\nnext line.", (), "line 6"),
        Block("|  | Full day |\n| Germany | 32 EUR |\n| France | 44 EUR |", ("Per diem",), "line 9"),
        Block("- one\n- two bold", ("Per diem",), "line 10"),
        Block("sub text", ("Per diem", "Sub"), "line 11"),
        Block("end", ("Next",), "line 12"),
    )


def _text(page: str) -> str:
    return "\n".join(block.text for block in read_page(page.encode()).blocks)


def test_hidden_text_is_not_read() -> None:
    page = """<p hidden>one<p>two</p><div style="Display : none"><p>three</p></div><span aria-hidden="true">four</span>
    <noscript>five</noscript><template>six</template><!-- seven --><svg><title>eight</title></svg>
    <ul><li hidden>nine<li>ten</ul>"""
    assert _text(page) == "two\n- ten"


def test_pages_that_nobody_closed() -> None:
    assert _text("<head><title>t<body>text") == ""
    assert _text("<head><title>t</title><body>text<p>more") == "text\nmore"
    assert _text("<table><tr><td>a<td>b<tr><td>c") == "| a | b |\n| c |"
    assert _text("</p></div></td></tr>text</table>") == "text"
    assert _text("no markup & at < all") == "no markup & at < all"


def test_tables_in_tables_lose_no_text() -> None:
    text = _text("<table><tr><td>a<table><tr><td>inner</td></tr></table></td><td>b</td></tr></table>after")
    assert all(word in text for word in ("a", "inner", "b", "after"))


def test_the_declared_encoding_counts() -> None:
    page = '<meta http-equiv="Content-Type" content="text/html; charset=gb2312"><p>年度套餐</p>'
    document = read_page(page.encode("gbk"))
    assert document.blocks[0].text == "年度套餐"
    assert document.notes == ()


def test_deep_and_large_pages_take_no_time() -> None:
    started = time.process_time()
    read_page(b"<div>" * 50_000 + b"x")
    read_page(b"<p hidden>" * 20_000 + b"x")
    read_page(b"<li>word " * 20_000)
    read_page(b"<table>" + b"<tr><td>word" * 20_000)
    assert time.process_time() - started < 3
