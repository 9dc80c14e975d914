"""Context windows and prices of well-known models, where they are a single figure and sure.

Compared with public price lists in November 2026. A price that depends on the hour or on the length of the prompt is
left out: a wrong figure is worse than none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownModel:
    """What is known of the models whose name a pattern matches."""

    provider: str
    pattern: str
    window_tokens: int
    input_price: float | None = None
    """US dollars for a million tokens."""

    cached_price: float | None = None
    output_price: float | None = None


_DATED = r"(-\d{4}-\d\d-\d\d)?$"

_KNOWN = (
    KnownModel("openai", r"gpt-4o" + _DATED, 128_000, 2.5, 1.25, 10.0),
    KnownModel("openai", r"gpt-4o-mini" + _DATED, 128_000, 0.15, 0.075, 0.6),
    KnownModel("openai", r"gpt-4\.1" + _DATED, 1_000_000, 2.0, 0.5, 8.0),
    KnownModel("openai", r"gpt-4\.1-mini" + _DATED, 1_000_000, 0.4, 0.1, 1.6),
    KnownModel("openai", r"gpt-4\.1-nano" + _DATED, 1_000_000, 0.1, 0.025, 0.4),
    KnownModel("openai", r"gpt-5(\.1)?" + _DATED, 400_000, 1.25, 0.125, 10.0),
    KnownModel("openai", r"gpt-5-mini" + _DATED, 400_000, 0.25, 0.025, 2.0),
    KnownModel("openai", r"gpt-5-nano" + _DATED, 400_000, 0.05, 0.005, 0.4),
    KnownModel("openai", r"gpt-5\.2" + _DATED, 400_000, 1.75, 0.175, 14.0),
    KnownModel("openai", r"gpt-5\.[45]", 1_000_000),
    KnownModel("openai", r"o1" + _DATED, 200_000, 15.0, 7.5, 60.0),
    KnownModel("openai", r"o3" + _DATED, 200_000, 2.0, 0.5, 8.0),
    KnownModel("openai", r"o3-mini" + _DATED, 200_000, 1.1, 0.55, 4.4),
    KnownModel("openai", r"o4-mini" + _DATED, 200_000, 1.1, 0.275, 4.4),
    KnownModel("openai", r"gpt-4-turbo", 128_000, 10.0, None, 30.0),
    KnownModel("openai", r"gpt-3\.5-turbo", 16_385, 0.5, None, 1.5),
    KnownModel("deepseek", r"deepseek-v4", 1_000_000),
    KnownModel("deepseek", r"deepseek-(chat|reasoner)", 64_000),
    KnownModel("groq", r"llama-3\.3-70b-versatile", 131_072, 0.59, None, 0.79),
    KnownModel("groq", r"llama-3\.1-8b-instant", 131_072, 0.05, None, 0.08),
    KnownModel("groq", r"openai/gpt-oss-120b", 131_072, 0.15, 0.075, 0.6),
    KnownModel("groq", r"openai/gpt-oss-20b", 131_072, 0.075, 0.0375, 0.3),
    KnownModel("cerebras", r"gpt-oss-120b", 131_072, 0.35, None, 0.75),
    KnownModel("mistral", r"mistral-small-2603", 262_144, 0.15, 0.015, 0.6),
    KnownModel("mistral", r"mistral-large-2512", 262_144, 0.5, 0.05, 1.5),
    KnownModel("mistral", r"mistral-medium-3-5", 262_144, 1.5, 0.15, 7.5),
    KnownModel("mistral", r"mistral-(large|medium|small)-latest", 131_072),
    KnownModel("moonshot", r"kimi-k2\.5", 262_144, 0.6, 0.1, 3.0),
    KnownModel("moonshot", r"kimi-k2\.6", 262_144, 0.95, 0.16, 4.0),
    KnownModel("moonshot", r"kimi-k3$", 1_048_576, 3.0, 0.3, 15.0),
    KnownModel("moonshot", r"kimi-k2-(0905-preview|thinking)$", 262_144, 0.6, 0.15, 2.5),
    KnownModel("xai", r"grok-3$", 131_072, 3.0, 0.75, 15.0),
    KnownModel("xai", r"grok-4-0709", 256_000, 3.0, 0.75, 15.0),
    KnownModel("xai", r"grok-4(-1)?-fast", 2_000_000, 0.2, 0.05, 0.5),
)

_TAKES_PICTURES = re.compile(
    r"gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-5|(^|/)o[134](?!-mini-high)\b|claude|gemini|pixtral|llava|vision|llama-4|gemma-?[34]"
    r"|(^|[-/.\d])vl\b|mistral-(small|medium|large)|kimi-k2\.[5-9]|kimi-k3|grok-4|glm-[45]\.?\d?v",
    re.I,
)


def known_model(provider: str, model: str) -> KnownModel | None:
    """Find what is known of a model at its own provider."""
    return next((known for known in _KNOWN if known.provider == provider and re.match(known.pattern, model)), None)


def takes_pictures(model: str) -> bool:
    """Guess from a model's name whether it takes pictures."""
    return _TAKES_PICTURES.search(model) is not None
