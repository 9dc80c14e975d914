"""What is known of a model behind the layer: its window, and its prices where they are one figure."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from genai_prices.data_snapshot import get_snapshot
from pydantic_ai.models import Model as LayerModel

from prudent.exchange import ModelProfile
from prudent.models.providers_facts import WireFacts


def profile_of(wire: WireFacts, layer: LayerModel[Any], *, at_home: bool, writes_cache: bool) -> ModelProfile:
    """Put together what is known. Prices hold only at the provider's own address.

    With `writes_cache` nearly all that is not read from the cache is written to it, so the price of a token read is that
    of a token written to the cache.
    """
    profile = ModelProfile(provider=wire.name)
    window = layer.context_window
    if window:
        profile = replace(profile, context_window_tokens=window)
    if not at_home:
        return profile
    try:
        _, known = get_snapshot().find_provider_model(layer.model_name, None, layer.system, None)
        prices = vars(known.get_prices(datetime.now(UTC)))
    except LookupError:
        return profile
    names = ("cache_write_mtok" if writes_cache else "input_mtok", "cache_read_mtok", "output_mtok")
    read, cached, written = (_single(prices.get(name)) for name in names)
    if read is None or written is None:
        return profile
    return replace(profile, input_price=read, cached_price=cached, output_price=written)


def _single(price: object) -> float | None:
    """Give a price that does not depend on how long a prompt is."""
    return float(price) if isinstance(price, Decimal) else None
