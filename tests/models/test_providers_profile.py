from __future__ import annotations

from pydantic_ai.models import infer_model
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from prudent.models.providers_facts import WIRES
from prudent.models.providers_profile import profile_of


def test_a_known_model_has_its_window_and_its_prices() -> None:
    layer = infer_model("openai-responses:gpt-4o", lambda _: OpenAIProvider(api_key="k"))
    profile = profile_of(WIRES["openai-responses"], layer, at_home=True, writes_cache=False)
    assert (profile.provider, profile.context_window_tokens) == ("openai-responses", 128_000)
    assert (profile.input_price, profile.cached_price, profile.output_price) == (2.5, 1.25, 10.0)


def test_where_a_cache_is_written_a_token_read_costs_what_writing_it_costs() -> None:
    layer = infer_model("anthropic:claude-haiku-4-5", lambda _: AnthropicProvider(api_key="k"))
    plain = profile_of(WIRES["anthropic"], layer, at_home=True, writes_cache=False)
    cached = profile_of(WIRES["anthropic"], layer, at_home=True, writes_cache=True)
    assert plain.input_price == 1.0
    assert cached.input_price == 1.25
    assert cached.output_price == plain.output_price == 5.0


def test_prices_hold_at_home_only_and_unknown_ones_are_none() -> None:
    known = infer_model("anthropic:claude-haiku-4-5", lambda _: AnthropicProvider(api_key="k"))
    unknown = infer_model("anthropic:claude-x", lambda _: AnthropicProvider(api_key="k"))
    for layer, at_home in [(known, False), (unknown, True)]:
        profile = profile_of(WIRES["anthropic"], layer, at_home=at_home, writes_cache=False)
        assert (profile.input_price, profile.cached_price, profile.output_price) == (None, None, None)
    assert profile_of(WIRES["anthropic"], unknown, at_home=True, writes_cache=False).context_window_tokens == 32_768
