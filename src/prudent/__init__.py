"""Prudent: a runtime for language-model agents that use tools.

The model decides, tools execute, Prudent keeps the loop traceable, verifiable and reversible.
"""

from prudent.agent import Agent, AgentSource
from prudent.brakes.approval import Rule
from prudent.brakes.budget import Budget
from prudent.errors import ConfigurationError, ModelError, PrudentError, ToolError
from prudent.events import Event
from prudent.messages import Image, Message
from prudent.result import RunResult
from prudent.runs import Run
from prudent.tools.context import Context
from prudent.tools.definition import Tool, tool

__all__ = [
    "Agent",
    "AgentSource",
    "Budget",
    "ConfigurationError",
    "Context",
    "Event",
    "Image",
    "Message",
    "ModelError",
    "PrudentError",
    "Rule",
    "Run",
    "RunResult",
    "Tool",
    "ToolError",
    "tool",
]
