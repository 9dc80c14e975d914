"""The models that a run works with: its own, and the one that writes its summaries."""

from __future__ import annotations

import os

from prudent.blueprint import Blueprint, StartOptions
from prudent.errors import ConfigurationError
from prudent.models.names import resolve
from prudent.ports import Model


def own_model(agent: Blueprint, options: StartOptions) -> Model:
    """Find the run's model: as the run names it, else its agent, else the environment."""
    wanted = options.get("model") or agent.model or os.environ.get("PRUDENT_MODEL")
    if not wanted:
        raise ConfigurationError(
            "no model is named: give --model (such as local, openai:NAME or deepseek:NAME), set PRUDENT_MODEL, "
            "or write model = … into the agent"
        )
    if not isinstance(wanted, str):
        return wanted
    return resolve(wanted, base_url=options.get("base_url") or agent.base_url)


def summary_model(agent: Blueprint, options: StartOptions, own: Model) -> Model | None:
    """Find the model that writes summaries; None where the run's own does. It shares a base URL with its own provider only."""
    wanted = agent.summary_model
    if not isinstance(wanted, str):
        return wanted
    same_provider = wanted.partition(":")[0] == own.name.partition(":")[0]
    return resolve(wanted, base_url=(options.get("base_url") or agent.base_url) if same_provider else None)
