"""Putting a run together: the loop is given its adapters, its brakes in order, and its place in the journal.

Beside `agent.py` this is the only module that knows the loop and its adapters at once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from prudent.asking import AnsweredAnywhere
from prudent.blueprint import Blueprint, StartOptions
from prudent.brakes.allow import AllowList, OneAtATime, Prerequisites
from prudent.brakes.approval import ApprovalBrake
from prudent.brakes.budget import Budget, BudgetBrake
from prudent.brakes.mode_switch import ModeSwitch
from prudent.brakes.plan_approval import PlanApproval
from prudent.brakes.repetition import RepetitionBrake
from prudent.chosen_models import own_model, summary_model
from prudent.context.artifacts import artifact_tools
from prudent.context.counting import TokenCounter
from prudent.context.folding import ContextFolder
from prudent.context.shaping import ResultShaper
from prudent.context.view import FoldedView
from prudent.delegation import Delegation, Worker
from prudent.errors import ConfigurationError
from prudent.events import MessageAdded, RunResumed, RunStarted
from prudent.exchange import ModelSettings
from prudent.journal.opened import opened
from prudent.journal.replay import replay
from prudent.journal.run_journal import RunJournal
from prudent.journal.store import JournalStore
from prudent.keeping import JournalKeeper
from prudent.loop.answer import Answering
from prudent.loop.ask import Asker
from prudent.loop.checks import JudgedAnswer
from prudent.loop.closing import Closing
from prudent.loop.digest import Digest
from prudent.loop.dispatch import Dispatcher
from prudent.loop.early import EarlyStarts
from prudent.loop.folding import Folding
from prudent.loop.gate import Gate
from prudent.loop.intake import Intake
from prudent.loop.parts import Parts
from prudent.loop.planning import THINK, PlanFirst, count_steps
from prudent.loop.questions import Questions
from prudent.loop.recorder import Recorder
from prudent.loop.run import TurnLoop
from prudent.loop.settle import Settler
from prudent.messages import Message
from prudent.opening import opening_messages, session_history
from prudent.ports import Approver, Brake
from prudent.runners.choice import ByKind
from prudent.runs import Run, RunClock
from prudent.state import RunState
from prudent.tools.surface import Surface
from prudent.types import SystemClock, new_run_id

DEFAULT_DB = ".prudent/agent.db"
DEFAULT_TEMPERATURE = 0.3
_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)S?$", re.IGNORECASE)


class Assembly:
    """Puts one run of an agent together."""

    def __init__(self, agent: Blueprint, options: StartOptions) -> None:
        self.agent, self.options = agent, options
        self.budget = self._budget()
        self.model = own_model(agent, options)
        self.summary_model = summary_model(agent, options, self.model)
        self.mode = options.get("mode") or agent.mode
        agent.surface().shown(self.mode)
        for model in filter(None, (self.model, self.summary_model)):
            if self.budget.cost is not None and model.profile.input_price is None:
                raise ConfigurationError(f"budget.cost cannot be kept: the price of {model.name} is not known")

    def begin(self, task: str) -> Run:
        """Put a new run on record, with its first messages."""
        if not task.strip():
            raise ConfigurationError("the task is empty: say what is to be done")
        started = self._started(task)
        messages = opening_messages(self.agent, task, self._history())
        opening = [MessageAdded(at=started.at, message=message) for message in messages]
        journal = self._journal().begin(started, opening=opening, secret_parameters=self._secret_parameters())
        state = RunState()
        for event in (started, *opening):
            state.apply(event)
        return self._assemble(journal, state)

    def resume(self, run_id: str, *, accept_changed_agent: bool) -> Run:
        """Take a run up again where its journal ends."""
        store = self._journal()
        run_id = store.find(run_id)
        self._refuse_changed_agent(store, run_id, accept=accept_changed_agent)
        journal = store.claim(run_id, secret_parameters=self._secret_parameters())
        state = replay(store, run_id)
        if state.status == "completed":
            journal.release()
            raise ConfigurationError(f"run {run_id} is completed: there is nothing left to resume; `prudent show` shows it")
        self.mode = state.mode
        run = self._assemble(journal, state)
        run.loop.parts.recorder.emit(RunResumed())
        return run

    def _started(self, task: str) -> RunStarted:
        clock = SystemClock()
        source = self.agent.source
        return RunStarted(
            at=clock.now(),
            run_id=self.options.get("run_id") or new_run_id(clock.now()),
            agent=self.agent.name,
            agent_file=source.reference if source else "",
            agent_hash=source.hash if source else "",
            task=task,
            model=self.model.name,
            base_url=self.options.get("base_url") or self.agent.base_url or "",
            mode=self.mode,
            budget=self.budget.as_json(),
            session=self.options.get("session", ""),
        )

    def _history(self) -> Sequence[Message]:
        """Give what was said before: as the caller has it, else as the session's earlier runs have it."""
        session = self.options.get("session", "")
        if "history" in self.options or not session:
            return self.options.get("history", ())
        window = self.model.profile.context_window_tokens
        return session_history(self._journal().database, session, window, self.agent.language)

    def _assemble(self, journal: RunJournal, state: RunState) -> Run:
        agent = self.agent
        own_tools = artifact_tools(journal.artifacts) if agent.surface().tools else []
        surface = agent.surface(own_tools)
        approver = self.options.get("approver")
        runner = process_wide_runner()
        runner.prepare(surface.tools.values())
        delegation = Delegation(self._journal(), self._engage, approver)
        keeper = JournalKeeper(journal)
        clock = RunClock(max(0.0, self.budget.seconds - state.spent_seconds))
        counter = TokenCounter()
        parts = Parts(
            recorder=Recorder(journal, state),
            model=self.model,
            surface=surface,
            brakes=self._brakes(surface, self._approval(state, keeper)),
            shaper=ResultShaper(journal.artifacts, images=self.model.profile.takes_images, task=state.task),
            runner=runner,
            view=FoldedView(),
            folder=self._folder(journal, counter),
            counter=counter,
            settings=self._settings(),
            answer_check=JudgedAnswer(agent.check(), partial(delegation.judge, agent.judge)) if agent.judge else agent.check(),
            pause=clock.pause,
            delegate=delegation.work,
            approver=AnsweredAnywhere(approver, keeper) if approver else None,
            summary_model=self.summary_model,
            output_schema=agent.typed.schema if agent.typed else None,
            workspace=agent.workspace,
            dependencies=agent.dependencies,
            closing_seconds=self.budget.closing_seconds,
        )
        run = delegation.parent = Run(
            turn_loop(parts),
            self.budget,
            keeper,
            clock,
            restore=agent.typed.restore if agent.typed else None,
            process_ends=self.options.get("process_ends", False),
            on_close=delegation.close,
        )
        return run

    def _engage(self, parent: Run, agent: Worker, task: str, run_id: str, approver: Approver | None) -> Run:
        """Give the run of a sub-agent, new or as it was left."""
        assert isinstance(agent, Blueprint)
        options: StartOptions = {
            **self.options,
            "model": agent.model or self.model,
            "base_url": agent.base_url or self.options.get("base_url"),
            "approver": approver,
            "within": parent.budget_left(),
            "run_id": run_id,
            "history": (),
            "max_model_calls": None,
            "seconds": None,
            "mode": None,
        }
        assembly = Assembly(agent, options)
        known = self._journal().has(run_id)
        return assembly.resume(run_id, accept_changed_agent=True) if known else assembly.begin(task)

    def _folder(self, journal: RunJournal, counter: TokenCounter) -> ContextFolder:
        window, secret = self.model.profile.context_window_tokens, self._secret_parameters()
        return ContextFolder(journal.artifacts, window, self.agent.language, counter, lambda name: secret.get(name, ()))

    def _approval(self, state: RunState, keeper: JournalKeeper) -> ApprovalBrake:
        standing = [row.rule for row in self._journal().standing_rules(state.agent)]
        return ApprovalBrake(self.agent.policy, standing, keeper.forgotten)

    def _brakes(self, surface: Surface, approval: ApprovalBrake) -> tuple[Brake, ...]:
        """Give the brakes in the order they look. The cheap refusals come first, a person last."""
        agent = self.agent
        return (
            AllowList(surface),
            *([ModeSwitch(agent.mode_switch)] if agent.mode_switch else []),
            *([PlanFirst()] if agent.planning == "required" else []),
            *([] if agent.parallel_tool_calls else [OneAtATime()]),
            Prerequisites(),
            RepetitionBrake(surface.tools.get, agent.on_repetition),
            BudgetBrake(self.budget, count_steps),
            *([PlanApproval(THINK)] if agent.approve_plan else []),
            approval,
        )

    def _settings(self) -> ModelSettings:
        """Give the agent's settings, then what suits the model, then the defaults."""
        mine, suits = self.agent.settings, self.model.profile.defaults or ModelSettings(temperature=DEFAULT_TEMPERATURE)
        serial_by_wire = not self.agent.parallel_tool_calls and self.agent.planning in ("off", "prompt")
        return replace(
            mine,
            temperature=suits.temperature if mine.temperature is None else mine.temperature,
            max_tokens=suits.max_tokens if mine.max_tokens is None else mine.max_tokens,
            reasoning=suits.reasoning if mine.reasoning is None else mine.reasoning,
            parallel_tool_calls=False if serial_by_wire else None,
        )

    def _budget(self) -> Budget:
        calls, seconds = self.options.get("max_model_calls"), self.options.get("seconds")
        budget = self.agent.budget
        budget = replace(
            budget,
            model_calls=budget.model_calls if calls is None else calls,
            seconds=budget.seconds if seconds is None else seconds,
        )
        outer = self.options.get("within")
        return budget.within(outer) if outer else budget

    def _journal(self) -> JournalStore:
        path = journal_path(self.options.get("db"))
        return opened(path, record_raw=self.agent.record_raw, secrets=secrets_of_environment)

    def _secret_parameters(self) -> dict[str, tuple[str, ...]]:
        tools = self.agent.surface().tools.values()
        return {name: tool.secret for tool in tools for name in (tool.name, *tool.aliases) if tool.secret}

    def _refuse_changed_agent(self, store: JournalStore, run_id: str, *, accept: bool) -> None:
        recorded, now = store.run(run_id).agent_hash, self.agent.source.hash if self.agent.source else ""
        if recorded and recorded != now and not accept:
            raise ConfigurationError(
                f"the agent's file has changed since run {run_id} began: resume with --accept-changed-agent if that is right"
            )


def turn_loop(parts: Parts) -> TurnLoop:
    """Join the loop's own parts."""
    gate = Gate(parts.surface, parts.brakes)
    questions = Questions(parts, gate)
    dispatcher = Dispatcher(parts, gate, questions, Digest(parts))

    def start_early(intake: Intake) -> EarlyStarts:
        return EarlyStarts(gate, parts.runner, parts.state, intake, dispatcher.context)

    asker = Asker(parts, start_early)
    settler = Settler(parts, gate, dispatcher, questions)
    return TurnLoop(parts, Folding(parts, asker), dispatcher, settler, Answering(parts), Closing(parts, asker))


@cache
def process_wide_runner() -> ByKind:
    """Give the one runner of this process: its workers are shared by all runs."""
    return ByKind()


def journal_path(db: str | Path | None) -> Path:
    """Tell where the journal is: `db`, else `PRUDENT_DB`, else `.prudent/agent.db`."""
    return Path(db or os.environ.get("PRUDENT_DB") or DEFAULT_DB).absolute()


def secrets_of_environment() -> list[str]:
    """List the values that look like keys by their names; they never reach the record."""
    return [value for name, value in os.environ.items() if _SECRET_NAME.search(name) and len(value) >= 8]
