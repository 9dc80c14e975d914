"""The provider's prompt cache: what was sent once is sent again byte for byte, so that it is read from the cache."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.stories.test_folding import forty_turns, page, run, small

from prudent import Agent, Budget
from prudent.folds import Folded
from prudent.models.facts import facts_for
from prudent.models.openai_encode import RequestWriter
from prudent.models.scripted import ScriptedModel, call, raw_call, reply, think

pytestmark = pytest.mark.anyio

MODELS = [("openai", "gpt-4.1"), ("deepseek", "deepseek-chat"), ("mistral", "mistral-large-latest")]


def bodies(model: ScriptedModel, provider: str, name: str) -> list[bytes]:
    """Write each turn's request as the adapter sends it."""
    writer = RequestWriter(facts_for(provider, None), name)
    turns = [request for request in model.requests if request.purpose == "turn"]
    return [writer.write(request, stream=True).body for request in turns]


@pytest.mark.parametrize(("provider", "name"), MODELS)
async def test_each_request_begins_with_the_whole_one_before(tmp_path: Path, provider: str, name: str) -> None:
    replies = [
        reply(think("look", plan="1. look 2. 回答", action="page"), call("page", number=1)),
        raw_call("page", '{"number": 2'),
        call("nothing_of_that_name"),
        reply("Let me see. 让我看看。", call("page", number=3)),
        "",
        call("page", number=4),
        "Done. 完成。",
    ]
    model = ScriptedModel(replies)
    result, _, _ = await run(model, tmp_path, planning="tool")
    assert result.status == "completed"
    sent = bodies(model, provider, name)
    assert len(sent) == len(replies)
    for before, after in pairwise(sent):
        assert after.startswith(before.removesuffix(b"]}")), "the prefix changed"


@pytest.mark.parametrize(("provider", "name"), MODELS)
async def test_a_fold_keeps_system_tools_and_question(tmp_path: Path, provider: str, name: str) -> None:
    model = ScriptedModel([*forty_turns(), "Done."], profile=small())
    _, events, _ = await run(model, tmp_path, instructions="Be careful.")
    folds = sum(isinstance(event, Folded) for event in events)
    sent = bodies(model, provider, name)
    start = sent[0].removesuffix(b"]}")
    assert all(body.startswith(start) for body in sent)
    changes = sum(not after.startswith(before.removesuffix(b"]}")) for before, after in pairwise(sent))
    assert changes == folds


async def test_a_resumed_run_sends_the_same_bytes(tmp_path: Path) -> None:
    model = ScriptedModel([*forty_turns()[:12]], when_no_tools="partial", profile=small(4000))
    agent = Agent(model, tools=[page], planning="off", budget=Budget(model_calls=9, seconds=60))
    first: Any = agent.prepare("Read on.", db=tmp_path / "agent.db")
    seen: list[Any] = []

    def stop_late(event: Any) -> None:
        seen.append(event)
        if sum(type(each).__name__ == "ModelCallEnded" for each in seen) == 7:
            first.stop("enough")

    assert (await first.work(stop_late)).status == "stopped"
    before = bodies(model, "openai", "gpt-4.1")[-1]
    model.requests.clear()
    await agent.resume(first.run_id, db=tmp_path / "agent.db").work()
    assert bodies(model, "openai", "gpt-4.1")[0].startswith(before.removesuffix(b"]}"))
