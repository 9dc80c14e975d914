"""Toolkit `release`: one tool that makes a release of a git repository, step by step, or leaves it as it was."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from prudent.toolkits.release import steps as does
from prudent.toolkits.release.git import Repository
from prudent.toolkits.release.version import Bump
from prudent.tools.definition import Tool, tool
from prudent.tools.macro import action, given, macro, result, step
from prudent.tools.options import Effect
from prudent.tools.steps import Step
from prudent.types import JSON, JSONMapping

_STEP_SECONDS, _HOOK_SECONDS, _NETWORK_SECONDS = 10.0, 300.0, 120.0


def release(
    repository: Path,
    *,
    branch: str = "main",
    remote: str = "origin",
    version_file: str = "pyproject.toml",
    changelog: str = "CHANGELOG.md",
) -> list[Tool]:
    """Make the tool `release`.

    Args:
        repository: the working tree.
        branch: the one branch that releases are made from.
        remote: where branch and tag are pushed.
        version_file: pyproject.toml, package.json, or a file that holds nothing but the version.
        changelog: the file that is written anew.
    """
    where = Repository(Path(repository).absolute(), branch, remote, version_file, changelog)

    def foresee(arguments: JSONMapping) -> dict[str, JSON]:
        bump: Any = arguments["bump"]
        known = does.check_repository(bump, where, remote=False)
        return {**known, "branch": branch, "remote": remote, "version_file": version_file, "changelog": changelog}

    @macro(
        steps=_steps(where),
        foresee=foresee,
        when="Use it when a new version is to be released, and only then. Choose patch for fixes, minor for what is new and "
        "compatible, major for what is not compatible.",
        not_when="Not for publishing to a package registry: it never does that, and nothing is installable by it.",
        examples=[{"bump": "minor"}],
        resource=lambda _: str(where.path),
        toolkit="release",
        name="release",
    )
    def release_repository(bump: Bump) -> None:
        """Release a new version of this repository. It does not publish to a package registry.

        It raises the version, writes the changelog anew from the history, commits `chore: release vX.Y.Z`, tags that
        commit, and pushes branch and tag. If a step fails, everything before it is taken back; nothing was pushed then.

        Args:
            bump: Which part of the version is raised: patch (1.2.3 to 1.2.4), minor (to 1.3.0) or major (to 2.0.0).
        """

    return [release_repository]


def _steps(where: Repository) -> list[Step]:
    def part(function: Callable[..., Any], effect: Effect, seconds: float = _STEP_SECONDS) -> Tool:
        bound = partial(function, repository=where)
        return tool(bound, name=function.__name__, effect=effect, run_in="process", timeout_seconds=seconds, toolkit="release")

    restore, head = part(does.restore_file, "write"), result("check", "head")
    check = partial(does.check_repository, repository=where, remote=True)
    checking = tool(check, name="check_repository", effect="read", run_in="process", timeout_seconds=_NETWORK_SECONDS)
    version, tag = result("check", "version"), result("check", "tag")
    return [
        step("check", checking, bump=given("bump"), says="the tree is clean, on {branch}, and {tag} is free"),
        step(
            "version",
            part(does.write_version, "write"),
            version=version,
            undo=action(restore, name=where.version_file, head=head),
            says="{version_now} becomes {version} in {version_file}",
        ),
        step(
            "changelog",
            part(does.write_changelog, "write"),
            version=version,
            date=result("check", "date"),
            undo=action(restore, name=where.changelog, head=head),
            says="{changelog} is written anew from the history",
        ),
        step(
            "commit",
            part(does.commit_release, "write", _HOOK_SECONDS),
            tag=tag,
            undo=action(part(does.undo_commit, "write"), head=head),
            says="chore: release {tag}",
        ),
        step(
            "tag",
            part(does.tag_release, "write"),
            tag=tag,
            undo=action(part(does.undo_tag, "write"), tag=tag),
            says="{tag}",
        ),
        step(
            "push",
            part(does.push_release, "destructive", _NETWORK_SECONDS),
            tag=tag,
            says="{branch} and {tag} to {remote}; this cannot be taken back",
        ),
    ]
