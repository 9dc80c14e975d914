from __future__ import annotations

import asyncio
import gc
import gzip
import itertools
import socket
import ssl
import weakref
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.loopback import HANG_UP, Loopback, Played, frames, say, serving, whole

from prudent.errors import ConfigurationError, ModelStalled, ModelUnreachable, ReplyBroken
from prudent.models import connections, wire
from prudent.models.wire import DataLines, Wire

STREAM = (
    b'\xef\xbb\xbf: hello\r\n\r\nevent: error\ndata: {"a": "\xe4\xb8\xad"}\n\n'
    b'data:{"b":1}\r\n\r\nid: 7\nretry: 5\n data: spaced\n\ndata: [DONE]\n\ndata: last'
)
PAIRS = [("error", '{"a": "中"}'.encode()), ("", b'{"b":1}'), ("", b"spaced"), ("", b"[DONE]"), ("", b"last")]


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def read(*pieces: bytes) -> list[tuple[str, bytes]]:
    lines = DataLines()
    pairs = [pair for piece in pieces for pair in lines.feed(piece)]
    return pairs + lines.finish()


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


@given(st.lists(st.integers(0, 10_000), max_size=30))
def test_data_lines_are_the_same_however_the_bytes_are_cut(places: list[int]) -> None:
    assert read(*cut(STREAM, places)) == PAIRS


@given(st.lists(st.integers(0, 10_000), max_size=10))
def test_a_json_document_is_one_pair_however_it_is_cut(places: list[int]) -> None:
    assert read(*cut(b'\n {"a": [1,\n2]}\n', places)) == [("whole", b'{"a": [1,\n2]}\n')]


def test_lines_may_end_with_a_carriage_return_alone() -> None:
    assert read(b"data: 1\r\rdata: 2\r\r") == [("", b"1"), ("", b"2")]


def test_what_is_neither_gives_nothing_and_is_remembered() -> None:
    lines = DataLines()
    assert lines.feed(b"<html><body>Gateway</body></html>") == []
    assert lines.finish() == []
    assert lines.head == b"<html><body>Gateway</body></html>"
    assert read() == []


def test_a_line_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "_LINE_MAX_BYTES", 1000)
    lines = DataLines()
    lines.feed(b"data: ")
    with pytest.raises(ReplyBroken, match="longer than 1,000 bytes"):
        lines.feed(b"x" * 2000)


@pytest.mark.parametrize("url", ["localhost:8000/v1", "ftp://host/v1", "http://", "http://[::1"])
def test_a_url_that_cannot_work_is_a_configuration_error(url: str) -> None:
    with pytest.raises(ConfigurationError, match="URL"):
        Wire(url, speaker="x")


class TestPosting:
    pytestmark = pytest.mark.anyio

    async def test_the_body_and_headers_arrive_and_the_answer_streams(self) -> None:
        async with serving(say("hello")) as server:
            sender = Wire(f"{server.url}/chat", speaker="test", headers=[("authorization", "Bearer k")])
            async with sender.post(b'{"a": 1}', stall_seconds=5) as answer:
                assert answer.status == 200
                assert answer.headers["content-type"] == "text/event-stream"
                assert b"hello" in await answer.whole()
            await sender.aclose()
        [received] = server.received
        assert (received.path, received.body) == ("/v1/chat", {"a": 1})
        assert received.headers["authorization"] == "Bearer k"
        assert received.headers["content-type"] == "application/json"
        assert received.headers["accept-encoding"] == "identity"

    async def test_a_connection_is_kept_for_the_next_call_and_shared(self) -> None:
        async with serving(say("hello")) as server:
            senders = [Wire(f"{server.url}/chat", speaker="test") for _ in range(2)]
            for sender in senders * 3:
                async with sender.post(b"{}", stall_seconds=5) as answer:
                    await answer.whole()
            assert server.connections == 1
            await senders[0].aclose()
            async with senders[1].post(b"{}", stall_seconds=5) as answer:
                await answer.whole()
            assert server.connections == 1
            await senders[1].aclose()
            async with senders[1].post(b"{}", stall_seconds=5) as answer:
                await answer.whole()
            assert server.connections == 2
            await senders[1].aclose()

    async def test_no_byte_for_too_long_is_a_stall(self) -> None:
        async with serving(Played([b": here\n\n", 1.0, b"late"]), Played([1.0])) as server:
            sender = Wire(f"{server.url}/chat", speaker="test")
            for _ in range(2):
                with pytest.raises(ModelStalled, match=r"test sent no byte for 0\.1 s"):
                    async with sender.post(b"{}", stall_seconds=0.1) as answer:
                        await answer.whole()
            await sender.aclose()

    async def test_bytes_in_time_are_no_stall(self) -> None:
        async with serving(Played([b": ping\n\n", 0.1] * 4)) as server:
            sender = Wire(f"{server.url}/chat", speaker="test")
            async with sender.post(b"{}", stall_seconds=0.3) as answer:
                assert (await answer.whole()).count(b"ping") == 4
            await sender.aclose()

    async def test_a_lost_connection_is_unreachable(self) -> None:
        async with serving(Played([b"data: 1\n\n", HANG_UP]), Played([HANG_UP])) as server:
            sender = Wire(f"{server.url}/chat", speaker="test")
            for _ in range(2):
                with pytest.raises(ModelUnreachable, match="test lost the connection"):
                    async with sender.post(b"{}", stall_seconds=5) as answer:
                        await answer.whole()
            await sender.aclose()

    async def test_nobody_there_is_unreachable_and_says_why(self) -> None:
        sender = Wire(f"http://127.0.0.1:{free_port()}/v1", speaker="test")
        with pytest.raises(ModelUnreachable, match="test cannot be reached: Connection refused"):
            async with sender.post(b"{}", stall_seconds=5):
                pass
        await sender.aclose()

    async def test_an_answer_without_end_is_given_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(wire, "ANSWER_MAX_BYTES", 1000)
        async with serving(whole(b"{" + b" " * 5000)) as server:
            sender = Wire(f"{server.url}/chat", speaker="test")
            with pytest.raises(ReplyBroken, match="more than 1,000 bytes"):
                async with sender.post(b"{}", stall_seconds=5) as answer:
                    await answer.whole()
            await sender.aclose()

    async def test_a_compressed_answer_is_read_all_the_same(self) -> None:
        packed = Played([gzip.compress(frames({"a": 1}))], headers={"content-encoding": "gzip"})
        async with serving(packed) as server:
            sender = Wire(f"{server.url}/chat", speaker="test")
            async with sender.post(b"{}", stall_seconds=5) as answer:
                assert await answer.whole() == frames({"a": 1})
            await sender.aclose()

    async def test_cancelling_ends_the_call_at_once(self) -> None:
        async with serving(Played([b": here\n\n", 30.0])) as server:
            sender = Wire(f"{server.url}/chat", speaker="test")
            with anyio.move_on_after(0.1) as scope:
                async with sender.post(b"{}", stall_seconds=30) as answer:
                    await answer.whole()
            assert scope.cancelled_caught
            await sender.aclose()

    async def test_a_unix_socket_is_spoken_to(self, tmp_path: Path) -> None:
        loopback = Loopback([say("hi")])
        path = str(tmp_path / "s")
        server = await asyncio.start_unix_server(loopback.serve, path)
        sender = Wire("http://local/v1/chat", speaker="test", unix_socket=path)
        async with sender.post(b"{}", stall_seconds=5) as answer:
            assert b"hi" in await answer.whole()
        await sender.aclose()
        server.close()


def test_one_wire_works_in_several_event_loops_in_turn() -> None:
    port = free_port()
    sender = Wire(f"http://127.0.0.1:{port}/v1/chat", speaker="test")

    async def once() -> None:
        async with serving(say("hello"), port=port):
            async with sender.post(b"{}", stall_seconds=5) as answer:
                assert b"hello" in await answer.whole()
            await sender.aclose()

    for _ in range(3):
        asyncio.run(once())


# The sockets of a loop that was closed first can only be freed, which Python warns of.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_clients_of_a_closed_loop_are_let_go() -> None:
    port = free_port()
    sender = Wire(f"http://127.0.0.1:{port}/v1/chat", speaker="test")
    loops: list[weakref.ref[asyncio.AbstractEventLoop]] = []

    async def once(*, close: bool) -> None:
        loops.append(weakref.ref(asyncio.get_running_loop()))
        async with serving(say("hello"), port=port):
            async with sender.post(b"{}", stall_seconds=5) as answer:
                await answer.whole()
            if close:
                await sender.aclose()

    asyncio.run(once(close=False))
    asyncio.run(once(close=True))
    gc.collect()
    assert loops[0]() is None


def test_certificates_are_loaded_for_tls_only(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[ssl.SSLContext] = []

    def load() -> ssl.SSLContext:
        loaded.append(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        return loaded[-1]

    monkeypatch.setattr(connections, "_certificates", load)

    async def acquire(origin: str) -> None:
        server = connections.Server(origin)
        connections.acquire(server)
        await connections.release(server)

    asyncio.run(acquire("http://127.0.0.1:1"))
    assert not loaded
    asyncio.run(acquire("https://example.invalid"))
    assert len(loaded) == 1
