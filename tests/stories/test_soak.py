"""Forty runs at once; `python -m bench.soak` does 200."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.stories.soak import soak

pytestmark = pytest.mark.anyio


async def test_many_runs_at_once_lose_nothing_and_leave_nothing(tmp_path: Path) -> None:
    counts = await soak(tmp_path, 40, seed=11)
    assert counts["completed"] > 20
    assert min(counts[f"interrupted by {way}"] for way in ("stop", "post", "cancel")) > 0
    assert (counts["threads held"], counts["children held"]) == (0, 0)
