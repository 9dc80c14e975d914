"""The embedded model: what can be said without a model file, and a few cases with one."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from prudent.agent import Agent
from prudent.config.loading import load_agent
from prudent.errors import ConfigurationError, ContextOverflow, MissingExtra, ReplyBroken
from prudent.events import CallPrepared, Event
from prudent.exchange import ModelRequest, ModelSettings, Reply, TextDelta
from prudent.messages import Message
from prudent.models import local_engine
from prudent.models.gguf import installed
from prudent.models.local import DEFAULT_MODEL, LocalModel, open_local, profile_for
from prudent.models.local_engine import Engine, Generation, engine_for
from prudent.result import RunResult

pytestmark = pytest.mark.anyio

STARTER = Path(__file__).parents[2] / "examples" / "starter.toml"


class PlayedServer:
    """Stands for the engine's server: gives listed chunks until it is told to stop."""

    def __init__(self, chunks: list[Any], *, gap_seconds: float = 0.0) -> None:
        self.chunks = chunks
        self.gap_seconds = gap_seconds
        self.given = 0
        self.bodies: list[Any] = []
        self.active = 0
        self.most_active = 0

    def handle_chat_completions(self, body: Any, take: Any) -> None:
        self.bodies.append(body)
        self.active += 1
        self.most_active = max(self.most_active, self.active)
        for chunk in self.chunks:
            time.sleep(self.gap_seconds)
            self.given += 1
            if take(chunk):
                break
        self.active -= 1


def text(piece: str, finish: str | None = None) -> Any:
    return {"choices": [{"delta": {"content": piece} if piece else {}, "finish_reason": finish}]}


USAGE: Any = {
    "choices": [],
    "usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
}


def ignore(_anything: object) -> None: ...


def model_over(server: PlayedServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> LocalModel:
    engine = Engine(tmp_path / "x.gguf", threads=1, context_tokens=512)
    monkeypatch.setattr(engine, "_load", lambda: server)
    monkeypatch.setattr(local_engine.atexit, "register", ignore)
    return LocalModel("local:x", engine)


async def test_a_reply_streams_with_the_engines_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    server = PlayedServer([text("Hel"), text("lo"), text("", "stop"), USAGE])
    model = model_over(server, monkeypatch, tmp_path)
    request = ModelRequest([Message("user", "hi")], settings=ModelSettings(temperature=None), output_schema={"type": "string"})
    events = [event async for event in model.stream(request)]
    assert [event.text for event in events if isinstance(event, TextDelta)] == ["Hel", "lo"]
    last = events[-1]
    assert isinstance(last, Reply)
    assert (last.message.text, last.finish_reason) == ("Hello", "stop")
    assert (last.usage.input_tokens, last.usage.cached_tokens, last.usage.output_tokens) == (9, 4, 2)
    assert last.raw
    assert last.raw.response == b"Hello"
    body = server.bodies[0]
    assert body["temperature"] == 0.0
    assert body["grammar"].startswith("%llguidance {}\nstart: %json {")


async def test_closing_the_stream_stops_the_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    server = PlayedServer([text("x")] * 500, gap_seconds=0.01)
    stream = model_over(server, monkeypatch, tmp_path).stream(ModelRequest([Message("user", "hi")]))
    await anext(stream)
    began = time.monotonic()
    await stream.aclose()
    assert time.monotonic() - began < 0.2
    await anyio.sleep(0.1)
    assert server.active == 0
    assert server.given < 100


async def test_requests_of_one_process_wait_for_each_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    server = PlayedServer([text("x", "stop")], gap_seconds=0.02)
    model = model_over(server, monkeypatch, tmp_path)

    async def ask() -> None:
        async for _ in model.stream(ModelRequest([Message("user", "hi")])):
            pass

    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(ask)
    assert (server.given, server.most_active) == (5, 1)


async def test_what_the_engine_complains_of_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    too_long = {"error": {"type": "exceed_context_size_error", "n_ctx": 512, "n_prompt_tokens": 900, "message": "…"}}
    for chunks, expected in (([too_long], ContextOverflow), ([{"error": {"message": "bad"}}], ReplyBroken), ([], ReplyBroken)):
        model = model_over(PlayedServer(chunks), monkeypatch, tmp_path)
        with pytest.raises(expected):
            [event async for event in model.stream(ModelRequest([Message("user", "hi")]))]


def test_names_and_settings_that_cannot_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PRUDENT_MODELS", str(tmp_path))
    with pytest.raises(ConfigurationError, match=f"prudent models pull {DEFAULT_MODEL}"):
        open_local("local")
    with pytest.raises(ConfigurationError, match="names no embedded model"):
        open_local("ollama:x")
    (tmp_path / "own.gguf").write_bytes(b"GGUF")
    monkeypatch.setenv("PRUDENT_THREADS", "many")
    with pytest.raises(ConfigurationError, match="PRUDENT_THREADS"):
        open_local("local:own")
    monkeypatch.setattr(local_engine, "find_spec", ignore)
    with pytest.raises(MissingExtra, match=r"prudent\[local\]"):
        engine_for(tmp_path / "own.gguf", threads=1, context_tokens=512)


def test_how_narrow_a_model_is_held_goes_by_its_size() -> None:
    tiny, small = profile_for(491_400_064), profile_for(1_117_320_768)
    assert tiny
    assert small
    assert (tiny.knows_when_not, small.knows_when_not) == (False, True)
    assert profile_for(5_000_000_000) is None


def test_a_generation_that_was_stopped_while_it_waited_never_begins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    server = PlayedServer([text("x")] * 50, gap_seconds=0.01)
    engine = model_over(server, monkeypatch, tmp_path).engine
    first, second = (Generation(engine, {}, lambda _item: None) for _ in range(2))
    threads = [threading.Thread(target=engine.generate, args=(generation,)) for generation in (first, second)]
    threads[0].start()
    time.sleep(0.05)
    threads[1].start()
    second.stop()
    threads[1].join(1)
    first.stop()
    threads[0].join(1)
    assert len(server.bodies) == 1


# -- with a model file ------------------------------------------------------------------------------------------------


def cached_model() -> str:
    """Name the model that is there: the default one before the smaller one."""
    there = {model.name for model in installed()}
    for name in (DEFAULT_MODEL, "qwen2.5-coder-0.5b"):
        if name in there:
            return f"local:{name}"
    pytest.skip("no embedded model is cached: prudent models pull qwen2.5-coder-0.5b --yes")


async def work(task: str, tmp_path: Path) -> tuple[RunResult, list[str]]:
    agent: Agent = load_agent(str(STARTER))
    tools: list[str] = []
    result: RunResult | None = None
    item: Event | RunResult
    async for item in agent.stream(task, model=cached_model(), db=tmp_path / "agent.db"):
        if isinstance(item, CallPrepared) and item.is_task:
            tools.append(item.tool_name)
        elif isinstance(item, RunResult):
            result = item
    assert result
    assert result.status == "completed", result.error
    return result, tools


@pytest.mark.real_model
async def test_a_rule_is_looked_up(tmp_path: Path) -> None:
    result, tools = await work("How many days do I have to return a station after delivery?", tmp_path)
    assert "search_knowledge" in tools
    assert "60" in result.output
    assert "returns.md" in result.output


@pytest.mark.real_model
async def test_a_sum_is_calculated(tmp_path: Path) -> None:
    result, tools = await work("How much is 48 times 37?", tmp_path)
    assert tools == ["calculator"]
    assert "1776" in result.output.replace(",", "")


@pytest.mark.real_model
async def test_a_chinese_question_is_answered_in_chinese_and_a_long_answer_can_be_stopped(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    result, tools = await work("年度套餐多少天内可以退货？", tmp_path)
    assert "search_knowledge" in tools
    assert "15" in result.output
    stream = open_local(cached_model()).stream(ModelRequest([Message("user", "Tell me a very long story.")]))
    await anext(stream)
    began = time.monotonic()
    await stream.aclose()
    assert time.monotonic() - began < 0.2
    printed = capfd.readouterr()
    assert "srv" not in printed.out + printed.err, "the engine's own log got through"
    assert "xllamacpp" in sys.modules
