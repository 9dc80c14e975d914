"""Git as the release uses it: one command at a time, without questions, its complaint as a reason."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from prudent.errors import ToolError

_MOST_LINES, _MOST_CHARS = 8, 800
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", "LC_ALL": "C.UTF-8", "GIT_OPTIONAL_LOCKS": "0"}


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository, and where in it a release writes."""

    path: Path
    branch: str
    """The one branch that releases are made from."""

    remote: str
    version_file: str
    """`pyproject.toml`, `package.json`, or a file that holds nothing but the version."""

    changelog: str

    def git(self, *words: str) -> str:
        """Run one command and give what it prints. Raises ToolError with its complaint."""
        done = self.run(*words)
        if done.returncode:
            raise ToolError(f"git {words[0]} failed: {_complaint(done)}")
        return done.stdout.strip()

    def ask(self, *words: str) -> str | None:
        """Run one command whose failing is an answer, too: None."""
        done = self.run(*words)
        return None if done.returncode else done.stdout.strip()

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run one command."""
        command = ["git", "-C", str(self.path), *words]
        try:
            return subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                stdin=subprocess.DEVNULL,
                check=False,
                env={**os.environ, **_QUIET},
            )
        except FileNotFoundError:
            raise ToolError("git is not installed on this machine") from None


def _complaint(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line.strip() for line in f"{done.stdout}\n{done.stderr}".splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith("hint:")]
    return " / ".join((told or lines)[-_MOST_LINES:])[-_MOST_CHARS:] or f"exit status {done.returncode}"
