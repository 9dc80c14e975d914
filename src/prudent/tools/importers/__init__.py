"""Tools from elsewhere: any callable, pydantic-ai's and LangChain's tools, the operations of an OpenAPI document."""

from __future__ import annotations

from prudent.tools.importers.callables import from_callable
from prudent.tools.importers.langchain import from_langchain
from prudent.tools.importers.openapi import openapi
from prudent.tools.importers.pydantic_ai import from_pydantic_ai

__all__ = ["from_callable", "from_langchain", "from_pydantic_ai", "openapi"]
