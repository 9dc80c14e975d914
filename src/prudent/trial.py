"""A tool tried alone: an agent that has nothing else, the form of its arguments, one call outside any run."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from prudent.agent import Agent, AgentSource
from prudent.assembly import process_wide_runner
from prudent.brakes.approval import preview_text
from prudent.brakes.budget import Budget
from prudent.config import load_agent
from prudent.config.python_file import find_name, load_python_file, split_reference
from prudent.context.artifacts import MemoryArtifacts
from prudent.context.shaping import ResultShaper
from prudent.errors import ConfigurationError
from prudent.messages import ToolSpec
from prudent.nearest import nearest
from prudent.tools.checking import Checker
from prudent.tools.context import Context
from prudent.tools.definition import Tool, tool
from prudent.tools.nodes import as_list, as_object
from prudent.tools.refusal import example_arguments
from prudent.tools.validation import validate_object
from prudent.tools.wording import in_words, quote
from prudent.types import JSON, JSONObject

TRIAL_NAME = "try"
"""What the record calls the agent of a trial."""

_INSTRUCTIONS = (
    "You have one tool, which is being tried. Use it where the task calls for it, and say plainly what it did not do."
)
_CHARS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Field:
    """One parameter in the form."""

    name: str
    required: bool
    allowed: str
    """In words."""

    description: str
    default: JSON
    has_default: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one call."""

    fine: bool
    shown: str
    """As a model would see it."""

    seconds: float
    result_chars: int


def load_tool(reference: str) -> Tool:
    """Load the tool that `FILE.py:NAME` or `AGENT.toml:TOOL` names; a plain function becomes a tool with its defaults.

    Raises:
        ConfigurationError: There is no such file or tool; names the nearest.
    """
    file, _, name = reference.rpartition(":")
    if file.lower().endswith(".toml"):
        tools = {known.name: known for known in load_agent(file).tools}
        if name not in tools:
            raise ConfigurationError(f"{Path(file).name} has no tool {name!r}{nearest(name, tools)}")
        return tools[name]
    file, name = split_reference(reference)
    if not name or not file.lower().endswith(".py"):
        raise ConfigurationError(f"{reference!r} names no tool: write FILE.py:NAME or AGENT.toml:TOOL")
    path = Path(file).expanduser()
    found = find_name(load_python_file(path), name, path)
    if isinstance(found, Tool):
        return found
    if isinstance(found, Agent) or not callable(found):
        raise ConfigurationError(f"{path.name}:{name} is of type {type(found).__name__}: name a tool or a function")
    return tool(found)


def trial_agent(reference: str, *, seconds: float | None = None) -> Agent:
    """Make an agent that has this tool and the planning tool, and nothing else."""
    tried = load_tool(reference)
    file, _, name = reference.rpartition(":")
    path = Path(file).expanduser().resolve()
    source = AgentSource(str(path), name, hashlib.sha256(path.read_bytes()).hexdigest())
    budget = Budget(seconds=seconds or max(60.0, 2 * tried.timeout_seconds))
    return Agent(name=TRIAL_NAME, tools=[tried], instructions=_INSTRUCTIONS, budget=budget, source=source, tool_search=False)


def definition(tried: Tool) -> tuple[ToolSpec, int]:
    """Give the definition as the model reads it, and about how many tokens it costs in each request."""
    spec = Agent(tools=[tried], planning="off", tool_search=False).surface().specs("act")[0]
    return spec, len(str(spec.as_json())) // _CHARS_A_TOKEN


def form(tried: Tool) -> Iterator[Field]:
    """Give each parameter as it is to be filled in."""
    required = as_list(tried.parameters.get("required"))
    for name, part in as_object(tried.parameters.get("properties")).items():
        node = as_object(part)
        yield Field(
            name,
            name in required,
            in_words(tried.parameters, part),
            str(node.get("description") or ""),
            node.get("default"),
            "default" in node,
        )


def example(tried: Tool) -> JSONObject | None:
    """Give arguments to try it with: its first example; without one, none at all if it needs none. Nothing is made up."""
    if tried.examples:
        return dict(tried.examples[0])
    return {} if not as_list(tried.parameters.get("required")) else None


def pattern(tried: Tool) -> JSONObject:
    """Give arguments of the right form, made up where there is no example."""
    known = example(tried)
    return known if known is not None else example_arguments(tried.parameters)


def fits(tried: Tool, arguments: JSONObject) -> bool:
    """Whether arguments are right by the schema alone."""
    return not Checker(tried.parameters).problems(arguments)


def asks(tried: Tool) -> bool:
    """Whether a person should say yes before it is called here: whatever is not declared to change nothing."""
    return not tried.reads


def preview(tried: Tool, arguments: JSONObject) -> str:
    """Say what a call would do. Raises whatever the tool's own preview raises."""
    return preview_text(tried, arguments)


async def call_once(tried: Tool, arguments: JSONObject) -> Outcome:
    """Call it once, where it says that it runs, and shape what comes as for a model. Raises CallRefused for wrong arguments."""
    checked = validate_object(tried, arguments).arguments
    shaper = ResultShaper(MemoryArtifacts())
    context = Context(run_id="", call_id="try", timeout_seconds=tried.timeout_seconds, run_tool=_run_tool)
    began = time.monotonic()
    try:
        result = await process_wide_runner().run(tried, checked, context)
    except Exception as error:  # a tool is a user's code: whatever it raises is what a model would be told
        shaped = shaper.shape_error(error)[1]
        return Outcome(False, shaped.shown, time.monotonic() - began, shaped.result_chars)
    shaped = shaper.shape(tried, "try", result)
    return Outcome(True, shaped.shown, time.monotonic() - began, shaped.result_chars)


async def _run_tool(part: Tool, arguments: JSONObject) -> object:
    return await process_wide_runner().run(part, arguments, Context(call_id="try", timeout_seconds=part.timeout_seconds))


def default_words(field: Field) -> str:
    """Say what a parameter is when it is left out."""
    if field.required:
        return "required"
    return f"{quote(field.default, 40)} when left out" if field.has_default else "may be left out"
