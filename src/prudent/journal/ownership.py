"""Who owns a run: one process at a time, by a lease it renews and a fence that rises with each claim."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import cast

from prudent.errors import OwnershipLost, RunAlive, RunNotFound
from prudent.journal.database import Database

LEASE_SECONDS = 15.0
"""How long a run stays its owner's without a sign of life."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that works on a run."""

    label: str
    """What people see, such as `cli`."""

    machine: str
    """Host, boot and process-id space: a process id means something only there."""

    pid: int
    pid_started: str
    """When the process began, as the system tells it, since process ids are used again; "" where it does not tell."""

    lease_until: float = 0.0
    """Seconds since 1970."""

    def is_dead(self) -> bool:
        """Whether the process is provably gone; false whenever that cannot be known from here."""
        return self.machine == _machine() and _is_gone(self.pid, self.pid_started)

    def is_working(self, now: float) -> bool:
        """Whether the run is still this owner's."""
        return self.pid != 0 and self.lease_until > now and not self.is_dead()


def this_process(label: str | None = None) -> Owner:
    """Describe the process that calls."""
    pid = os.getpid()
    return Owner(label or f"process {pid}", _machine(), pid, _started(pid))


def create(database: Database, run_id: str, owner: Owner, now: float) -> int:
    """Note a new run's first owner and return the fence; call inside a transaction."""
    database.execute(
        "INSERT INTO owners VALUES (?, ?, ?, ?, ?, 1, ?)",
        (run_id, owner.label, owner.machine, owner.pid, owner.pid_started, now + LEASE_SECONDS),
    )
    return 1


def find_owner(database: Database, run_id: str) -> Owner:
    """Give the run's present or last owner, whose `pid` is 0 when it has let the run go."""
    row = database.first("SELECT owner, machine, pid, pid_started, lease_until FROM owners WHERE run_id=?", (run_id,))
    if row is None:
        raise RunNotFound(f"there is no run {run_id} in {database.path}")
    label, machine, pid, started, lease = row
    return Owner(str(label), str(machine), cast(int, pid), str(started), cast(float, lease))


def take_over(database: Database, run_id: str, owner: Owner, now: float, *, by_force: bool = False) -> int:
    """Make `owner` the run's owner and return the new fence; call inside a transaction.

    Raises:
        RunAlive: when another owner still works on it, unless `by_force`.
        RunNotFound: when there is no such run.
    """
    present = find_owner(database, run_id)
    if not by_force and present.is_working(now):
        raise RunAlive(
            f"run {run_id} is being worked on by {present.label} (process {present.pid} on "
            f"{present.machine.partition('/')[0]}): wait for it, or end it with: prudent stop {run_id}"
        )
    database.execute(
        "UPDATE owners SET owner=?, machine=?, pid=?, pid_started=?, fence=fence+1, lease_until=? WHERE run_id=?",
        (owner.label, owner.machine, owner.pid, owner.pid_started, now + LEASE_SECONDS, run_id),
    )
    return cast(int, database.query("SELECT fence FROM owners WHERE run_id=?", (run_id,))[0][0])


def renew(database: Database, run_id: str, fence: int, now: float) -> None:
    """Give a sign of life; raises OwnershipLost when the run is another's by now."""
    changed = database.execute(
        "UPDATE owners SET lease_until=? WHERE run_id=? AND fence=?", (now + LEASE_SECONDS, run_id, fence)
    ).rowcount
    if not changed:
        raise lost(run_id)


def let_go(database: Database, run_id: str, fence: int) -> None:
    """Give the run up. The fence rises, so that nothing can be added to it before it is claimed again."""
    database.execute("UPDATE owners SET pid=0, lease_until=0, fence=fence+1 WHERE run_id=? AND fence=?", (run_id, fence))


def lost(run_id: str) -> OwnershipLost:
    """Make the error of an owner whose fence is no longer valid."""
    return OwnershipLost(f"run {run_id} was ended or taken over by another process: this one must not go on with it")


@lru_cache(maxsize=1)
def _machine() -> str:
    """Tell this machine from any other, also after a restart and inside a container."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    with suppress(OSError):
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return "/".join(parts)


def _started(pid: int) -> str:
    """Give the start time of a process in the system's own units; "" for a gone or undead one, or where unknown."""
    try:
        # The name in parentheses may hold anything, so fields are counted from its end: state is the first.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (OSError, ValueError):
        return ""
    return "" if fields[0] in "ZX" else fields[19]


def _is_gone(pid: int, started: str) -> bool:
    if started:
        return _started(pid) != started
    if sys.platform == "win32":
        # There `os.kill(pid, 0)` would end the process instead of looking for it.
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
