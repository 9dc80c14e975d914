"""The journals that this process has open: one store for each file and thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from prudent.journal.redact import Redactor
from prudent.journal.store import JournalStore

_STORES: dict[tuple[Path, bool, int], JournalStore] = {}


def opened(path: Path, *, record_raw: bool, secrets: Callable[[], Iterable[str]]) -> JournalStore:
    """Give this thread's store of a journal, opened anew where another file stands in the place of the one it knew.

    Args:
        path: The file, absolute.
        record_raw: Whether the bytes of model calls are kept.
        secrets: Lists what is to be hidden in all that is written; asked when the file is opened.
    """
    key = path, record_raw, threading.get_ident()
    store = _STORES.get(key)
    if store is None or not store.database.in_place:
        store = _STORES[key] = JournalStore(path, redactor=Redactor(secrets()), record_raw=record_raw)
    return store
