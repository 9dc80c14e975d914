"""200 runs at once in one process, with failures, stops and approvals at random: nothing may be lost or left.

python -m bench.soak [RUNS] [SEED]

Models fail before, in the midst of and after their replies; tools fail, dawdle past their limits, work in threads and
processes; runs are stopped, stopped from another process, cancelled, park for approvals, and are resumed. At the end
every run has its end on record, every effect is on record and none is repeated, and the process holds as many files,
threads and child processes as before. tests/stories/soak.py has the details.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.stories.soak import soak


def main() -> None:
    runs, seed = map(int, (*sys.argv[1:], *("200", "1")[len(sys.argv) - 1 :]))
    began = time.monotonic()
    with TemporaryDirectory() as folder:
        counts = asyncio.run(soak(Path(folder), runs, seed))
    for name in sorted(counts):
        print(f"{counts[name]:6}  {name}")
    print(f"{time.monotonic() - began:6.0f}  seconds")


if __name__ == "__main__":
    main()
