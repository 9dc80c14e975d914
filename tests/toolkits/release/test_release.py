"""Releases of a real repository: done, or left as it was."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from prudent import Agent
from prudent.errors import ToolError
from prudent.events import ApprovalAsked, ApprovalDecided
from prudent.models.scripted import ScriptedModel, call
from prudent.toolbox import StepRecorded
from prudent.toolkits.release import release

pytestmark = pytest.mark.anyio
TODAY = datetime.now(UTC).strftime("%Y-%m-%d")


async def test_a_release_is_committed_tagged_and_pushed(project: Any) -> None:
    told = await project.release("minor")
    assert told.splitlines()[0] == "release: all 6 steps are done."
    assert "6. push: main and v1.3.0 are at origin" in told
    assert project.git("log", "-1", "--format=%s") == "chore: release v1.3.0"
    assert project.git("rev-parse", "v1.3.0^{}") == project.git("rev-parse", "HEAD")
    assert project.git("cat-file", "-t", "v1.3.0") == "tag"
    assert project.git("rev-parse", "main", at=project.remote) == project.git("rev-parse", "HEAD")
    assert "refs/tags/v1.3.0" in project.git("show-ref", at=project.remote)
    assert project.git("status", "--porcelain") == ""
    text = (project.path / "pyproject.toml").read_text()
    assert 'name = "thing"  # the name\nversion = "1.3.0"' in text
    assert '[tool.x]\nversion = "9"' in text
    assert project.git("show", "--stat", "--format=", "HEAD").count("|") == 2


async def test_the_changelog_is_written_from_the_whole_history(project: Any) -> None:
    await project.release("minor")
    project.commit("feat!: ask for a key", {"d.txt": "d"})
    project.commit("Tidy up", {"e.txt": "e"})
    await project.release("major")
    text = (project.path / "CHANGELOG.md").read_text()
    short = {subject: project.git("log", "--format=%h", "--grep", subject) for subject in ("ask for", "Tidy", "show more")}
    assert text.startswith(
        "# Changelog\n\nWritten from the history at each release; changes made by hand are lost.\n\n"
        f"## 2.0.0 ({TODAY})\n\n### Changed, and no longer compatible\n\n- ask for a key ({short['ask for']})\n\n"
        f"### Other\n\n- Tidy up ({short['Tidy']})\n\n"
        f"## 1.3.0 ({TODAY})\n\n### Added\n\n- cli: show more ({short['show more']})\n"
    )
    assert "### Fixed\n\n- count from one" in text
    assert text.rstrip().endswith(f"- the beginning ({project.git('log', '--format=%h', '--grep', 'the beginning')})")
    assert "say so" not in text
    assert "chore: release" not in text


async def test_nothing_is_changed_by_looking_ahead(project: Any) -> None:
    before = project.snapshot()
    assert project.preview("patch").splitlines() == [
        "1. check: the tree is clean, on main, and v1.2.4 is free",
        "2. version: 1.2.3 becomes 1.2.4 in pyproject.toml",
        "3. changelog: CHANGELOG.md is written anew from the history",
        "4. commit: chore: release v1.2.4",
        "5. tag: v1.2.4",
        "6. push: main and v1.2.4 to origin; this cannot be taken back",
    ]
    assert project.snapshot() == before


def dirty(project: Any) -> None:
    (project.path / "a.txt").write_text("changed")


def untracked(project: Any) -> None:
    (project.path / "new.txt").write_text("new")


def other_branch(project: Any) -> None:
    project.git("checkout", "-q", "-b", "feature")


def detached(project: Any) -> None:
    project.git("checkout", "-q", "--detach")


def tagged(project: Any) -> None:
    project.git("tag", "v1.3.0", "v1.2.3")


def nothing_new(project: Any) -> None:
    project.git("tag", "v1.2.9")


def no_remote(project: Any) -> None:
    project.git("remote", "remove", "origin")


def no_version(project: Any) -> None:
    project.commit("chore: spoil", {"pyproject.toml": "[project]\nname = 'x'\n"})


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (dirty, "the working tree is not clean: a.txt"),
        (untracked, "the working tree is not clean: new.txt"),
        (other_branch, "the branch is feature; releases are made from main"),
        (detached, "HEAD is detached"),
        (tagged, "the tag v1.3.0 exists already"),
        (nothing_new, "nothing was committed since v1.2.9"),
        (no_remote, "there is no remote 'origin'"),
        (no_version, r"there is no version in \[project\] of pyproject.toml"),
    ],
)
async def test_what_is_not_fit_is_refused_before_anybody_is_asked(project: Any, spoil: Any, sentence: str) -> None:
    spoil(project)
    before = project.snapshot()
    with pytest.raises(ToolError, match=sentence):
        project.preview()
    with pytest.raises(ToolError, match=rf"step 1 of 6 \(check\) failed: {sentence}.*nothing was changed before it"):
        await project.release()
    assert project.snapshot() == before


async def test_a_tag_at_the_remote_only_is_found_too(project: Any) -> None:
    project.git("tag", "v1.3.0", at=project.remote)
    with pytest.raises(ToolError, match=r"the tag v1\.3\.0 exists already at origin"):
        await project.release()


async def test_a_failing_hook_leaves_everything_as_it_was(project: Any) -> None:
    project.hook("pre-commit", "echo 'no tests were run' >&2; exit 1")
    before = project.snapshot()
    with pytest.raises(ToolError) as failed:
        await project.release()
    assert failed.value.reason == (
        "step 4 of 6 (commit) failed: git commit failed: no tests were run. undone: changelog, version. not run: tag, push"
    )
    assert project.snapshot() == before
    assert not (project.path / "CHANGELOG.md").exists()


async def test_a_refused_push_leaves_everything_as_it_was(project: Any) -> None:
    project.hook("pre-receive", "echo 'main is protected' >&2; exit 1", remote=True)
    before = project.snapshot()
    with pytest.raises(ToolError) as failed:
        await project.release()
    assert "step 6 of 6 (push) failed: git push failed:" in failed.value.reason
    assert "main is protected" in failed.value.reason
    assert "undone: tag, commit, changelog, version" in failed.value.reason
    assert project.snapshot() == before
    assert project.notes[-5:] == ["push failed", "tag undone", "commit undone", "changelog undone", "version undone"]


async def test_a_branch_that_is_behind_is_neither_forced_nor_half_pushed(project: Any, tmp_path: Path) -> None:
    other = tmp_path / "other"
    project.git("clone", "-q", str(project.remote), str(other), at=tmp_path)
    for name, value in (("user.name", "Bo"), ("user.email", "bo@example.com")):
        project.git("config", name, value, at=other)
    project.git("commit", "-q", "--allow-empty", "-m", "fix: meanwhile", at=other)
    project.git("push", "-q", "origin", "main", at=other)
    before = project.snapshot()
    with pytest.raises(ToolError, match="rejected"):
        await project.release()
    assert project.snapshot() == before


async def test_a_changelog_that_was_there_is_given_back(project: Any) -> None:
    project.commit("docs: a changelog", {"CHANGELOG.md": "# By hand\n"})
    project.git("push", "-q", "origin", "main")
    project.hook("pre-receive", "exit 1", remote=True)
    with pytest.raises(ToolError, match="undone: tag, commit, changelog, version"):
        await project.release()
    assert (project.path / "CHANGELOG.md").read_text() == "# By hand\n"
    assert project.git("status", "--porcelain") == ""


async def test_what_somebody_commits_meanwhile_is_not_taken_back(project: Any) -> None:
    project.hook("post-commit", "[ -e .git/once ] || { touch .git/once; git commit -q --allow-empty -m 'fix: by a hook'; }")
    project.hook("pre-receive", "exit 1", remote=True)
    with pytest.raises(ToolError, match=r"not undone: commit \(undoing it failed: the last commit is not the release's"):
        await project.release()
    assert project.git("log", "-1", "--format=%s") == "fix: by a hook"


@pytest.mark.parametrize(
    ("name", "text", "after"),
    [
        ("package.json", '{\n  "name": "x",\n  "version": "0.9.1"\n}\n', '"version": "0.10.0"'),
        ("VERSION", "0.9.1\n", "0.10.0\n"),
    ],
)
async def test_the_version_may_stand_elsewhere(project: Any, name: str, text: str, after: str) -> None:
    project.commit("feat: another file", {name: text})
    await project.release("minor", version_file=name)
    assert after in (project.path / name).read_text()
    assert project.git("log", "-1", "--format=%s") == "chore: release v0.10.0"


async def test_an_agent_releases_in_processes_when_a_person_says_yes(project: Any, tmp_path: Path) -> None:
    asked: list[ApprovalAsked] = []
    events: list[Any] = []

    class Yes:
        async def decide(self, question: ApprovalAsked) -> ApprovalDecided:
            asked.append(question)
            return ApprovalDecided(call_id=question.call_id, decision="approve", decided_by="ana")

    model = ScriptedModel([call("release", bump="patch"), "Released 1.2.4."])
    agent = Agent(model, tools=release(project.path), planning="off")
    run = agent.prepare("Release it.", db=tmp_path / "agent.db", approver=Yes())
    result = await run.work(events.append)
    assert result.status == "completed"
    assert "2. version: 1.2.3 becomes 1.2.4 in pyproject.toml" in asked[0].preview
    assert project.git("log", "-1", "--format=%s", at=project.remote) == "chore: release v1.2.4"
    assert [event.step for event in events if isinstance(event, StepRecorded) and event.status == "done"] == [
        *("check", "version", "changelog", "commit", "tag", "push")
    ]


def test_its_definition_says_what_it_does_not_do(tmp_path: Path) -> None:
    (made,) = release(tmp_path)
    description = made.describe([]).description
    assert "does not publish to a package registry" in description
    assert "chore: release vX.Y.Z" in description
    properties: Any = made.parameters["properties"]
    assert properties["bump"]["enum"] == ["patch", "minor", "major"]
    assert made.effect == "destructive"
    assert not made.idempotent
