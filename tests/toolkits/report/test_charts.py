from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.toolkits.report.charts import to_svg
from prudent.toolkits.report.content import Chart

_SVG = "{http://www.w3.org/2000/svg}"
_values = st.floats(-(10**14), 10**14).map(lambda value: round(value, 3))


def _drawn(chart: Chart) -> ET.Element:
    return ET.fromstring(to_svg(chart, "Title"))  # noqa: S314 -- our own text


def _texts(chart: Chart) -> list[str]:
    return [element.text or "" for element in _drawn(chart).iter(f"{_SVG}text")]


def test_bars_are_as_long_as_their_values() -> None:
    widths = [float(bar.attrib["width"]) for bar in _drawn(Chart("bar", ["a", "b", "c"], [10, 20, -5])).iter(f"{_SVG}rect")]
    assert widths[1] == pytest.approx(2 * widths[0], abs=0.2)
    assert widths[2] == pytest.approx(widths[0] / 2, abs=0.2)


def test_values_are_written_beside_their_bars() -> None:
    texts = _texts(Chart("bar", ["Coast", "海岸版"], [1190.5, -20], "EUR"))
    assert {"Coast", "海岸版", "1,190.5 EUR", "-20 EUR"} <= set(texts)


def test_a_line_goes_through_its_points() -> None:
    (line,) = _drawn(Chart("line", ["a", "b", "c"], [0, 10, 5])).iter(f"{_SVG}polyline")
    heights = [float(point.split(",")[1]) for point in line.attrib["points"].split()]
    assert heights[1] < heights[2] < heights[0]
    assert heights[2] == pytest.approx((heights[0] + heights[1]) / 2, abs=0.2)


def test_axes_have_round_numbers() -> None:
    texts = _texts(Chart("line", ["a", "b"], [3, 97], "%"))
    assert [text for text in texts if re.fullmatch(r"\d+", text)] == ["0", "20", "40", "60", "80", "100"]


def test_slices_are_shares() -> None:
    slices = [circle.attrib["stroke-dasharray"] for circle in _drawn(Chart("pie", ["a", "b"], [1, 3])).iter(f"{_SVG}circle")]
    lengths = [float(part.split()[0]) for part in slices]
    assert lengths[1] == pytest.approx(3 * lengths[0], rel=0.01)
    assert "1 (25.0%)" in _texts(Chart("pie", ["a", "b"], [1, 3]))
    assert "25%" in _texts(Chart("pie", ["a", "b"], [25, 75], "%"))


def test_a_whole_pie_is_drawn() -> None:
    (circle,) = _drawn(Chart("pie", ["all"], [5])).iter(f"{_SVG}circle")
    length, around = map(float, circle.attrib["stroke-dasharray"].split())
    assert length == around


def test_long_labels_are_cut_and_stay_readable_as_a_hint() -> None:
    label = "中国大陆客户单位为人民币已含增值税"
    text = to_svg(Chart("bar", [label], [1]), "T")
    assert "中国大陆客户单位为人民币…" in text
    assert f"<title>{label}</title>" in text


@given(st.sampled_from(["bar", "line", "pie"]), st.lists(st.tuples(st.text(max_size=60), _values), min_size=1, max_size=10))
def test_any_chart_is_sound_and_stays_in_its_frame(kind: str, points: list[tuple[str, float]]) -> None:
    values = [abs(value) + 1 if kind == "pie" else value for _, value in points]
    chart = Chart(
        "bar" if kind == "bar" else "line" if kind == "line" else "pie", [label for label, _ in points], values, "EUR"
    )
    root = _drawn(chart)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for element in root.iter():
        for name in ("x", "x1", "x2", "cx"):
            assert -1 <= float(element.attrib.get(name, 0)) <= width + 1
        for name in ("y", "y1", "y2", "cy"):
            assert -1 <= float(element.attrib.get(name, 0)) <= height + 1
