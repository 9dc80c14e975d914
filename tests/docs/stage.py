"""Where a page of documentation is played: its blocks one after the other, in one namespace and one folder.

Python blocks run. TOML blocks are read as agent files, SQL blocks are asked of the journal that the page has written, JSON
blocks are parsed, and the commands of bash blocks must exist with all their options. What a Python block prints must stand
there: below `# prints:` in the block itself, or in the block after it, behind the comment `<!-- printed -->`; `…` stands for
what differs from run to run. Other comments that may stand before a block, and are not seen on the page:

- `<!-- model: [REPLIES] -->`: what a model that is named, such as `deepseek:deepseek-chat`, replies from here on;
- `<!-- closing: REPLY -->`: and what it replies to a closing call;
- `<!-- file: NAME -->`: the block is written to a file; Python in it is not run;
- `<!-- runs -->`: the commands of the bash block are run; `<!-- exits: 4 -->`: and this is the last one's exit status;
- `<!-- raises: TEXT -->`: the Python block raises an error that says so;
- `<!-- skip: REASON -->`: the block is not played, for a good reason.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sybil import Document, Example, Region
from sybil.parsers.markdown.lexers import FencedCodeBlockLexer
from tests.docs.shell import check, commands

from prudent.cli.main import run_command
from prudent.config.agent_file import read_agent_file
from prudent.models import scripted

DIRECTIVES = frozenset(("model", "closing", "file", "runs", "exits", "raises", "printed", "skip"))
COMMENT = re.compile(r"^<!-- ([a-z]+)(?:: (.*?))? -->$", re.MULTILINE | re.DOTALL)
FENCED = FencedCodeBlockLexer(language=r".*", mapping={"language": "language", "source": "source"})
REPLIES = {name: getattr(scripted, name) for name in ("call", "think", "reply", "slow", "failing", "raw_call")}
Parser = Callable[[Document], Iterator[Region]]


class Stage:
    """Plays one page."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capture = folder, capture
        self.strict = True
        """Whether whatever a Python block prints has to stand on the page."""

        self.module = ModuleType("page")
        self.module.__dict__["__file__"] = str(folder / "page.py")
        self.players = {
            "python": self._python,
            "bash": self._bash,
            "toml": self._toml,
            "sql": self._sql,
            "json": self._json,
            "text": self._text,
            "": self._text,
        }
        self.model: scripted.ScriptedModel | None = None
        self.orders: dict[str, str] = {}
        self.printed = ""
        self.owed = False
        """Whether the page still owes the reader what was printed."""

    def play(self, path: Path) -> int:
        """Play a page; gives how many blocks it has."""
        document = Document.parse(str(path), self._comments, self._blocks)
        blocks = 0
        for example in document.examples():
            blocks += isinstance(example.parsed, Block)
            example.evaluate()
        assert not self.orders, f"no block follows the comment {self.orders}"
        self._owe_nothing()
        self._finish_model()
        return blocks

    def resolve(self, name: str, **_: object) -> scripted.ScriptedModel:
        """Stand in for every model that a page names."""
        assert self.model, f"the page calls the model {name}: say before it what that replies, <!-- model: [...] -->"
        self.model.name = name
        return self.model

    def _comments(self, document: Document) -> Iterator[Region]:
        for match in COMMENT.finditer(document.text):
            yield Region(match.start(), match.end(), (match[1], match[2] or ""), self._order)

    def _blocks(self, document: Document) -> Iterator[Region]:
        for found in FENCED(document):
            block = Block(found.lexemes["language"].strip(), str(found.lexemes["source"]))
            yield Region(found.start, found.end, block, self._block)

    def _order(self, example: Example) -> None:
        name, value = example.parsed
        assert name in DIRECTIVES, f"line {example.line}: no comment is called {name!r}; there are {sorted(DIRECTIVES)}"
        if name == "model":
            self._finish_model()
            self.model = scripted.ScriptedModel(self._said(value))
        elif name == "closing":
            assert self.model
            self.model.when_no_tools = self._said(value)
        else:
            self.orders[name] = value

    def _said(self, text: str) -> Any:
        return eval(text, {**self.module.__dict__, **REPLIES})

    def _finish_model(self) -> None:
        if self.model:
            self.model.assert_finished()

    def _block(self, example: Example) -> None:
        block: Block = example.parsed
        orders, self.orders = self.orders, {}
        assert block.language in self.players, f"line {example.line}: no rule for blocks of {block.language!r}"
        if "printed" in orders:
            assert_alike(self.printed, block.source, block.language)
            self.owed = False
            return
        self._owe_nothing()
        if "file" in orders:
            (self.folder / orders["file"]).write_text(block.source, encoding="utf-8")
        if "skip" not in orders:
            self.players[block.language](block.source, orders, example)

    def _owe_nothing(self) -> None:
        assert not self.owed, f"this was printed, and the page does not show it:\n{self.printed}"

    def _python(self, source: str, orders: dict[str, str], example: Example) -> None:
        code, _, promised = source.partition("# prints:\n")
        compiled = compile("\n" * example.line + code, example.path, "exec", dont_inherit=True)
        if "file" in orders:
            return
        if "raises" in orders:
            with pytest.raises(Exception, match=re.escape(orders["raises"])):
                exec(compiled, self.module.__dict__)
        else:
            exec(compiled, self.module.__dict__)
        self.printed = self.capture.readouterr().out
        self.owed = self.strict and bool(self.printed) and not promised
        if promised:
            lines = promised.splitlines(keepends=True)
            assert_alike(self.printed, "".join(line.removeprefix("#").removeprefix(" ") for line in lines), "text")

    def _bash(self, source: str, orders: dict[str, str], example: Example) -> None:
        status, self.printed = 0, ""
        for words in commands(source):
            check(words, self.folder)
            if "runs" in orders:
                assert words[0] == "prudent", f"line {example.line}: only `prudent` can be run here"
                forget_modules(self.folder)  # as if each command were a process of its own
                status = run_command(words[1:])
                said = self.capture.readouterr()
                self.printed += said.out + (said.err if status == 2 else "")
        if "runs" in orders:
            assert str(status) == orders.get("exits", "0"), f"line {example.line}: exit {status}\n{self.printed}"

    def _toml(self, source: str, orders: dict[str, str], example: Example) -> None:
        tomllib.loads(source)
        path = self.folder / orders.get("file", "block.toml")
        path.write_text(source, encoding="utf-8")
        read_agent_file(path)

    def _sql(self, source: str, orders: dict[str, str], example: Example) -> None:
        with closing(sqlite3.connect(self.folder / ".prudent" / "agent.db")) as database:
            cursor = database.execute(source)
            rows = cursor.fetchall()
        assert rows, f"line {example.line}: the query finds nothing in the journal that this page has written"
        head = [column[0] for column in cursor.description]
        self.printed = "".join("|".join("" if value is None else str(value) for value in row) + "\n" for row in [head, *rows])

    def _json(self, source: str, orders: dict[str, str], example: Example) -> None:
        json.loads(source)

    def _text(self, source: str, orders: dict[str, str], example: Example) -> None:
        """Nothing to play."""


class Block:
    """A fenced block of a page."""

    def __init__(self, language: str, source: str) -> None:
        self.language, self.source = language, source


def assert_alike(printed: str, expected: str, language: str) -> None:
    """Compare what was printed with what stands on the page; `…` stands for anything."""
    if language == "json":
        printed, expected = (json.dumps(json.loads(text), ensure_ascii=False, indent=1) for text in (printed, expected))
        expected = expected.replace('"…"', "…")
    printed, expected = ("\n".join(line.rstrip() for line in text.strip().splitlines()) for text in (printed, expected))
    pattern = ".*?".join(re.escape(part) for part in expected.split("…"))
    assert re.fullmatch(pattern, printed, re.DOTALL), f"printed:\n{printed}\nthe page says:\n{expected}"


def forget_modules(folder: Path) -> None:
    """Unload what was imported from a page's folder, so that another page's file of that name is read."""
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(folder)):
            del sys.modules[name]
