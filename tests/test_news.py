"""What users notice is told: news fragments have the right names, and become the changelog's next part."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
FRAGMENTS = [path for path in (ROOT / "newsfragments").iterdir() if path.name not in ("README.md", ".gitkeep")]


def types() -> list[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]
    return [each["directory"] for each in settings["type"]]


def test_each_fragment_says_what_it_is_about_and_of_which_type() -> None:
    assert types() == ["feature", "change", "fix"]
    for path in FRAGMENTS:
        assert re.fullmatch(rf"\+[a-z-]+\.({'|'.join(types())})(\.\d+)?\.md", path.name), path.name


def test_a_release_would_tell_all_of_them() -> None:
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "9.9.9", "--date", "2031-05-04"]
    draft = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout
    assert draft.startswith("## 9.9.9 (2031-05-04)")
    for path in FRAGMENTS:
        assert path.read_text(encoding="utf-8").strip() in draft, path.name


def test_the_changelog_has_the_place_where_it_goes() -> None:
    assert "<!-- towncrier release notes start -->\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
