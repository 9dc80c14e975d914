"""Guessing what somebody meant."""

from __future__ import annotations

from prudent.nearest import nearest


def test_the_nearest_word_is_named_and_nothing_is_guessed():
    assert nearest("secnds", ["seconds", "tokens"]) == "; did you mean 'seconds'?"
    assert nearest("zzz", ["seconds"]) == ""
