from __future__ import annotations

import json
from pathlib import Path

import pytest

from prudent.errors import CallRefused, ConfigurationError
from prudent.toolkits.knowledge import knowledge
from prudent.tools.context import Context
from prudent.tools.definition import Tool

HANDBOOK = Path(__file__).parents[3] / "examples" / "handbook"


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tool]:
    return {tool.name: tool for tool in knowledge(HANDBOOK, index_path=tmp_path_factory.mktemp("index") / "index.db")}


def _search(tools: dict[str, Tool], query: str, limit: int = 5) -> str:
    return str(tools["search_knowledge"].invoke({"query": query, "limit": limit}, Context()))


def test_both_tools_only_read(tools: dict[str, Tool]) -> None:
    assert list(tools) == ["search_knowledge", "read_passage"]
    assert all(tool.effect == "read" and tool.idempotent and tool.toolkit == "knowledge" for tool in tools.values())


def test_the_definition_tells_what_it_is_not_for_while_that_is_mounted(tools: dict[str, Tool]) -> None:
    search = tools["search_knowledge"]
    alone = search.describe({"search_knowledge"}).description
    assert "nothing added" in alone
    assert "query_reports" not in alone
    assert (
        "Not for live figures or finished reports: for those use `query_reports`."
        in search.describe({"query_reports"}).description
    )
    assert '"maximum": 10, "minimum": 1, "default": 5' in json.dumps(search.parameters)


def test_a_limit_out_of_range_is_refused(tools: dict[str, Tool]) -> None:
    for limit in (0, 11):
        with pytest.raises(CallRefused):
            _search(tools, "plan", limit)


def test_a_folder_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no folder of documents"):
        knowledge(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("question", "document", "fact"),
    [
        ("How long can a yearly plan be returned, and what comes back?", "en/returns.md", "within 30 days"),
        ("When may I send back a plan I bought for a year?", "en/returns.md", "30 days"),
        ("return period of the monthly plan", "en/returns.md", "within 7 days"),
        ("per diem in France", "en/travel-costs.md", "| France | 44 EUR |"),
        ("How much is the Coast plan per year?", "en/plans-and-prices.md", "190 EUR"),
        ("shipping cost to Switzerland", "en/shipping.html", "22 EUR"),
        ("How long is the warranty of batteries?", "en/warranty.txt", "1 year"),
        ("How soon must a stolen device be reported?", "en/security.pdf", "within 4 hours"),
        ("Who approves a purchase of 5,000 EUR?", "en/purchases.docx", "head of the department"),
        ("How long does the free trial last?", "en/free-trial.md", "21 days"),
        ("core hours on Monday", "en/working-time.md", "10:00 to 15:00"),
        ("年度套餐多久之内可以退货？", "zh/退货与退款.md", "15天内"),
        ("去上海出差每天补贴多少？", "zh/差旅标准.md", "180元"),
        ("海岸版年度套餐的价格", "zh/价格.md", "1,280元"),
        ("试用期有几天", "zh/试用.md", "30天"),
        ("寄到港澳台的运费", "zh/配送.html", "120元"),
        ("年假有多少天", "zh/工作时间.txt", "12天"),
    ],
)
def test_the_handbook_answers_at_first_sight(tools: dict[str, Tool], question: str, document: str, fact: str) -> None:
    hits = _search(tools, question).split("\n[")[1:]
    assert document in hits[0].split("\n")[0]
    assert fact in hits[0]


def test_the_handbook_is_read_whole(tools: dict[str, Tool]) -> None:
    assert "Not searched" not in _search(tools, "plan")
    assert "Incomplete" not in _search(tools, "plan")
