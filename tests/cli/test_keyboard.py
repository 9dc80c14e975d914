"""Keys and lines from a pseudo terminal."""

from __future__ import annotations

import os
import pty
import termios
from collections.abc import Iterator

import anyio
import pytest

from prudent.cli.keyboard import Keyboard

pytestmark = pytest.mark.anyio


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """The person's end and the program's end of a terminal."""
    person, program = pty.openpty()
    yield person, program
    os.close(person)
    os.close(program)


async def typed_after(seconds: float, person: int, keys: bytes) -> None:
    await anyio.sleep(seconds)
    os.write(person, keys)


async def test_a_key_needs_no_enter_and_the_terminal_is_restored(terminal: tuple[int, int]):
    person, program = terminal
    before = termios.tcgetattr(program)
    async with anyio.create_task_group() as group:
        group.start_soon(typed_after, 0.05, person, b"y")
        with anyio.fail_after(5):
            assert await Keyboard(program).key() == "y"
    assert termios.tcgetattr(program) == before


async def test_what_was_typed_before_the_question_does_not_answer_it(terminal: tuple[int, int]):
    person, program = terminal
    os.write(person, b"y\n")
    await anyio.sleep(0.1)  # until the terminal has it
    async with anyio.create_task_group() as group:
        group.start_soon(typed_after, 0.05, person, b"n")
        with anyio.fail_after(5):
            assert await Keyboard(program).key() == "n"


async def test_a_line_is_edited_by_the_terminal(terminal: tuple[int, int]):
    person, program = terminal
    os.write(person, "不行x\x7f, sorry\n".encode())
    with anyio.fail_after(5):
        assert await Keyboard(program).line() == "不行, sorry"


async def test_waiting_can_be_cancelled_and_leaves_the_terminal_as_it_was(terminal: tuple[int, int]):
    before = termios.tcgetattr(terminal[1])
    with anyio.move_on_after(0.1) as scope:
        await Keyboard(terminal[1]).key()
    assert scope.cancelled_caught
    assert termios.tcgetattr(terminal[1]) == before


async def test_a_key_counts_from_when_the_question_begins_to_show(terminal: tuple[int, int]):
    person, program = terminal
    before = termios.tcgetattr(program)
    keyboard = Keyboard(program)
    os.write(person, b"x")
    await anyio.sleep(0.1)  # until the terminal has it
    with keyboard.listening():
        os.write(person, b"y")
        await anyio.sleep(0.1)
        with anyio.fail_after(5):
            assert await keyboard.key() == "y"
        assert termios.tcgetattr(program) == before, "a line may follow, which the terminal edits"
    assert termios.tcgetattr(program) == before


async def test_what_was_typed_of_a_line_goes_with_the_question(terminal: tuple[int, int]):
    person, program = terminal
    os.write(person, b"still in u")
    with anyio.move_on_after(0.1):
        await Keyboard(program).line()
    os.write(person, b"next\n")
    with anyio.fail_after(5):
        assert await Keyboard(program).line() == "next"


async def test_the_end_of_input_is_no_key():
    read, write = os.pipe()
    os.close(write)
    assert await Keyboard(read).key() == ""
    assert await Keyboard(read).line() is None
    os.close(read)
