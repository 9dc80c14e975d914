"""The page: one file, no script, everything escaped, pictures of what was found."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

from tests.design.audit.kit import call, facts, failed, spec

from prudent.design.audit.charts import bar_chart, escape, twin_map
from prudent.design.audit.facts import Facts
from prudent.design.audit.page import audit_page
from prudent.design.audit.report import audit
from prudent.design.audit.usage import tool_uses

EVIL = '</title><script>alert("x")</script>\x00\u202e'
VOID = {"meta", "br", "line", "circle", "rect", "path"}


class Balanced(HTMLParser):
    """Checks that what is opened is closed, in order, and gathers the names of all elements."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def elements(page: str) -> set[str]:
    reader = Balanced()
    reader.feed(page)
    assert reader.open == []
    return reader.seen


def confused() -> Facts:
    twins = (
        spec("get_weather", "Get the current weather of a city.", ["city"], city=""),
        spec("fetch_weather_data", "Fetch the current weather for a given city.", ["location"], location=""),
    )
    there = [failed("get_weather", 1, city="Bern"), call("fetch_weather_data", 2, location="Bern")]
    back = [failed("fetch_weather_data", 1, location="Bern"), call("get_weather", 2, city="Bern")]
    return facts([there, back] * 3, *twins, spec("never", "Paints a fence."))


def test_everything_stands_in_one_file_without_a_script():
    page = audit_page(audit(confused()))
    seen = elements(page)
    assert {"svg", "table", "rect", "circle", "pre", "details"} <= seen
    assert not seen & {"script", "link", "img", "iframe", "object"}
    assert not re.search(r"(src|href)=|url\((?!#)|@import", page)
    for part in ("never", "too few to conclude", "def fetch_weather_data", "Twins and corrections", "Merge "):
        assert part in page


def test_names_and_texts_are_escaped():
    made = confused()
    runs = tuple(
        replace(run, agent=EVIL, run_id=EVIL, calls=tuple(replace(c, tool=EVIL) for c in run.calls)) for run in made.runs
    )
    specs = (spec(EVIL, EVIL, [EVIL], **{EVIL: ""}), spec(EVIL + "2", EVIL, [EVIL], **{EVIL: ""}))
    page = audit_page(audit(replace(made, runs=runs, blocks=(replace(made.blocks[0], specs=specs),))))
    assert "script" not in elements(page)
    assert "\x00" not in page
    assert "\u202e" not in page


def test_the_chart_tells_the_long_tail_from_the_rest():
    runs = [[call("used")] * 150, [call("rare"), failed("used")]]
    chart = bar_chart(tool_uses(facts(runs, spec("used"), spec("rare"), spec("never"))))
    kinds = re.findall(r'<rect class="bar (\w+)" x="\d+" y="\d+" width="([\d.]+)"', chart)
    assert [kind for kind, _ in kinds if kind != "failed"] == ["used", "rare", "unused"]
    assert float(kinds[1][1]) > 0
    assert "1 % of all calls" in chart
    assert elements(chart)


def test_the_map_has_a_line_for_likeness_and_an_arrow_for_each_direction():
    found = audit(confused())
    drawn = twin_map(found.uses, found.twins, found.corrections)
    assert (drawn.count('class="alike"'), drawn.count('class="move"'), drawn.count("<circle")) == (1, 2, 2)
    assert "get_weather → fetch_weather_data: 3 times" in drawn
    assert elements(drawn)


def test_without_twins_there_is_no_map():
    assert twin_map([], [], []) == ""
    assert "none was taken for another" in audit_page(audit(facts([[call("a")]], spec("a"))))


def test_what_neither_html_nor_svg_takes_is_replaced():
    assert escape("a<b>&\"'\x01\ud800\u202eé中") == "a&lt;b&gt;&amp;&quot;&#x27;���é中"
