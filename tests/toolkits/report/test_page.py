from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from prudent.toolkits.report.content import Chart, Figure, Section, Table
from prudent.toolkits.report.page import to_page

ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "main", "section", "h1", "h2", "h3", "h4", "h5", "h6", "p", "div"),
    *("table", "thead", "tbody", "tr", "th", "td", "figure", "svg", "text", "rect", "line", "polyline", "circle", "dl", "dt"),
    *("dd", "sup", "a", "strong", "em", "code", "pre", "ul", "ol", "li", "blockquote", "hr", "br"),
}
VOID = {"meta", "hr", "br", "polyline"}


class Outline(HTMLParser):
    """What a browser would see: elements, open ones, links and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_holds_everything_and_loads_nothing(sections: list[Section]) -> None:
    outline = Outline(to_page("Trip costs", sections))
    assert set(outline.tags) <= ALLOWED
    assert outline.open == []
    assert {name for name, _ in outline.attributes}.isdisjoint({"src", "onclick", "onload", "xlink:href"})
    assert [value for name, value in outline.attributes if name == "href"] == ["#source-1", "#source-2", "#source-3"]
    assert ("id", "source-3") in outline.attributes
    for words in (
        "Trip costs",
        "The trip costs",
        "96 EUR",
        "Germany",
        "58.5",
        "calculator: 3 * 32 EUR",
        "Where the figures come from",
    ):
        assert words in outline.text


def test_every_source_call_stands_at_the_end(sections: list[Section]) -> None:
    page = to_page("Trip costs", sections)
    end = page[page.index('class="sources"') :]
    assert all(call in end for call in ("calculator: 3 * 32 EUR", "search_knowledge: per diem", "counted"))


def test_without_figures_there_is_no_list_of_sources() -> None:
    assert "sources" not in to_page("T", [Section("H", "text")]).split("</style>")[1]


def test_the_language_follows_the_title(sections: list[Section]) -> None:
    assert '<html lang="en">' in to_page("Trip costs", sections)
    chinese = to_page("出差费用", sections)
    assert '<html lang="zh-CN">' in chinese
    assert "数据来源" in chinese


EVIL = "</style></title><script>alert(1)</script><img src=x onerror=alert(1)>\"'&"


def test_whatever_is_given_is_only_shown() -> None:
    sections = [
        Section(EVIL, EVIL + "\n\n[link](javascript:alert(1)) ![picture](https://example.org/x.png)\n\n" + EVIL),
        Section("T", table=Table([EVIL], [[EVIL]]), figures=[Figure(EVIL, EVIL, EVIL)]),
        *(Section("C", chart=Chart(kind, [EVIL, "b"], [1, 2], EVIL)) for kind in ("bar", "line", "pie")),
    ]
    outline = Outline(to_page(EVIL, sections))
    assert set(outline.tags) <= ALLOWED
    assert outline.open == []
    links = {value for name, value in outline.attributes if name == "href"}
    assert links == {"#source-1", "https://example.org/x.png"}, "a link may be followed, but nothing is loaded or run"
    assert not [name for name, _ in outline.attributes if name.startswith("on") or name == "src"]


@given(st.text(max_size=200), st.text(max_size=40))
@settings(max_examples=100, deadline=None)
def test_any_text_gives_a_sound_page(text: str, label: str) -> None:
    section = Section(label, text, Table([label], [[text]]), Chart("bar", [label], [1]), [Figure("1", label, text)])
    page = to_page(label, [section])
    page.encode("utf-8")
    outline = Outline(page)
    assert set(outline.tags) <= ALLOWED
    assert outline.open == []
