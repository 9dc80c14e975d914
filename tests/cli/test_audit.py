"""`prudent audit`: text, JSON, the page, filters, errors."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.cli.commands import Command
from tests.design.audit import helpdesk

from prudent.journal.store import JournalStore


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("helpdesk") / "agent.db"
    helpdesk.play(path, [helpdesk.order(random.Random(at)) for at in range(6)] + [helpdesk.wrong_weather(random.Random(1))])
    return path


def test_text_tells_findings_and_proposals(journal: Path, here: Command, project: Path):
    done = here("audit", "--db", str(journal))
    assert done.status == 0
    for part in (
        "7 runs of helpdesk",
        "note: only 20 task calls: fewer than 100 are too few",
        "\n  get_order ",
        "Never called\n  convert_currency: in 20 calls where it was mounted",
        "get_weather → fetch_weather_data: 1 (1 after an error), 1 with the same question; such as 20",
        "get_order → get_customer → list_tickets: 6 times in 6 runs, 100% of the times it began",
        "step 2: customer_id from order.customer_id of step 1's result",
        "Proposals\n  1. ",
        "(to look at: the figures do not suffice)",
        "1. get_order(order_id=$order_id)",
        "def fetch_weather_data(\n",
        "city: str | None = None,",
    ):
        assert part in done.out, part
    assert "think_and_plan" not in done.out


def test_json_is_one_object_and_the_page_a_file(journal: Path, here: Command, project: Path):
    page = project / "new" / "audit.html"
    done = here("audit", "--db", str(journal), "--json", "--report", str(page))
    found = json.loads(done.out)
    assert (done.status, found["runs"], found["never_called"]) == (
        0,
        7,
        ["convert_currency", "export_report", "search_handbook"],
    )
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_journals_are_added_and_agents_and_times_chosen(journal: Path, here: Command, project: Path):
    helpdesk.play(project / ".prudent" / "agent.db", [helpdesk.weather(random.Random(2))], name="other")
    both = json.loads(here("audit", "--db", str(journal), "--db", ".prudent/agent.db", "--json").out)
    assert (both["runs"], both["agents"]) == (8, ["helpdesk", "other"])
    assert json.loads(here("audit", "--json").out)["runs"] == 1
    one = here("audit", "--db", str(journal), "--db", ".prudent/agent.db", "--agent", "other", "--since", "1h", "--json")
    assert json.loads(one.out)["agents"] == ["other"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "there is no journal at .prudent/agent.db"),
        (["--db", "empty.db"], "there is no run in empty.db yet"),
        (["--db", "JOURNAL", "--agent", "helpdsk"], "did you mean 'helpdesk'"),
        (["--db", "JOURNAL", "--since", "soon"], "--since 'soon' is no time"),
        (["--db", "JOURNAL", "--since", "2999-01-01"], "as young as that"),
        (["--db", "JOURNAL", "--report", "."], "--report . cannot be written"),
    ],
)
def test_errors_say_what_to_do(arguments: list[str], expected: str, journal: Path, here: Command, project: Path):
    JournalStore(project / "empty.db").close()
    done = here("audit", *(str(journal) if word == "JOURNAL" else word for word in arguments))
    assert (done.status, done.out) == (2, "")
    assert expected in done.err
