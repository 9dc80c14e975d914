"""The journals that this process has open: one store for each file and thread, and few that nobody works with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from prudent.journal.redact import Redactor
from prudent.journal.store import JournalStore

MOST_IDLE = 4
"""So many stores without a run at work are kept open by each thread for the next one."""

_Key = tuple[int, Path, bool]
_STORES: dict[_Key, JournalStore] = {}
"""By thread, file and whether raw bytes are kept; the one used last stands last."""

_LOCK = threading.Lock()


def opened(path: Path, *, record_raw: bool, secrets: Callable[[], Iterable[str]]) -> JournalStore:
    """Give this thread's store of a journal, opened anew where another file stands in the place of the one it knew.

    Args:
        path: The file, absolute.
        record_raw: Whether the bytes of model calls are kept.
        secrets: Lists what is to be hidden in all that is written; asked when the file is opened.
    """
    key = threading.get_ident(), path, record_raw
    with _LOCK:
        store = _STORES.pop(key, None)
        if store and not store.database.in_place:
            if not store.at_work:
                store.database.close()
            store = None
        if store is None:
            store = JournalStore(path, redactor=Redactor(secrets()), record_raw=record_raw)
            _close_idle_ones(key[0])
        _STORES[key] = store
    return store


def _close_idle_ones(thread: int) -> None:
    """Close what this thread, or one that has ended, has used least lately. Other threads may be about to use theirs."""
    alive = {other.ident for other in threading.enumerate()} - {thread}
    idle = [key for key, store in _STORES.items() if key[0] not in alive and not store.at_work]
    for key in idle[: max(0, len(idle) - MOST_IDLE)]:
        _STORES.pop(key).close()
