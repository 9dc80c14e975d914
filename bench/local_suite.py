"""Run `local_suite.toml` (or another suite) on embedded models: through Prudent, and in a naive loop for comparison.

    uv run python bench/local_suite.py [--models NAME …] [--suite FILE] [--agent FILE] [--naive] [--only KIND] [--json FILE]

Counts and CPU seconds, no wall times: the cores may be shared. One case is right when the right facts or amounts stand in the
answer, the right tools were used, and no number was invented.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import shutil
import tempfile
import time
import tomllib
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from pathlib import Path

from naive_loop import naive_run

from prudent.agent import Agent
from prudent.config.loading import load_agent
from prudent.events import ApprovalAsked, ApprovalDecided, CallEnded, CallPrepared
from prudent.messages import ToolSpec
from prudent.models.gguf import path_of
from prudent.result import RunResult

HERE = Path(__file__).parent
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


class Yes:
    """Approves whatever is asked."""

    async def decide(self, question: ApprovalAsked) -> ApprovalDecided:
        return ApprovalDecided(call_id=question.call_id, decision="approve", decided_by="suite")


@dataclass
class Outcome:
    """What became of one case."""

    kind: str
    task: str
    answer: str = ""
    tools: list[str] = field(default_factory=list)
    shown: str = ""
    right: bool = False
    why_not: str = ""
    turns: int = 0
    cpu_seconds: float = 0.0
    tokens_read: int = 0
    tokens_written: int = 0


def judge(case: dict, outcome: Outcome) -> None:
    """Decide whether a case is right, and say why not."""
    own, _, _source = outcome.answer.partition("\n\n")
    wrong = []
    wrong += [f"no {pattern!r}" for pattern in case["answer"] if not re.search(pattern, own)]
    wrong += [f"says {pattern!r}" for pattern in case.get("never", ()) if re.search(pattern, outcome.answer)]
    missing = [name for name in case["tools"] if name not in outcome.tools]
    wrong += [f"did not use {name}" for name in missing]
    if not case["tools"] and outcome.tools:
        wrong.append(f"used {outcome.tools[0]}")
    if case["tools"]:
        known = set(NUMBER.findall(case["task"] + outcome.shown))
        plain = {number.replace(",", "") for number in known}
        wrong += [f"invented {n}" for n in NUMBER.findall(own) if n not in known and n.replace(",", "") not in plain]
    outcome.right, outcome.why_not = not wrong, "; ".join(wrong)


async def through_prudent(agent: Agent, task: str, kind: str, db: Path) -> Outcome:
    """Run one case as the command line would."""
    outcome = Outcome(kind, task)
    began = time.process_time()
    async for event in agent.stream(task, db=db, approver=Yes()):
        match event:
            case CallPrepared(is_task=True):
                outcome.tools.append(event.tool_name)
            case CallEnded():
                outcome.shown += event.shown + "\n"
            case RunResult():
                outcome.answer, outcome.turns = str(event.output or event.error), event.turns
                outcome.tokens_read = event.usage.input_tokens - event.usage.cached_tokens
                outcome.tokens_written = event.usage.output_tokens
            case _:
                pass
    outcome.cpu_seconds = time.process_time() - began
    return outcome


def naively(agent: Agent, specs: list[ToolSpec], model: str, task: str, kind: str) -> Outcome:
    """Run one case in a loop that hands the tools to the model's own chat template and does as it says."""
    outcome = Outcome(kind, task)
    began = time.process_time()
    tools = {tool.name: tool for tool in agent.tools}
    run = naive_run(path_of(model), agent.instructions, specs, tools, task)
    outcome.answer, outcome.tools, outcome.shown, outcome.turns = run.answer, run.tools, run.shown, run.turns
    outcome.cpu_seconds = time.process_time() - began
    return outcome


def table(title: str, outcomes: list[Outcome]) -> None:
    """Print one row a kind."""
    kinds = defaultdict(list)
    for outcome in outcomes:
        kinds[outcome.kind].append(outcome)
    print(f"\n{title}")
    for kind, rows in kinds.items():
        cpu = sum(row.cpu_seconds for row in rows) / len(rows)
        print(f"  {kind:<24}{sum(row.right for row in rows):>3} of {len(rows):<3}{cpu:>8.1f} CPU s each")
    counted = [row for row in outcomes if row.kind not in ("chain", "quick start")]
    if counted:
        cpu = sum(row.cpu_seconds for row in counted)
        print(f"  {'all counted':<24}{sum(row.right for row in counted):>3} of {len(counted):<3}{cpu:>8.1f} CPU s in all")


def cases(suite: dict, only: str) -> list[dict]:
    """Give the cases of a suite, its chains and its quick-start paraphrases with it."""
    quick = suite.get("quickstart", {"tasks": []})
    listed = [*suite.get("case", ()), *suite.get("chain", ())]
    for task in quick["tasks"]:
        listed.append({"kind": "quick start", "task": task, "answer": quick["answer"], "tools": ["search_knowledge"]})
    return [case for case in listed if only in ("", case["kind"])]


def run_all(model: str, options: argparse.Namespace, suite: dict, folder: Path) -> list[Outcome]:
    """Run a suite on a model, in a copy of the agent's folder, so that reports are written there."""
    home = shutil.copytree(Path(options.agent).parent, folder / "agent")
    agent = load_agent(str(home / Path(options.agent).name))
    agent.model = f"local:{model}"
    specs = [spec for spec in agent.surface().specs(agent.mode) if spec.name != "think_and_plan"]
    outcomes = []
    for case in cases(suite, options.only):
        if options.naive:
            outcome = naively(agent, specs, model, case["task"], case["kind"])
        else:
            outcome = asyncio.run(through_prudent(agent, case["task"], case["kind"], folder / "suite.db"))
        judge(case, outcome)
        mark = "right" if outcome.right else "WRONG"
        print(f"{mark} [{case['kind']}] {case['task']} | {outcome.tools} | {outcome.answer!r} | {outcome.why_not}", flush=True)
        outcomes.append(outcome)
    return outcomes


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", nargs="*", default=["qwen2.5-coder-1.5b"])
    parser.add_argument("--suite", type=Path, default=HERE / "local_suite.toml")
    parser.add_argument("--agent", default=str(HERE.parent / "examples" / "starter.toml"))
    parser.add_argument("--naive", action="store_true", help="run the naive loop instead")
    parser.add_argument("--only", default="", help="one kind of case")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    suite = tomllib.loads(options.suite.read_text())
    everything = {}
    for model in options.models:
        with tempfile.TemporaryDirectory() as folder:
            outcomes = run_all(model, options, suite, Path(folder))
        title = f"{model}, {'naive loop' if options.naive else 'Prudent'}"
        table(title, outcomes)
        everything[title] = [asdict(outcome) for outcome in outcomes]
    if options.json:
        options.json.write_text(json.dumps(everything, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
