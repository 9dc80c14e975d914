"""Diffs: which files, by how much, then whole hunks."""

from __future__ import annotations

from prudent.context.kinds.diffs import looks_like_diff, shorten_diff

HUNK = "@@ -1,3 +1,4 @@\n context\n-old line\n+new line\n+another\n"


def git_diff(files: int, hunks: int) -> str:
    head = "diff --git a/src/f{n}.py b/src/f{n}.py\nindex 1..2 100644\n--- a/src/f{n}.py\n+++ b/src/f{n}.py\n"
    return "".join(head.format(n=number) + HUNK * hunks for number in range(files))


def test_the_files_come_first_with_their_numbers() -> None:
    draft = shorten_diff(git_diff(3, 40), 1000)
    assert draft.body.startswith("diff of 3 files: +240 -120\nsrc/f0.py +80 -40\nsrc/f1.py +80 -40\nsrc/f2.py +80 -40\n")


def test_hunks_are_shown_whole_and_reading_goes_on_at_the_next() -> None:
    text = git_diff(3, 40)
    draft = shorten_diff(text, 1000)
    assert len(draft.body) <= 1000
    assert draft.body.endswith("+another")
    assert text[draft.next_start :].startswith("@@ ")
    assert "left" not in draft.body
    assert draft.left_out == f"{len(text) - draft.next_start:,} of {len(text):,} characters"


def test_many_files_are_counted() -> None:
    draft = shorten_diff(git_diff(300, 1), 1500)
    assert "diff of 300 files" in draft.body
    assert "more files" in draft.body


def test_a_plain_unified_diff_is_understood() -> None:
    text = "--- a/x.txt\t2031\n+++ b/x.txt\t2031\n" + HUNK * 100
    assert looks_like_diff(text)
    assert "x.txt +200 -100" in shorten_diff(text, 800).body


def test_text_with_dashes_is_no_diff() -> None:
    assert not looks_like_diff("--- a heading ---\n- one\n+ two\n" * 20)
