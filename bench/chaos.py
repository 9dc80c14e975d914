"""Cuts random runs off by `kill -9`, takes them up again, and counts: 300 kills, and no effect may be repeated.

python -m bench.chaos [KILLS] [SEED]

Each run is played twice in processes of its own: uncut, and killed at random moments (in the model's stream, in a tool,
between a tool's effect and its record, between two writes of the journal) until it comes to its end. What the model was
shown, how it ended and what took effect must be the same. The script of the model, the tools' kinds and the decisions
follow from the seed; tests/stories/chaos.py has them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path


def main() -> int:
    kills, seed = (*sys.argv[1:], *("300", "1")[len(sys.argv) - 1 :])
    began = time.monotonic()
    command = [sys.executable, "-m", "tests.stories.kills", kills, seed]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        return 1
    counts = json.loads(done.stdout)
    for name in sorted(counts):
        print(f"{counts[name]:6}  {name}")
    print(f"{time.monotonic() - began:6.0f}  seconds")
    return 1 if counts["repeated effects"] or counts["processes left"] else 0


if __name__ == "__main__":
    sys.exit(main())
