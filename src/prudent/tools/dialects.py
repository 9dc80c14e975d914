"""What which provider refuses in a tool's definition: one row a dialect, in one table.

`prudent lint` tells a definition's author of it, and `mending` writes each definition so that its provider takes it. What
every provider refuses (a type that is none, a list without items, a default that its own type refuses) needs no row.
Where each row comes from stands in docs/dialects.md.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

NAME_CHARS = 64
"""The longest name of a tool that all providers take."""

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")
_WIRE_NAME = re.compile(rf"[A-Za-z_][A-Za-z0-9_-]{{0,{NAME_CHARS - 1}}}")
_HASH_CHARS = 6

KEYWORDS = frozenset(
    {
        *("type", "description", "title", "enum", "const", "default", "examples", "format"),
        *("properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties"),
        *("maxProperties", "items", "prefixItems", "minItems", "maxItems", "uniqueItems", "minLength", "maxLength"),
        *("pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("anyOf", "oneOf", "allOf", "not", "$ref", "$defs", "definitions", "$schema", "$id", "$comment"),
    }
)
"""JSON schema's words as far as tools use them. Others are passed over by some providers and refused by others."""

_OPENAPI = frozenset(
    {
        *("type", "description", "enum", "format", "properties", "required", "items", "minItems", "maxItems"),
        *("minLength", "maxLength", "pattern", "minimum", "maximum", "anyOf"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What one provider, or several, take in a tool's definition."""

    name: str
    keywords: frozenset[str] = KEYWORDS
    """Words of a schema that are not refused."""

    property_names: str = ""
    """Pattern that the names of parameters must match as a whole; "" for any."""

    references: bool = True
    """Whether `$ref` into `$defs` is taken and understood."""

    one_of: bool = True
    """Whether `oneOf` is taken; `anyOf` always is."""

    type_beside_any_of: bool = True
    """Whether a node may have a `type` and an `anyOf`."""

    type_lists: bool = True
    """Whether `type` may be a list, such as `["string", "null"]`."""

    null: bool = True
    """Whether null is a type."""

    untyped: bool = True
    """Whether a node may do without a type."""

    tuples: bool = True
    """Whether `items` may be a list."""

    open_objects: bool = True
    """Whether an object may list no properties."""

    enums_of_any: bool = True
    """Whether values of an enumeration may be anything but strings."""

    free_patterns: bool = True
    """Whether any `pattern` will do; else only one from ^ to $ without classes such as \\d and without looking ahead."""

    longest_repetition: int | None = None
    """The highest bound on lengths and counts; None for any."""


_COMMON = Dialect(name="common")
"""OpenAI's own, and of all who took it over. Its extra rules (no alternatives at the root) are kept for everybody."""

_ANTHROPIC = Dialect(name="anthropic", property_names=r"[a-zA-Z0-9_.-]{1,64}")
_MOONSHOT = Dialect(name="moonshot", references=False, one_of=False, type_beside_any_of=False, tuples=False)
_TEMPLATES = Dialect(
    name="ollama", references=False, one_of=False, type_beside_any_of=False, type_lists=False, null=False, tuples=False
)
_GRAMMAR = Dialect(
    name="llamacpp",
    references=False,
    type_beside_any_of=False,
    untyped=False,
    tuples=False,
    free_patterns=False,
    longest_repetition=2000,
)
_INLINED = Dialect(name="vllm", references=False)
_NO_ONE_OF = Dialect(name="fireworks", references=False, one_of=False, type_beside_any_of=False)
_GEMINI = Dialect(
    name="gemini",
    keywords=_OPENAPI,
    references=False,
    one_of=False,
    type_beside_any_of=False,
    type_lists=False,
    null=False,
    untyped=False,
    tuples=False,
    open_objects=False,
    enums_of_any=False,
)
_GOOGLE = Dialect(name="google", one_of=False, type_beside_any_of=False, untyped=False, tuples=False)

DIALECTS: Mapping[str, Dialect] = {
    **dict.fromkeys(("openai", "openai-compatible", "openai-responses", "azure", "azure-responses", "openrouter"), _COMMON),
    **dict.fromkeys(("deepseek", "qwen", "qwen-intl", "zai", "zhipu", "siliconflow", "xai"), _COMMON),
    **dict.fromkeys(("groq", "mistral", "together", "cerebras", "cohere", "huggingface"), _COMMON),
    **dict.fromkeys(("anthropic", "bedrock", "bedrock-mantle"), _ANTHROPIC),
    **dict.fromkeys(("moonshot", "moonshot-cn"), _MOONSHOT),
    **dict.fromkeys(("llamacpp", "lmstudio", "local"), _GRAMMAR),
    **dict.fromkeys(("google", "vertex"), _GOOGLE),
    "ollama": _TEMPLATES,
    "vllm": _INLINED,
    "fireworks": _NO_ONE_OF,
    "gemini": _GEMINI,
}
"""The dialect by provider, as `ModelProfile.provider` names it. `gemini` is Google's own form behind somebody else's wire."""

_RESOLD = (
    (re.compile(r"(^|/)gemini-", re.I), _GEMINI),
    (re.compile(r"(^|/)claude-", re.I), _ANTHROPIC),
    (re.compile(r"(^|/)kimi-", re.I), _MOONSHOT),
)
_NATIVE = frozenset({"google", "vertex", "anthropic", "bedrock", "bedrock-mantle", "moonshot", "moonshot-cn"})


def dialect_for(provider: str, model: str = "") -> Dialect:
    """Find the dialect of a provider, or that of a model which somebody else passes on.

    Args:
        provider: as `ModelProfile.provider` names it; one that is not known is taken for a strict OpenAI.
        model: the model's name, such as `google/gemini-2.5-flash`.
    """
    if provider not in _NATIVE:
        resold = next((dialect for pattern, dialect in _RESOLD if pattern.search(model)), None)
        if resold is not None:
            return resold
    return DIALECTS.get(provider, _COMMON)


def strictest() -> Dialect:
    """Give the dialect that takes only what all take; a definition written for it goes anywhere."""
    return replace(
        _GEMINI,
        name="strictest",
        property_names=_ANTHROPIC.property_names,
        free_patterns=False,
        longest_repetition=_GRAMMAR.longest_repetition,
    )


def is_wire_name(name: str) -> bool:
    """Whether every provider takes a tool's name: 1 to 64 of A-Z a-z 0-9 _ -, no digit or hyphen first."""
    return _WIRE_NAME.fullmatch(name) is not None


def wire_names(names: Collection[str]) -> dict[str, str]:
    """Give each of a set of tools a name that every provider takes, and that no other tool of the set has.

    A name that is fine stays; the others depend on themselves, and on the set only where two would be the same.
    """
    given = {name: name for name in names if is_wire_name(name)}
    taken = set(given)
    for name in names:
        if name in given:
            continue
        wanted = legal_name(name, NAME_CHARS)
        if wanted in taken:
            wanted = _with_hash(wanted, name, NAME_CHARS)
        given[name] = wanted
        taken.add(wanted)
    return {name: given[name] for name in names}


def legal_name(name: str, longest: int) -> str:
    """Write a name with letters, digits, _ and - only; one that has to be cut ends in a piece of its hash."""
    legal = _NOT_IN_NAMES.sub("_", name).strip("_") or "unnamed"
    legal = legal if re.match(r"[A-Za-z_]", legal) else f"t_{legal}"
    return legal if len(legal) <= longest else _with_hash(legal, name, longest)


def _with_hash(legal: str, name: str, longest: int) -> str:
    digest = hashlib.sha256(name.encode()).hexdigest()[:_HASH_CHARS]
    return f"{legal[: longest - _HASH_CHARS - 1]}_{digest}"
