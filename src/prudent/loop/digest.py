"""Long results of tools that ask for it, summarised by the agent's summary model."""

from __future__ import annotations

from dataclasses import dataclass, field

import anyio

from prudent.exchange import ModelRequest
from prudent.loop.parts import Parts
from prudent.loop.side_call import SideCall, is_affordable
from prudent.ports import Shaped
from prudent.tools.definition import Tool


@dataclass(slots=True)
class Digest:
    """Has long texts summarised, one after another."""

    parts: Parts
    _one_at_a_time: anyio.Lock = field(default_factory=anyio.Lock)

    async def shorten(self, tool: Tool, shaped: Shaped) -> Shaped:
        """Put a model's summary in the place of what common shaping shows; the result as it is where none can be had."""
        model = self.parts.summary_model
        if not tool.summarise or model is None or not shaped.artifact:
            return shaped
        request = self.parts.shaper.digest_request(shaped, model.profile.context_window_tokens)
        if request is None:
            return shaped
        async with self._one_at_a_time:
            if not is_affordable(self.parts):
                return shaped
            written = await SideCall(self.parts, "digest", model).text(ModelRequest(request))
        return self.parts.shaper.with_digest(tool, shaped, written, by=model.name)
