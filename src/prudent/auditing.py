"""Gathering what an audit looks at from one journal or several: `design` knows no journal, and journals know no audit."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from prudent.design.audit.facts import Call, Facts, RunFacts, ToolBlock
from prudent.errors import ConfigurationError
from prudent.journal.store import JournalStore
from prudent.journal.usage import Usage
from prudent.loop.planning import THINK
from prudent.messages import ToolSpec, canonical_json
from prudent.nearest import nearest

MOST_RUNS = 5_000
"""So many runs of each journal are looked at, the newest."""

RUNTIME_TOOLS = frozenset({THINK, "read_more", "search_in", "tool_search", "switch_mode"})
"""The runtime's own tools, which no audit counts; calls of others that are marked so in a journal are not counted either."""


def gather(databases: Sequence[Path], *, since: float = 0.0, agent: str | None = None, most_runs: int = MOST_RUNS) -> Facts:
    """Read calls and definitions from journals.

    Args:
        databases: the files; a run that stands in several is counted once.
        since: leaves out runs that began before, in seconds since 1970.
        agent: takes this agent's runs only.
        most_runs: how many of each journal, the newest.

    Raises:
        JournalError: a file is missing, or no journal.
        ConfigurationError: there is no run, or none that fits.
    """
    with ExitStack() as stack:
        journals = [Usage(stack.enter_context(JournalStore(path, must_exist=True)).database) for path in databases]
        own = RUNTIME_TOOLS.union(*(journal.own_tools() for journal in journals))
        gatherer = _Gatherer(own)
        for path, journal in zip(databases, journals, strict=True):
            gatherer.take(path, journal, since=since, agent=agent, most_runs=most_runs)
        if not gatherer.runs:
            agents = sorted({name for journal in journals for name in journal.agents()})
            raise ConfigurationError(_nothing(databases, agents, since=since, agent=agent))
        return gatherer.facts()


class _Gatherer:
    """Puts together what several journals hold."""

    def __init__(self, own: frozenset[str]) -> None:
        self._own = own
        self.runs: dict[str, RunFacts] = {}
        self._blocks: dict[str, ToolBlock] = {}
        """By content."""

        self._last_used: dict[str, float] = {}
        self._sent: dict[str, list[str]] = {}
        """The blocks of each run, by content."""

        self._effects: dict[str, str] = {}
        self._notes: list[str] = []

    def take(self, path: Path, journal: Usage, *, since: float, agent: str | None, most_runs: int) -> None:
        """Take one journal's runs in."""
        found = journal.runs(since=since, agent=agent, limit=most_runs + 1)
        if len(found) > most_runs:
            self._notes.append(f"only the newest {most_runs:,} runs of {path} were looked at: narrow them with --since")
        new = {run_id: (name, at) for run_id, name, at in found[-most_runs:] if run_id not in self.runs}
        if len(new) < len(found[-most_runs:]):
            self._notes.append(
                f"{len(found[-most_runs:]) - len(new):,} runs of {path} stand in another journal, too: counted once"
            )
        calls: dict[str, list[Call]] = {run_id: [] for run_id in new}
        for call in journal.calls(new):
            if call.tool_name not in self._own:
                calls[call.run_id].append(
                    Call(call.tool_name, call.turn, call.arguments, call.status, call.error_kind, call.shown)
                )
        for run_id, (name, at) in new.items():
            self.runs[run_id] = RunFacts(run_id, tuple(calls[run_id]), agent=name, started_at=at)
        self._take_blocks(journal, new)
        self._effects.update(journal.effects())

    def facts(self) -> Facts:
        """Give all that was taken in, the runs in the order of their start."""
        keys = sorted(self._blocks, key=self._last_used.__getitem__)
        places = {key: place for place, key in enumerate(keys)}
        runs = (
            replace(run, blocks=tuple(places[key] for key in self._sent.get(run_id, ()))) for run_id, run in self.runs.items()
        )
        return Facts(
            runs=tuple(sorted(runs, key=lambda run: run.started_at)),
            blocks=tuple(self._blocks[key] for key in keys),
            effects={name: effect for name, effect in self._effects.items() if name not in self._own},
            notes=tuple(self._notes),
        )

    def _take_blocks(self, journal: Usage, runs: dict[str, tuple[str, float]]) -> None:
        specs: dict[str, tuple[ToolSpec, ...]] = {}
        keys: dict[str, str] = {}
        for sent in journal.blocks(runs):
            if sent.tools not in specs:
                specs[sent.tools] = tuple(spec for spec in journal.tools(sent.tools) if spec.name not in self._own)
                keys[sent.tools] = "".join(canonical_json(spec.as_json()) for spec in specs[sent.tools])
            key = keys[sent.tools]
            if not key:
                continue
            before = self._blocks.get(key, ToolBlock(specs[sent.tools], model_calls=0))
            self._blocks[key] = replace(
                before,
                model_calls=before.model_calls + sent.model_calls,
                input_tokens=before.input_tokens + sent.input_tokens,
                cached_tokens=before.cached_tokens + sent.cached_tokens,
            )
            self._sent.setdefault(sent.run_id, []).append(key)
            self._last_used[key] = max(self._last_used.get(key, 0.0), runs[sent.run_id][1])


def _nothing(databases: Sequence[Path], agents: Sequence[str], *, since: float, agent: str | None) -> str:
    where = ", ".join(map(str, databases))
    if not agents:
        return f"there is no run in {where} yet: run an agent first, or name another journal with --db"
    if agent is not None and agent not in agents:
        return f"no agent {agent!r} ran in {where}{nearest(agent, agents)}\n    there are: {', '.join(agents[:20])}"
    return f"no run in {where} is as young as that: give an earlier --since" if since else f"there is no run in {where}"
