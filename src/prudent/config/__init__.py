"""Agents from files: `agent.toml`, or a Python file that makes an `Agent`."""

from __future__ import annotations

from prudent.config.loading import load_agent

__all__ = ["load_agent"]
