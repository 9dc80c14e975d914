"""Ask the quick start's question in ten ways through the command line, each in a process of its own, and time it.

    uv run python bench/quickstart.py [--model NAME]

The model has to be cached. Seconds are wall time of the whole command, beside the CPU seconds it took: on shared cores only the
latter mean something.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
STARTER = HERE.parent / "examples" / "starter.toml"


def ask(task: str, model: str, db: Path) -> tuple[dict, float, float]:
    """Run the command; give its JSON, the wall seconds and the CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    command = [
        str(Path(sys.executable).parent / "prudent"),
        "run",
        task,
        "--agent",
        str(STARTER),
        "--model",
        model,
        "--db",
        str(db),
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    result = json.loads(done.stdout) if done.stdout else {"output": None, "error": done.stderr[-300:], "tool_calls": 0}
    return result, time.monotonic() - began, cpu


def main() -> int:
    """Run, print, and fail below nine of ten."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="local")
    options = parser.parse_args()
    quick = tomllib.loads((HERE / "local_suite.toml").read_text())["quickstart"]
    right = 0
    with tempfile.TemporaryDirectory() as folder:
        for task in quick["tasks"]:
            result, seconds, cpu = ask(task, options.model, Path(folder) / "quick.db")
            own, _, source = str(result["output"]).partition("\n\n")
            fine = all(re.search(pattern, own) for pattern in quick["answer"]) and bool(result["tool_calls"]) and bool(source)
            right += fine
            mark = "right" if fine else "WRONG"
            print(
                f"{mark} {seconds:5.1f} s ({cpu:.1f} CPU s)  {task}\n      {result['output'] or result['error']!r}", flush=True
            )
    print(f"{right} of {len(quick['tasks'])} right")
    return 0 if right >= len(quick["tasks"]) - 1 else 1


if __name__ == "__main__":
    sys.exit(main())
