"""From journals that real agents wrote to findings and proposals."""

from __future__ import annotations

import random
import runpy
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.design.audit import helpdesk

from prudent import Agent
from prudent.auditing import RUNTIME_TOOLS, gather
from prudent.design.audit.page import audit_page
from prudent.design.audit.report import Audit, audit
from prudent.errors import ConfigurationError, JournalError
from prudent.models.scripted import ScriptedModel, call


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A helpdesk's journal of 58 runs."""
    path = tmp_path_factory.mktemp("helpdesk") / "agent.db"
    helpdesk.play(path, helpdesk.scripts(7))
    return path


def copied(path: Path, copy: Path) -> Path:
    """Copy a journal with what still stands in its write-ahead log."""
    for file in copy.parent.glob(f"{copy.name}*"):
        file.unlink()
    with closing(sqlite3.connect(path)) as database:
        database.execute("VACUUM INTO ?", (str(copy),))
    return copy


@pytest.fixture(scope="module")
def found(journal: Path) -> Audit:
    return audit(gather([journal]))


def test_every_run_and_call_is_there_but_the_runtimes_own(found: Audit):
    assert found.totals.runs == 58
    assert {use.name for use in found.uses} == {tool.name for tool in helpdesk.TOOLS}
    assert found.totals.task_calls == 24 * 3 + 10 + 6 + 5 * 2 + 3 * 2 + 3 * 2 + 6 * 2 + 1
    assert found.totals.input_tokens == 1_500 * found.totals.model_calls


def test_use_is_counted_as_it_was_played(found: Audit):
    calls = {use.name: use.calls for use in found.uses}
    assert calls["get_order"] == 24 + 3
    assert calls["get_weather"] == 10 + 5 + 3
    assert [use.name for use in found.long_tail] == ["convert_currency"]
    assert [use.name for use in found.unused] == ["export_report"]
    order = next(use for use in found.uses if use.name == "get_order")
    assert order.failures == {"invalid_arguments": 3}
    assert [(row.name, row.calls, row.instead) for row in found.unknown] == [("serch_handbook", 6, {"search_handbook": 6})]


def test_twins_are_found_by_meaning_and_by_confusion(found: Audit):
    (pair,) = found.twins
    assert (pair.one, pair.other, pair.by_meaning, pair.by_confusion) == ("fetch_weather_data", "get_weather", True, True)
    assert (pair.there, pair.back) == (3, 5)


def test_the_sequence_is_found_with_what_flows(found: Audit):
    (sequence,) = found.sequences
    assert (sequence.tools, sequence.count) == (("get_order", "get_customer", "list_tickets"), 24)
    macro = next(proposal for proposal in found.proposals if proposal.kind == "macro")
    assert macro.steps == (
        "get_order(order_id=$order_id)",
        "get_customer(customer_id=$1.order.customer_id)",
        "list_tickets(customer_id=$1.order.customer_id)",
    )


def test_each_kind_of_proposal_is_made(found: Audit):
    assert {proposal.kind: proposal.is_firm for proposal in found.proposals if proposal.is_firm} == {
        "remove": True,
        "merge": True,
        "macro": True,
    }
    merge = next(proposal for proposal in found.proposals if proposal.kind == "merge")
    assert 'def get_weather(city: str, days: int = 1, units: str = "metric") -> str:' in merge.code
    assert '@tool(effect="read")' in merge.code


def test_evidence_names_runs_that_are_there(found: Audit, journal: Path):
    named = {run_id for proposal in found.proposals for run_id in proposal.run_ids}
    with closing(sqlite3.connect(journal)) as database:
        assert named <= {run_id for (run_id,) in database.execute("SELECT run_id FROM runs")}
    assert named


def test_several_journals_are_added_and_a_run_in_both_counts_once(journal: Path, tmp_path: Path):
    copy = copied(journal, tmp_path / "copy.db")
    other = tmp_path / "other.db"
    helpdesk.play(other, [helpdesk.weather(random.Random(1))], name="second", tools=helpdesk.TOOLS[:1])
    facts = gather([journal, copy, other])
    assert len(facts.runs) == 59
    assert facts.notes == (f"58 runs of {copy} stand in another journal, too: counted once",)
    assert {run.agent for run in facts.runs} == {"helpdesk", "second"}
    (only,) = gather([journal, other], agent="second").runs
    assert [call.tool for call in only.calls] == ["get_weather"]


def test_only_the_newest_runs_of_a_large_journal_are_looked_at(journal: Path):
    facts = gather([journal], most_runs=10)
    assert len(facts.runs) == 10
    assert "only the newest 10 runs" in facts.notes[0]


def test_what_is_missing_is_said(journal: Path, tmp_path: Path):
    with pytest.raises(JournalError, match="there is no journal at"):
        gather([journal, tmp_path / "nowhere.db"])
    with pytest.raises(ConfigurationError, match=r"no agent 'helpdsk' ran in .*; did you mean 'helpdesk'"):
        gather([journal], agent="helpdsk")
    with pytest.raises(ConfigurationError, match="as young as that"):
        gather([journal], since=4e9)


def test_the_runtimes_own_tools_are_all_known(journal: Path):
    with closing(sqlite3.connect(journal)) as database:
        (tools,) = database.execute("SELECT tools FROM requests LIMIT 1").fetchone()
    own = {name for name in RUNTIME_TOOLS if f'"{name}"' in tools}
    assert {"think_and_plan", "read_more", "search_in"} <= own


TEXT = st.text(max_size=20) | st.sampled_from(["", "{}", "[]", "null", '{"a":', '{"tools":"x"}', "[" * 3_000])


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("small") / "agent.db"
    helpdesk.play(path, [make(random.Random(3)) for make in helpdesk.KINDS])
    return path


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.sampled_from(["tool_name", "arguments", "shown", "turn", "status"]), TEXT, st.integers(1, 20))),
    st.sampled_from(["", "DELETE FROM blobs", "UPDATE blobs SET data='[1]'", "UPDATE model_calls SET request=NULL"]),
)
def test_a_damaged_journal_is_audited_as_far_as_it_goes(small: Path, changes: list[tuple[str, str, int]], damage: str):
    with_damage = copied(small, small.with_name("damaged.db"))
    with closing(sqlite3.connect(with_damage, isolation_level=None)) as database:
        for column, value, row in changes:
            database.execute(f"UPDATE tool_calls SET {column}=? WHERE rowid=?", (value.replace("\ud800", ""), row))
        if damage:
            database.execute(damage)
    assert audit_page(audit(gather([with_damage])))


def test_a_macro_that_is_pasted_runs_its_steps(found: Audit, tmp_path: Path):
    proposed = next(proposal for proposal in found.proposals if proposal.kind == "macro")
    module = tmp_path / "pasted.py"
    needed = "from tests.design.audit.helpdesk import get_customer, get_order, list_tickets\n"
    module.write_text(needed + proposed.code, encoding="utf-8")
    made = runpy.run_path(str(module))["get_order_then_get_customer_then_list_tickets"]
    model = ScriptedModel([call(made.name, order_id=5), "Done."])
    result = Agent(model, tools=[made], planning="off").run_sync("Who?", db=tmp_path / "agent.db")
    assert (result.status, result.output) == ("completed", "Done.")
    shown = model.requests[-1].messages[-1].text
    assert "all 3 steps are done" in shown
    assert "Customer C-35" in shown
