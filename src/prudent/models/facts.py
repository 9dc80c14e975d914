"""What is known of each provider that speaks OpenAI chat completions: one row each, in one table.

Prices and windows of single models stand in `catalogue.py`. A row says only what has to be known beforehand; a
parameter that a server refuses is dropped when it says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlsplit

from prudent.models.openai_reasoning import SendBack

Effort = Literal["none", "effort", "object", "thinking", "enable_thinking", "template"]
"""How a provider is told how much to reason: not at all, `reasoning_effort`, `reasoning: {}`, `thinking: {}`,
`enable_thinking`, or `chat_template_kwargs: {}`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderFacts:
    """One provider's row."""

    name: str
    """The prefix of its models' names, and how errors call it."""

    url: str = ""
    """Base URL, without `/chat/completions`; "" where `--base-url` has to give it."""

    key_variables: tuple[str, ...] = ()
    """Environment variables that may hold the key, the usual one first; none where no key is needed."""

    stream: bool = True
    """False for a server that breaks tool calls when it streams."""

    asks_usage: bool = True
    """Whether `stream_options.include_usage` is sent; False where figures come unasked and the parameter is refused."""

    max_tokens_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    content_beside_calls: Literal["null", "empty"] = "null"
    """What stands as content of an assistant message that only calls tools: some refuse null, some refuse ""."""

    takes_user_after_tool: bool = True
    """False where a user message may not follow tool results; a short assistant message is put between them."""

    nine_letter_ids: bool = False
    """Whether call ids must be nine letters or digits; others are replaced, the same everywhere."""

    takes_images: bool = True
    """False where no model takes pictures; else the model's name decides."""

    takes_tool_choice_none: bool = True
    takes_parallel_parameter: bool = True
    takes_json_schema: bool = True
    """Whether `response_format` with a JSON schema is sent for a request without tools."""

    takes_json_schema_with_tools: bool = False
    effort: Effort = "effort"
    reasoning_back: SendBack = "with_calls"
    reasoning_apart: bool = False
    """Whether reasoning tokens are not contained in `completion_tokens`."""

    done_is_an_end: bool = False
    """Whether some of its models end streams that are complete with `[DONE]` alone. Then that counts as the end of a reply
    whose calls are all complete; text without a finish reason never passes."""

    fixed_temperature: str = ""
    """Pattern of names of models that refuse a temperature."""

    no_parallel_parameter: str = ""
    """Pattern of names of models that refuse `parallel_tool_calls`."""

    @property
    def key_variable(self) -> str:
        """The usual variable of the key, "" where none is needed."""
        return self.key_variables[0] if self.key_variables else ""

    def fixes_temperature(self, model: str) -> bool:
        """Whether a model refuses a temperature."""
        return bool(self.fixed_temperature) and re.match(self.fixed_temperature, model) is not None

    def takes_parallel(self, model: str) -> bool:
        """Whether `parallel_tool_calls` may be sent for a model."""
        refuses = bool(self.no_parallel_parameter) and re.match(self.no_parallel_parameter, model) is not None
        return self.takes_parallel_parameter and not refuses


PLACEHOLDER_KEY = "no-key"
"""Sent where a base URL is given and no key is set: many local servers want some key, and take any."""

OTHER = ProviderFacts(name="openai-compatible", key_variables=("OPENAI_API_KEY",), takes_json_schema_with_tools=False)
"""Whatever else speaks the same wire: the row for `--base-url`."""

_ROWS = (
    ProviderFacts(
        name="openai",
        url="https://api.openai.com/v1",
        key_variables=("OPENAI_API_KEY",),
        max_tokens_name="max_completion_tokens",
        takes_json_schema_with_tools=True,
        reasoning_back="never",
        fixed_temperature=r"o\d|gpt-5(?!.*chat)",
        no_parallel_parameter=r"o\d",
    ),
    ProviderFacts(
        name="deepseek",
        url="https://api.deepseek.com",
        key_variables=("DEEPSEEK_API_KEY",),
        takes_images=False,
        takes_parallel_parameter=False,
        takes_json_schema=False,
        effort="thinking",
    ),
    ProviderFacts(
        name="ollama",
        url="http://localhost:11434/v1",
        content_beside_calls="empty",
        takes_tool_choice_none=False,  # it ignores tool_choice, and would call on
        takes_parallel_parameter=False,
    ),
    ProviderFacts(
        name="openrouter",
        url="https://openrouter.ai/api/v1",
        key_variables=("OPENROUTER_API_KEY",),
        takes_json_schema_with_tools=True,
        effort="object",
        reasoning_back="always",
        done_is_an_end=True,
    ),
    ProviderFacts(
        name="qwen",
        url="https://dashscope.aliyuncs.com/compatible-mode/v1",
        key_variables=("DASHSCOPE_API_KEY",),
        content_beside_calls="empty",
        takes_json_schema=False,
        effort="enable_thinking",
    ),
    ProviderFacts(
        name="qwen-intl",
        url="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        key_variables=("DASHSCOPE_API_KEY",),
        content_beside_calls="empty",
        takes_json_schema=False,
        effort="enable_thinking",
    ),
    ProviderFacts(
        name="groq",
        url="https://api.groq.com/openai/v1",
        key_variables=("GROQ_API_KEY",),
        max_tokens_name="max_completion_tokens",
        takes_json_schema=False,  # not while streaming
    ),
    ProviderFacts(
        name="mistral",
        url="https://api.mistral.ai/v1",
        key_variables=("MISTRAL_API_KEY",),
        asks_usage=False,
        content_beside_calls="empty",
        takes_user_after_tool=False,
        nine_letter_ids=True,
        effort="none",
    ),
    ProviderFacts(name="together", url="https://api.together.xyz/v1", key_variables=("TOGETHER_API_KEY",)),
    ProviderFacts(name="fireworks", url="https://api.fireworks.ai/inference/v1", key_variables=("FIREWORKS_API_KEY",)),
    ProviderFacts(
        name="cerebras",
        url="https://api.cerebras.ai/v1",
        key_variables=("CEREBRAS_API_KEY",),
        max_tokens_name="max_completion_tokens",
        takes_parallel_parameter=False,
    ),
    ProviderFacts(
        name="xai",
        url="https://api.x.ai/v1",
        key_variables=("XAI_API_KEY",),
        takes_json_schema_with_tools=True,
        reasoning_apart=True,
    ),
    ProviderFacts(
        name="moonshot",
        url="https://api.moonshot.ai/v1",
        key_variables=("MOONSHOT_API_KEY",),
        takes_parallel_parameter=False,
        takes_json_schema=False,
        effort="thinking",
    ),
    ProviderFacts(
        name="moonshot-cn",
        url="https://api.moonshot.cn/v1",
        key_variables=("MOONSHOT_API_KEY",),
        takes_parallel_parameter=False,
        takes_json_schema=False,
        effort="thinking",
    ),
    ProviderFacts(
        name="zai",
        url="https://api.z.ai/api/paas/v4",
        key_variables=("ZAI_API_KEY",),
        takes_tool_choice_none=False,  # it knows `auto` only
        takes_parallel_parameter=False,
        takes_json_schema=False,
        effort="thinking",
    ),
    ProviderFacts(
        name="zhipu",
        url="https://open.bigmodel.cn/api/paas/v4",
        key_variables=("ZHIPUAI_API_KEY", "ZHIPU_API_KEY"),
        takes_tool_choice_none=False,
        takes_parallel_parameter=False,
        takes_json_schema=False,
        effort="thinking",
    ),
    ProviderFacts(
        name="siliconflow",
        url="https://api.siliconflow.cn/v1",
        key_variables=("SILICONFLOW_API_KEY",),
        takes_parallel_parameter=False,
        takes_json_schema=False,
        effort="enable_thinking",
    ),
    ProviderFacts(name="vllm", url="http://localhost:8000/v1", effort="template"),
    ProviderFacts(name="lmstudio", url="http://localhost:1234/v1", takes_parallel_parameter=False, effort="none"),
    ProviderFacts(name="llamacpp", url="http://localhost:8080/v1", effort="template"),
)

PROVIDERS: Mapping[str, ProviderFacts] = {row.name: row for row in _ROWS}
"""The table, by prefix."""

ALIASES: Mapping[str, str] = {"dashscope": "qwen", "kimi": "moonshot", "x-ai": "xai", "grok": "xai", "lm-studio": "lmstudio"}
"""Other prefixes that people try."""


def facts_for(prefix: str, base_url: str | None = None) -> ProviderFacts:
    """Find a provider's row; `openai` with a base URL is whoever stands behind that URL. KeyError: no such prefix."""
    row = PROVIDERS[ALIASES.get(prefix, prefix)]
    if not base_url:
        return row
    if row.name != "openai":
        return replace(row, url=base_url)
    host = urlsplit(base_url).hostname
    behind = next((other for other in _ROWS if other.key_variables and urlsplit(other.url).hostname == host), OTHER)
    return replace(behind, url=base_url, key_variables=(*row.key_variables, *behind.key_variables))
