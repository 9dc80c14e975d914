from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from prudent.events import CallPrepared, RunStarted
from prudent.journal import artifacts
from prudent.journal.store import JournalStore
from prudent.ports import Artifact

Start = Callable[..., RunStarted]
KEY = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" * 2


def test_results_are_kept_as_text_or_bytes_also_after_a_restart(path: Path, start: Start) -> None:
    with JournalStore(path) as store:
        journal = store.begin(start())
        first = journal.artifacts.keep("c1", "text/plain", "十四天" * 1000)
        second = journal.artifacts.keep("c2", "image/png", b"\x89PNG\xff\x00")
        assert all(re.fullmatch(r"[A-Za-z0-9_-]+", handle) for handle in (first, second))
        journal.release()
    with JournalStore(path) as store:
        journal = store.claim("run-1")
        assert journal.artifacts.find(first) == Artifact(first, "text/plain", "十四天" * 1000)
        assert journal.artifacts.find(second) == Artifact(second, "image/png", b"\x89PNG\xff\x00")
        assert journal.artifacts.find("r99") is None
        third = journal.artifacts.keep("c3", "text/plain", "x")
        assert store.artifact_handles("run-1") == [first, second, third]
        assert store.artifact("run-1", third) == Artifact(third, "text/plain", "x")


def test_handles_belong_to_their_run(store: JournalStore, start: Start) -> None:
    one, two = store.begin(start("a")), store.begin(start("b"))
    handle = one.artifacts.keep("c", "text/plain", "of a")
    assert two.artifacts.find(handle) is None
    assert two.artifacts.keep("c", "text/plain", "of b") == handle


def test_results_are_redacted(store: JournalStore, start: Start) -> None:
    journal = store.begin(start())
    journal.append(CallPrepared(turn=1, position=0, call_id="c", tool_name="login", arguments={"pin": "4711"}, secret=("pin",)))
    handles = [
        journal.artifacts.keep("c", "text/plain", f"{KEY} and 4711"),
        journal.artifacts.keep("other", "text/plain", "order 4711"),
        journal.artifacts.keep("other", "text/csv", f"a,{KEY}\n".encode()),
    ]
    found = [store.artifact("run-1", handle) for handle in handles]
    assert [artifact.content for artifact in found if artifact] == [
        "[redacted: github token] and [redacted: secret parameter]",
        "order 4711",
        b"a,[redacted: github token]\n",
    ]


def test_a_result_without_bounds_is_cut_and_says_so(store: JournalStore, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifacts, "ARTIFACT_LIMIT", 1000)
    results = store.begin(start()).artifacts
    text = results.find(results.keep("c", "text/plain", "x" * 1001))
    assert text == Artifact("r1", "text/plain; cut", "x" * 1000 + "\n[cut here: 1001 characters in all]")
    assert results.find(results.keep("c", "image/png", b"x" * 1001)) == Artifact("r2", "image/png; cut", b"x" * 1000)
