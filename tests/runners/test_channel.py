"""A worker as the program sees it, with the test on the other side."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from prudent.errors import ToolCrashed
from prudent.runners.channel import Fate, Worker, WorkerGone
from prudent.runners.frames import HEADER, MOST_BYTES, Kind, frame, receive
from prudent.runners.zygote import FATE, NOT_STARTED

pytestmark = pytest.mark.anyio


@dataclass
class Scene:
    worker: Worker
    other_side: socket.socket
    fate: int

    def tell(self, status: int, left_running: bool = False) -> None:
        os.write(self.fate, FATE.pack(status, left_running))


@pytest.fixture
def scene() -> Iterator[Scene]:
    ours, theirs = socket.socketpair()
    reading, writing = os.pipe()
    ours.setblocking(False)
    os.set_blocking(reading, False)
    made = Scene(Worker(1, ours, reading), theirs, writing)
    yield made
    made.worker.forget()
    theirs.close()
    os.close(writing)


async def test_a_request_goes_out_and_its_reply_comes_in(scene: Scene):
    asking = asyncio.create_task(scene.worker.ask(Kind.CALL, b"question", 20))
    await asyncio.sleep(0)
    assert receive(scene.other_side) == (Kind.CALL, b"question")
    for byte in frame(Kind.RESULT, b"answer", spent=True):
        scene.other_side.send(bytes([byte]))
        await asyncio.sleep(0)
    reply = await asking
    assert (reply.kind, reply.spent, bytes(reply.body)) == (Kind.RESULT, True, b"answer")
    assert scene.worker.alive


async def test_a_request_that_nobody_reads_waits_for_room(scene: Scene):
    asking = asyncio.create_task(scene.worker.ask(Kind.CALL, b"x" * 3_000_000, 20))
    await asyncio.sleep(0.02)
    request = await asyncio.to_thread(receive, scene.other_side)
    assert request == (Kind.CALL, b"x" * 3_000_000)
    scene.other_side.sendall(frame(Kind.RESULT, b""))
    assert (await asking).kind is Kind.RESULT


@pytest.mark.parametrize("size", [3, 3_000_000])
async def test_no_reply_in_time(scene: Scene, size: int):
    with pytest.raises(TimeoutError):
        await scene.worker.ask(Kind.CALL, b"x" * size, 0.05)


@pytest.mark.parametrize("said", [b"", frame(Kind.RESULT, b"abc")[:-1]])
async def test_the_end_comes_before_the_reply(scene: Scene, said: bytes):
    asking = asyncio.create_task(scene.worker.ask(Kind.CALL, b"", 20))
    await asyncio.sleep(0)
    receive(scene.other_side)
    scene.other_side.sendall(said)
    scene.other_side.close()
    with pytest.raises(WorkerGone):
        await asking
    assert not scene.worker.alive


async def test_there_is_nobody_to_ask(scene: Scene):
    scene.other_side.close()
    with pytest.raises(WorkerGone):
        await scene.worker.ask(Kind.CALL, b"", 20)


@pytest.mark.parametrize(
    "said",
    [
        b"\xff" * 64,
        frame(Kind.RESULT, b"") + b"more",
        HEADER.pack(Kind.RESULT, 0, MOST_BYTES + 1),
        b"Traceback (most recent call",
    ],
)
async def test_rubbish_is_no_reply(scene: Scene, said: bytes):
    scene.other_side.sendall(said)
    with pytest.raises(ToolCrashed, match="no reply"):
        await scene.worker.ask(Kind.CALL, b"", 20)


async def test_an_idle_worker_that_says_something_is_not_to_be_used(scene: Scene):
    assert scene.worker.alive
    scene.other_side.send(b"x")
    assert not scene.worker.alive


async def test_its_fate_is_awaited(scene: Scene):
    assert scene.worker.fate() is None
    assert await scene.worker.gone(0.02) is None
    asyncio.get_running_loop().call_later(0.02, scene.tell, -9, True)
    assert await scene.worker.gone(20) == Fate(-9, True)
    assert await scene.worker.gone(0) == Fate(-9, True)


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (0, "exited with status 0"),
        (-11, "was killed by SIGSEGV"),
        (-63, "was killed by signal 63"),
        (NOT_STARTED, "could not be started: this machine has no process or file descriptor left"),
        (None, "was lost"),
    ],
)
def test_a_fate_in_words(status: int | None, text: str):
    assert str(Fate(status, False)) == text


async def test_nobody_is_left_to_tell_its_fate(scene: Scene):
    os.close(scene.fate)
    scene.fate = os.dup(0)
    assert await scene.worker.gone(20) == Fate(None, True)
