"""Standard output holds the JSON and nothing else, whoever else writes to it."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest

from prudent.cli.machine import JsonFace
from prudent.events import Event, TextArrived
from prudent.types import JSONObject

SCRIPT = """
import os, subprocess, sys
from prudent.cli.machine import JsonFace, fill_missing_streams, take_stdout
fill_missing_streams()
face = JsonFace(take_stdout(), redact=lambda value: value)
print("from a tool")
os.write(1, b"from C\\n")
subprocess.run(["echo", "from a child"])
face.end({"output": "天气\\ud83d"})
"""


def test_prints_of_tools_and_children_go_to_standard_error():
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, capture_output=True, timeout=30, check=True)
    assert json.loads(done.stdout.decode()) == {"output": "天气\ud83d"}
    assert done.stdout.count(b"\n") == 1
    for words in (b"from a tool", b"from C", b"from a child"):
        assert words in done.stderr


@pytest.mark.parametrize("closed", ["2>&-", "<&-", "<&- 2>&-"])
def test_closed_streams_are_no_obstacle(closed: str):
    command = ["/bin/sh", "-c", f'exec {sys.executable} -c "$0" {closed}', SCRIPT]
    done = subprocess.run(command, stdout=subprocess.PIPE, timeout=30, check=True)
    assert json.loads(done.stdout)["output"].startswith("天气")


def test_events_are_lines_and_the_object_is_last_and_redacted():
    out = io.StringIO()

    def event_json(event: Event) -> JSONObject:
        assert isinstance(event, TextArrived)
        return {"event": "text", "text": event.text}

    face = JsonFace(
        out,
        redact=lambda value: {name: "-" if item == "secret" else item for name, item in value.items()},
        event_json=event_json,
    )
    face.watch(TextArrived(turn=1, text="secret "))
    face.end({"run_id": "r1", "output": "secret"})
    assert [json.loads(line) for line in out.getvalue().splitlines()] == [
        {"event": "text", "text": "secret "},
        {"run_id": "r1", "output": "-"},
    ]
