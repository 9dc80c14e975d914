"""How narrow a small model is held: every limit of `small.SmallTurn`, with its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SmallModelProfile:
    """How narrow a small model is held."""

    instruction_chars: int = 600
    """So much of the system prompt is shown, whole paragraphs from its beginning: the agent's own words stand there."""

    description_chars: int = 240
    """So much of a tool's description is shown: its first sentence, and the first one about when to use it."""

    fact_chars: int = 900
    """So much of one result is shown when answering."""

    most_entries: int = 3
    """So many entries of an index are shown."""

    thought_chars: int = 120
    answer_chars: int = 400
    free_answer_tokens: int = 200
    """Of an answer that rests on no tool."""

    knows_when_not: bool = True
    """Whether it can tell that no fact answers the question. One that cannot is judged by the words in common instead."""

    expression_parameters: frozenset[str] = frozenset({"expression"})
    """Parameters that take a calculation: it is held to known numbers."""
