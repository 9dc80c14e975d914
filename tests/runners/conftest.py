"""What the runners' tests share: the kit, a runner with workers of its own, and looks into /proc."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from prudent.runners.process import ProcessRunner
from prudent.runners.workers import SharedWorkers, Workers

TAG = "PRUDENT_TEST_TAG"


def load_file(file: Path) -> ModuleType:
    """Load a file as the command line loads an agent file: by path, under a name that cannot be imported."""
    name = f"agent file {file.stem}-{abs(hash(file))}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def kit() -> ModuleType:
    """The tools of kit.py."""
    return load_file(Path(__file__).with_name("kit.py"))


@pytest.fixture
def load() -> Callable[[Path], ModuleType]:
    return load_file


@pytest.fixture
def tag(monkeypatch: pytest.MonkeyPatch) -> str:
    """Mark the environment, so that every process started from here can be found."""
    value = uuid.uuid4().hex
    monkeypatch.setenv(TAG, value)
    return value


@pytest.fixture(scope="session")
def common_workers() -> Iterator[SharedWorkers]:
    """Workers for all tests that need not see them start or end."""
    workers = Workers()
    shared = SharedWorkers(lambda: workers)
    shared.join()
    yield shared
    workers.close()


@pytest.fixture
async def runner(common_workers: SharedWorkers) -> AsyncIterator[ProcessRunner]:
    made = ProcessRunner(shared=common_workers)
    yield made
    await made.aclose()


@pytest.fixture
async def fresh(tag: str) -> AsyncIterator[ProcessRunner]:
    """A process runner with a zygote of its own, which carries the tag."""
    made = ProcessRunner(shared=SharedWorkers())
    yield made
    await made.aclose()


@pytest.fixture
def tagged(tag: str) -> Callable[[], set[int]]:
    """Find the processes that carry the tag in their first environment, but not this one; zombies do not count."""

    def find() -> set[int]:
        found: set[int] = set()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                carries = f"{TAG}={tag}".encode() in (folder / "environ").read_bytes()
                state = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
            except OSError:
                continue
            if carries and state != "Z" and int(folder.name) != os.getpid():
                found.add(int(folder.name))
        return found

    return find


@pytest.fixture
def alive() -> Callable[[Path], set[int]]:
    """Find which of the processes that left word in a marker's folder are still there; zombies do not count."""

    def find(folder: Path) -> set[int]:
        found: set[int] = set()
        for file in folder.glob("*.begun"):
            for pid in file.read_text().split():
                try:
                    state = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
                except OSError:
                    continue
                if state != "Z":
                    found.add(int(pid))
        return found

    return find


@pytest.fixture
def eventually() -> Callable[..., float]:
    """Wait until something holds and tell how long it took; fail when it takes too long."""

    def wait(holds: Callable[[], object], *, seconds: float = 10.0) -> float:
        began = time.monotonic()
        while not holds():
            assert time.monotonic() - began < seconds, "it never came to be"
            time.sleep(0.005)
        return time.monotonic() - began

    return wait
