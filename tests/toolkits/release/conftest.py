"""A real repository with a local bare remote."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prudent.toolkits.release import release
from prudent.tools.context import Context
from prudent.types import JSON

PYPROJECT = (
    '[build-system]\nrequires = ["x"]\n\n[project]\nname = "thing"  # the name\nversion = "1.2.3"\n\n[tool.x]\nversion = "9"\n'
)


class Project:
    """A working tree, its remote, and a release of it."""

    def __init__(self, folder: Path) -> None:
        self.path, self.remote = folder / "work", folder / "remote.git"
        self.notes: list[str] = []
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", self.remote], check=True)
        subprocess.run(["git", "init", "-q", "-b", "main", self.path], check=True)
        for name, value in (("user.name", "Ana"), ("user.email", "ana@example.com"), ("commit.gpgsign", "false")):
            self.git("config", name, value)
        self.git("remote", "add", "origin", str(self.remote))
        self.commit("feat: the beginning", {"pyproject.toml": PYPROJECT})
        self.git("tag", "v1.2.3")
        self.commit("feat(cli): show more", {"a.txt": "a"})
        self.commit("fix: count from one", {"b.txt": "b"})
        self.commit("docs: say so", {"c.txt": "c"})
        self.git("push", "-q", "origin", "main", "v1.2.3")

    def git(self, *words: str, at: Path | None = None) -> str:
        done = subprocess.run(["git", "-C", at or self.path, *words], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, subject: str, files: dict[str, str]) -> None:
        for name, text in files.items():
            (self.path / name).write_text(text)
        self.git("add", "--all")
        self.git("commit", "-q", "-m", subject)

    def hook(self, name: str, script: str, *, remote: bool = False) -> None:
        file = (self.remote if remote else self.path / ".git") / "hooks" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def snapshot(self) -> tuple[str, ...]:
        """What must be as before when a release fails: commits, tags, files, the index, the remote."""
        here = (self.git("rev-parse", "HEAD"), self.git("tag"), self.git("status", "--porcelain"))
        return (*here, self.git("show-ref", at=self.remote), (self.path / "pyproject.toml").read_text())

    async def release(self, bump: str = "minor", **options: Any) -> str:
        (tool,) = release(self.path, **options)

        def note(_kind: str, data: dict[str, JSON]) -> None:
            self.notes.append(f"{data['step']} {data['status']}")

        assert tool.preview
        awaited: Any = tool.invoke({"bump": bump}, replace(Context(), note=note))
        return str(await awaited)

    def preview(self, bump: str = "minor", **options: Any) -> str:
        (tool,) = release(self.path, **options)
        assert tool.preview
        return str(tool.preview({"bump": bump}))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    return Project(tmp_path)


Make = Callable[[], Project]
