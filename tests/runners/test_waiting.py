from __future__ import annotations

import asyncio
import os
import time

import anyio
import pytest

from prudent.runners.waiting import await_readable, outlast

pytestmark = pytest.mark.anyio


async def test_it_ends_when_the_future_is_done():
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(0.02, future.set_result, 3)
    began = time.monotonic()
    await outlast(future, 20)
    assert time.monotonic() - began < 10
    assert future.result() == 3


async def test_it_ends_at_its_limit():
    began = time.monotonic()
    await outlast(asyncio.get_running_loop().create_future(), 0.05)
    assert time.monotonic() - began >= 0.05


async def test_it_leaves_the_exception_alone():
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    future.set_exception(KeyError())
    await outlast(future, 1)
    assert isinstance(future.exception(), KeyError)


async def test_a_cancellation_waits_for_its_end():
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(outlast(future, 20))
    for _ in range(5):
        await asyncio.sleep(0.01)
        task.cancel()
    assert not task.done()
    future.set_result(None)
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_it_does_not_spin_in_a_cancelled_scope():
    began, used = time.monotonic(), time.thread_time()
    with anyio.CancelScope() as scope:
        scope.cancel()
        await outlast(asyncio.get_running_loop().create_future(), 0.3)
    assert time.monotonic() - began >= 0.29
    assert time.thread_time() - used < 0.1


async def test_readable_means_data_or_the_end():
    for say in (b"x", b""):
        reading, writing = os.pipe()
        waiting = asyncio.create_task(await_readable(reading, 20))
        await asyncio.sleep(0.02)
        assert not waiting.done()
        if say:
            os.write(writing, say)
        os.close(writing)
        await waiting
        os.close(reading)
