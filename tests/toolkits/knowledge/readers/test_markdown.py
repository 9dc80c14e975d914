from __future__ import annotations

from prudent.toolkits.knowledge.documents import Block
from prudent.toolkits.knowledge.readers.markdown import read_markdown

TEXT = """\
# Returns

Intro.

## Yearly *plans* and [links](https://example.org)
A yearly plan.

```
# no heading
```

### Deep `code`
deep

> # quoted

Setext
------
snake_case stays

| a | b |
|---|---|
| 1 | 2 |
"""


def test_text_stands_under_its_headings_with_its_line() -> None:
    document = read_markdown(TEXT.encode())
    assert document.title == "Returns"
    assert document.blocks == (
        Block("Intro.", (), "line 3"),
        Block("A yearly plan.", ("Yearly plans and links",), "line 6"),
        Block("```\n# no heading\n```", ("Yearly plans and links",), "line 8"),
        Block("deep", ("Yearly plans and links", "Deep code"), "line 13"),
        Block("> # quoted", ("Yearly plans and links", "Deep code"), "line 15"),
        Block("snake_case stays", ("Setext",), "line 19"),
        Block("| a | b |\n|---|---|\n| 1 | 2 |", ("Setext",), "line 21"),
    )


def test_front_matter_gives_the_title_and_is_no_text() -> None:
    document = read_markdown(b'---\ntitle: "The title"\ntags: [x]\n---\n# Heading\ntext\n')
    assert document.title == "The title"
    assert document.blocks == (Block("text", ("Heading",), "line 6"),)


def test_several_headings_of_the_first_level() -> None:
    document = read_markdown("# 一\n甲\n# 二\n乙\n".encode())
    assert document.title == "一"
    assert [block.heading for block in document.blocks] == [(), ("二",)]


def test_line_ends_of_other_systems() -> None:
    assert read_markdown(b"# A\r\n\r\ntext\r\n").blocks == read_markdown(b"# A\n\ntext\n").blocks
    assert read_markdown(b"").blocks == ()
