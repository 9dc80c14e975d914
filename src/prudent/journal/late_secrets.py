"""Hides a call's secret parameters in a reply that was written before anybody said that they are secret.

A journal that is told the tools' secret parameters when the run is claimed hides them at once and never needs this.
"""

from __future__ import annotations

import json
from typing import Any, cast

from prudent.events import CallPrepared
from prudent.journal.codec import write_message
from prudent.journal.contents import NOT_KEPT, Contents, Shelf
from prudent.journal.database import Database
from prudent.journal.open_arguments import OpenArguments
from prudent.journal.secrecy import Secrecy
from prudent.messages import canonical_json


def hide_in_reply(database: Database, run_id: str, event: CallPrepared, contents: Contents, secrecy: Secrecy) -> bool:
    """Overwrite the reply that asked for this call, inside the caller's transaction; false when it is clean already.

    The message keeps its hash as a name, so that whatever refers to it still finds it.
    """
    row = database.first(
        "SELECT seq, data FROM events WHERE run_id=? AND kind='ModelCallEnded' AND json_extract(data, '$.turn')=?"
        " ORDER BY seq DESC LIMIT 1",
        (run_id, event.turn),
    )
    if row is None:
        return False
    reply = cast(dict[str, Any], json.loads(cast(str, row[1])))
    message = Shelf(database).message(reply["message"])
    hidden = secrecy.message(message)
    if hidden == message:
        return False
    before, after = (canonical_json(write_message(version, contents)) for version in (message, hidden))
    database.execute("UPDATE messages SET data=? WHERE hash=?", (after, reply["message"]))
    database.execute(
        "UPDATE model_calls SET response=replace(response, ?, ?) WHERE run_id=? AND turn=?", (before, after, run_id, event.turn)
    )
    if "raw" in reply:
        database.execute("UPDATE blobs SET data=? WHERE hash=?", (NOT_KEPT, reply["raw"]["response"]))
    open_arguments, source = OpenArguments(database, run_id), f"event {row[0]}"
    for true, written in zip(message.calls, hidden.calls, strict=True):
        if written is not true and open_arguments.find(true.id, source) is None:
            open_arguments.keep(true.id, source, true.arguments)
    return True
