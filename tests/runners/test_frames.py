from __future__ import annotations

import socket
import threading

from hypothesis import given
from hypothesis import strategies as st

from prudent.runners.frames import HEADER, Kind, frame, receive


@given(st.lists(st.tuples(st.sampled_from(Kind), st.binary(max_size=5000)), max_size=5), st.integers(1, 700))
def test_messages_arrive_whole_however_they_are_cut(messages: list[tuple[Kind, bytes]], packet: int):
    ours, theirs = socket.socketpair()
    data = b"".join(frame(kind, body) for kind, body in messages)

    def send() -> None:
        with theirs:
            for at in range(0, len(data), packet):
                theirs.sendall(data[at : at + packet])

    sender = threading.Thread(target=send)
    sender.start()
    with ours:
        assert [receive(ours) for _ in messages] == [(kind, bytearray(body)) for kind, body in messages]
        assert receive(ours) is None
    sender.join()


def test_a_message_that_breaks_off_is_no_message():
    for data in (frame(Kind.CALL, b"abc")[:-1], HEADER.pack(Kind.CALL, 0, 3), b"\x01"):
        ours, theirs = socket.socketpair()
        with ours:
            theirs.sendall(data)
            theirs.close()
            assert receive(ours) is None
