"""Everything that happens to a run, as typed events, while it happens."""

import asyncio

from prudent import Agent, RunResult, tool
from prudent.events import CallEnded, CallPrepared, TextArrived
from prudent.models.scripted import ScriptedModel, call, reply


@tool(effect="read")
def stock(article: str) -> int:
    """Count how many pieces of an article are there."""
    return 12


model = ScriptedModel([call("stock", article="lamp"), reply("Twelve lamps are there.", piece_chars=12)])


async def main() -> None:
    async for event in Agent(model, tools=[stock]).stream("How many lamps do we have?"):
        if isinstance(event, CallPrepared):
            print("call:", event.tool_name, event.arguments)
        elif isinstance(event, CallEnded):
            print(f"{event.status}: {event.shown}")
        elif isinstance(event, TextArrived):
            print("text:", event.text)
        elif isinstance(event, RunResult):
            print(f"{event.status}: {event.output}")


if __name__ == "__main__":
    asyncio.run(main())

# prints:
# call: stock {'article': 'lamp'}
# ok: 12
# text: Twelve lamps
# text:  are there.
# completed: Twelve lamps are there.
