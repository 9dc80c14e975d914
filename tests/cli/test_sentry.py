"""The sentry hears signals and requests while the main thread is held up, and ends what does not end."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass, field

import pytest

from prudent.cli.sentry import Sentry


@dataclass
class FakeOutside:
    """Notes what the sentry does."""

    requested: str | None = None
    late: bool = False
    asked: list[str] = field(default_factory=list[str])
    ended: list[str] = field(default_factory=list[str])
    heard: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)

    def stop_requested(self) -> str | None:
        return self.requested

    def ask_to_stop(self, reason: str) -> None:
        self.asked.append(reason)
        self.heard.set()

    def overdue(self) -> bool:
        return self.late

    def end(self, reason: str, *, overdue: bool) -> None:
        assert overdue == self.late
        self.ended.append(reason)
        self.over.set()


@pytest.mark.parametrize(("number", "name"), [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")])
def test_the_first_signal_asks_the_run_to_stop(number: signal.Signals, name: str):
    outside = FakeOutside()
    with Sentry(outside) as sentry:
        os.kill(os.getpid(), number)
        assert outside.heard.wait(2)
    assert outside.asked == [name]
    assert sentry.reason == name
    assert not outside.ended


def test_a_run_that_does_not_end_is_ended():
    outside = FakeOutside()
    with Sentry(outside, grace_seconds=0.3, ending_seconds=0.05):
        began = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)
        while not outside.over.is_set() and time.monotonic() - began < 5:
            sum(range(20_000))  # holds the main thread, as a tool that computes does
        assert 0.2 < time.monotonic() - began < 2
        assert outside.ended == ["Ctrl-C"]
        outside.ended.clear()


def test_a_second_signal_ends_it_at_once():
    outside = FakeOutside()
    with Sentry(outside, grace_seconds=30, ending_seconds=0.05):
        os.kill(os.getpid(), signal.SIGINT)
        assert outside.heard.wait(2)
        os.kill(os.getpid(), signal.SIGTERM)
        assert outside.over.wait(2)
        assert outside.ended == ["Ctrl-C, then SIGTERM"]


def test_a_stop_from_elsewhere_is_seen():
    outside = FakeOutside()
    with Sentry(outside):
        outside.requested = "prudent stop"
        assert outside.heard.wait(2)
    assert outside.asked == ["prudent stop"]


def test_a_run_whose_time_is_up_and_who_does_not_notice_is_ended():
    outside = FakeOutside(late=True)
    with Sentry(outside, ending_seconds=0.05):
        assert outside.over.wait(2)
    assert not outside.asked


def test_a_signal_that_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        outside = FakeOutside()
        with Sentry(outside):
            os.kill(os.getpid(), signal.SIGHUP)
            time.sleep(0.1)
        assert not outside.asked
    finally:
        signal.signal(signal.SIGHUP, before)


def test_signals_are_given_back():
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with Sentry(FakeOutside()):
        assert signal.getsignal(signal.SIGINT) != before[0]
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
    assert not [thread for thread in threading.enumerate() if thread.name == "prudent-sentry"]


def test_a_run_that_has_ended_is_left_alone():
    outside = FakeOutside()
    with Sentry(outside, grace_seconds=0.1) as sentry:
        sentry.dismiss()
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.4)
    assert not outside.ended


def test_a_signal_passed_on_late_does_not_hit_a_process_that_is_leaving():
    before = signal.getsignal(signal.SIGINT)
    try:
        outside = FakeOutside()
        with Sentry(outside, last=True):
            os.kill(os.getpid(), signal.SIGINT)
            assert outside.heard.wait(2)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
    finally:
        signal.signal(signal.SIGINT, before)
