"""The steps of a release, and how each is taken back as long as nothing was pushed."""

from __future__ import annotations

from datetime import UTC, datetime

from prudent.errors import ToolError
from prudent.toolkits.release.changelog import RELEASE_SUBJECT, changelog, commits, releases
from prudent.toolkits.release.git import Repository
from prudent.toolkits.release.version import Bump, raised, read_version, with_version
from prudent.types import JSON

_MOST_NAMED = 5


def check_repository(bump: Bump, repository: Repository, *, remote: bool = True) -> dict[str, JSON]:
    """Make sure that a release can be made, and tell what it would be; changes nothing.

    Args:
        bump: which part of the version is raised.
        repository: where.
        remote: whether the remote is asked, too.
    """
    if repository.ask("rev-parse", "--show-toplevel") is None:
        raise ToolError(f"{repository.path} is no git repository")
    _check_branch(repository)
    _check_clean(repository)
    version_now = read_version(_read(repository, repository.version_file), repository.version_file)
    version = raised(version_now, bump)
    tag = f"v{version}"
    if repository.ask("rev-parse", "--quiet", "--verify", f"refs/tags/{tag}") is not None:
        raise ToolError(f"the tag {tag} exists already", fix=f"release another version, or have a person remove {tag}")
    if repository.ask("remote", "get-url", repository.remote) is None:
        raise ToolError(f"there is no remote {repository.remote!r}")
    if remote and repository.git("ls-remote", "--tags", repository.remote, f"refs/tags/{tag}"):
        raise ToolError(f"the tag {tag} exists already at {repository.remote}", fix="fetch its tags first")
    tags = releases(repository)
    if not commits(repository, tags[0] if tags else None, "HEAD"):
        raise ToolError(f"nothing was committed since {tags[0]}" if tags else "there is no commit yet")
    return {
        "version_now": version_now,
        "version": version,
        "tag": tag,
        "head": repository.git("rev-parse", "HEAD"),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
    }


def write_version(version: str, repository: Repository) -> None:
    """Put the version into its file."""
    text = _read(repository, repository.version_file)
    _write(repository, repository.version_file, with_version(text, repository.version_file, version))


def write_changelog(version: str, date: str, repository: Repository) -> None:
    """Write the changelog anew."""
    _write(repository, repository.changelog, changelog(repository, version, date))


def commit_release(tag: str, repository: Repository) -> str:
    """Commit the version and the changelog; the repository's hooks run."""
    repository.git("add", "--", repository.version_file, repository.changelog)
    repository.git("commit", "--message", f"{RELEASE_SUBJECT.removesuffix('v')}{tag}")
    return repository.git("rev-parse", "--short", "HEAD")


def tag_release(tag: str, repository: Repository) -> str:
    """Tag the commit."""
    repository.git("tag", "--annotate", tag, "--message", tag)
    return tag


def push_release(tag: str, repository: Repository) -> str:
    """Push branch and tag, both or neither."""
    branch = f"refs/heads/{repository.branch}"
    repository.git("push", "--atomic", repository.remote, f"{branch}:{branch}", f"refs/tags/{tag}:refs/tags/{tag}")
    return f"{repository.branch} and {tag} are at {repository.remote}"


def restore_file(name: str, head: str, repository: Repository) -> None:
    """Give a file back as it was at a commit, or remove it where it was not there."""
    if repository.ask("cat-file", "-e", f"{head}:{name}") is not None:
        repository.git("restore", f"--source={head}", "--staged", "--worktree", "--", name)
        return
    repository.run("rm", "--cached", "--quiet", "--ignore-unmatch", "--", name)
    (repository.path / name).unlink(missing_ok=True)


def undo_commit(head: str, repository: Repository) -> None:
    """Take the release's commit back, if it is there and the last one; the files stay for `restore_file`."""
    now, subject = repository.git("rev-parse", "HEAD"), repository.git("log", "-1", "--format=%s")
    if now == head:
        return
    if repository.ask("rev-parse", "HEAD^") != head or not subject.startswith(RELEASE_SUBJECT):
        raise ToolError("the last commit is not the release's, so it was left")
    repository.git("reset", "--soft", head)


def undo_tag(tag: str, repository: Repository) -> None:
    """Remove the release's tag, if it is there."""
    if repository.ask("rev-parse", "--quiet", "--verify", f"refs/tags/{tag}") is not None:
        repository.git("tag", "--delete", tag)


def _check_branch(repository: Repository) -> None:
    branch = repository.ask("symbolic-ref", "--quiet", "--short", "HEAD")
    if branch is None:
        raise ToolError("HEAD is detached: it is on no branch", fix=f"have {repository.branch} checked out first")
    if branch != repository.branch:
        raise ToolError(f"the branch is {branch}; releases are made from {repository.branch}", fix="have it checked out first")


def _check_clean(repository: Repository) -> None:
    changed = [line[3:] for line in repository.run("status", "--porcelain").stdout.splitlines()]
    if changed:
        more = f" and {len(changed) - _MOST_NAMED} more" if len(changed) > _MOST_NAMED else ""
        raise ToolError(
            f"the working tree is not clean: {', '.join(changed[:_MOST_NAMED])}{more}",
            fix="have them committed or removed first",
        )


def _read(repository: Repository, name: str) -> str:
    try:
        return (repository.path / name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ToolError(f"{name} cannot be read: {type(error).__name__}") from error


def _write(repository: Repository, name: str, text: str) -> None:
    try:
        (repository.path / name).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ToolError(f"{name} cannot be written: {error.strerror}") from error
