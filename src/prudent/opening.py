"""The first messages of a run: what the agent is told, what was said before in the session, and the task."""

from __future__ import annotations

from collections.abc import Sequence

from prudent.blueprint import Blueprint
from prudent.context.history import history_messages
from prudent.journal.database import Database
from prudent.journal.sessions import Sessions
from prudent.loop.planning import system_prompt
from prudent.messages import Message


def opening_messages(agent: Blueprint, task: str, history: Sequence[Message]) -> list[Message]:
    """Put the first messages together."""
    instructions = "\n\n".join(filter(None, [agent.instructions, agent.typed.instruction if agent.typed else ""]))
    prompt = system_prompt(
        instructions,
        agent.planning,
        agent.language,
        parallel=agent.parallel_tool_calls,
        has_tools=bool(agent.surface().tools),
        examples=agent.thinking_examples,
    )
    head = [Message("system", prompt)] if prompt else []
    return [*head, *history, Message("user", task)]


def session_history(database: Database, session: str, window_tokens: int, language: str) -> list[Message]:
    """Give what was asked and answered in a session so far."""
    said = [(e.question, e.answer, e.finished) for e in Sessions(database).exchanges(session)]
    return history_messages(said, window_tokens, language)
