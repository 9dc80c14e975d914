"""A model of your own: whatever streams deltas and, last, one Reply. Here a parrot that needs no network."""

from collections.abc import AsyncGenerator

from prudent import Agent, Message
from prudent.exchange import ModelEvent, ModelProfile, ModelRequest, Reply, TextDelta
from prudent.types import Usage


class Parrot:
    """Says the last message again, word by word."""

    name = "parrot"
    profile = ModelProfile(provider="parrot", context_window_tokens=1000, input_price=0.0, output_price=0.0)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Answer one request; raise a ModelError if there is no answer."""
        text = request.messages[-1].text
        for word in text.split():
            yield TextDelta(f"{word} ")
        yield Reply(Message("assistant", text), "stop", Usage(input_tokens=len(text) // 4, output_tokens=len(text) // 4))

    async def aclose(self) -> None:
        """Nothing to give back."""


if __name__ == "__main__":
    result = Agent(Parrot()).run_sync("Polly wants a cracker.")
    print(result.output)
    print(result.model, result.cost)

# prints:
# Polly wants a cracker.
# parrot 0.0
