from __future__ import annotations

import anyio
import pytest

from prudent.errors import (
    ContextOverflow,
    ModelError,
    ModelOverloaded,
    ModelRefusedRequest,
    ModelStalled,
    ModelUnreachable,
    ReplyBroken,
)
from prudent.exchange import ModelEvent, ModelRequest, Reply, Retrying, TextDelta
from prudent.messages import Message
from prudent.models.retrying import RetryingModel
from prudent.models.scripted import ScriptedModel, failing, reply

pytestmark = pytest.mark.anyio

REQUEST = ModelRequest([Message("user", "hi")])


class Naps:
    """Notes pauses instead of making them."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def busy(seconds: float | None = None) -> ModelOverloaded:
    return ModelOverloaded("x answered 429", status=429, retry_after_seconds=seconds)


async def play(model: RetryingModel, seen: list[ModelEvent] | None = None) -> list[ModelEvent]:
    seen = [] if seen is None else seen
    async for event in model.stream(REQUEST):
        seen.append(event)
    return seen


def wrapped(*script: ModelError | str, attempts: int = 4, jitter: float = 1.0) -> tuple[RetryingModel, ScriptedModel, Naps]:
    inner, naps = ScriptedModel(script), Naps()
    return RetryingModel(inner, attempts=attempts, sleep=naps, jitter=lambda: jitter), inner, naps


async def test_what_works_passes_through() -> None:
    model, inner, naps = wrapped("ok")
    events = await play(model)
    assert events[0] == TextDelta("ok")
    assert isinstance(events[-1], Reply)
    assert (naps.seconds, model.name, model.profile) == ([], inner.name, inner.profile)
    await model.aclose()
    assert inner.closed


@pytest.mark.parametrize("error", [busy(), ModelUnreachable("gone"), ReplyBroken("cut")])
async def test_a_passing_failure_is_tried_again(error: ModelError) -> None:
    model, inner, naps = wrapped(error, "ok")
    events = await play(model)
    assert events[0] == Retrying(1, 0.5, error.reason, tokens_came=False)
    assert isinstance(events[-1], Reply)
    assert naps.seconds == [0.5]
    inner.assert_finished()


async def test_pauses_grow_and_the_last_failure_is_raised() -> None:
    model, inner, naps = wrapped(*[busy()] * 8, attempts=8)
    seen: list[ModelEvent] = []
    with pytest.raises(ModelOverloaded, match="x answered 429"):
        await play(model, seen)
    assert naps.seconds == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]
    assert [event.attempt for event in seen if isinstance(event, Retrying)] == [1, 2, 3, 4, 5, 6, 7]
    inner.assert_finished()


async def test_chance_takes_up_to_half_of_a_pause() -> None:
    model, _, naps = wrapped(busy(), "ok", jitter=0.0)
    await play(model)
    assert naps.seconds == [0.25]


async def test_the_pause_that_is_asked_for_is_made() -> None:
    model, _, naps = wrapped(busy(2.0), busy(60.0), busy(0.0), "ok")
    await play(model)
    assert naps.seconds == [2.0, 60.0, 0.0]


async def test_a_pause_longer_than_a_minute_is_not_made() -> None:
    model, inner, naps = wrapped(busy(61.0), "ok")
    with pytest.raises(ModelOverloaded):
        await play(model)
    assert (naps.seconds, len(inner.requests)) == ([], 1)


@pytest.mark.parametrize("error", [ModelStalled("s"), ModelRefusedRequest("400"), ContextOverflow("long"), ModelError("odd")])
async def test_other_failures_are_final(error: ModelError) -> None:
    model, inner, _ = wrapped(error, "ok")
    with pytest.raises(type(error)):
        await play(model)
    assert len(inner.requests) == 1


async def test_an_attempt_that_had_spoken_is_said_to_count() -> None:
    spoke = failing(reply("half", piece_chars=2), ModelUnreachable("gone"), after=1)
    only_dropped = failing(
        reply("", retrying=[Retrying(1, 0.0, "dropped", tokens_came=False)]), ModelUnreachable("gone"), after=0
    )
    for script, counted in ((spoke, True), (only_dropped, False)):
        inner = ScriptedModel([script, "ok"])
        events = await play(RetryingModel(inner, sleep=Naps()))
        again = [event for event in events if isinstance(event, Retrying) and event.reason == "gone"]
        assert [event.tokens_came for event in again] == [counted]


async def test_the_pause_is_announced_before_it_is_made_and_can_be_cut_short() -> None:
    model = RetryingModel(ScriptedModel([busy(30.0), "ok"]))
    seen: list[ModelEvent] = []
    with anyio.fail_after(2):
        with anyio.move_on_after(0.05) as scope:
            await play(model, seen)
        assert scope.cancelled_caught
    assert seen == [Retrying(1, 30.0, "x answered 429", tokens_came=False)]
