"""Lines of settings in a TOML file."""

from __future__ import annotations

import tomllib

import pytest

from prudent.config.places import line_of

TEXT = '''# comment
name = "a"
instructions = """
budget = 1
[not.a.table]
"""
tools = [
    "a.py:b",
]

[budget]
seconds = 300   # [x]
"odd key" = 1

[toolkits.knowledge]
folder = "handbook"

[[policy]]
answer = "ask"
[policy.arguments]
to = "*@example.com"

[[policy]]
answer = "allow"
sub.key = 1
'''


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("name",), 2),
        (("instructions",), 3),
        (("tools", 0), 7),
        (("budget",), 11),
        (("budget", "seconds"), 12),
        (("budget", "odd key"), 13),
        (("budget", "missing"), 11),
        (("toolkits", "knowledge", "folder"), 16),
        (("policy", 0, "answer"), 19),
        (("policy", 0, "arguments", "to"), 21),
        (("policy", 1, "answer"), 24),
        (("policy", 1, "sub", "key"), 25),
        (("policy", 1, "missing"), 23),
        (("nowhere",), None),
    ],
)
def test_a_setting_has_its_line(place: tuple[str | int, ...], line: int | None):
    tomllib.loads(TEXT)
    assert line_of(TEXT, place) == line
