"""Independent calls of one reply run at once; their results are recorded in the order of the calls."""

import asyncio
import time

from prudent import Agent, tool
from prudent.models.scripted import ScriptedModel, call


@tool(effect="read")
async def weather(city: str) -> str:
    """Tell today's weather in a city."""
    await asyncio.sleep({"Oslo": 0.6, "Rome": 0.4, "Cairo": 0.5}[city])
    return f"{city}: dry"


# Calls that name the same resource wait for each other, in call order.
@tool(effect="write", idempotent=True, resource=lambda arguments: str(arguments["path"]))
async def append(path: str, line: str) -> str:
    """Add a line to a note."""
    await asyncio.sleep(0.1)
    return f"{path}: {line}"


cities = [call("weather", city=city) for city in ("Oslo", "Rome", "Cairo")]
notes = [call("append", path="trip.txt", line="hat"), call("append", path="trip.txt", line="map")]
model = ScriptedModel([[*cities, *notes], "It is dry everywhere."])

if __name__ == "__main__":
    began = time.monotonic()
    Agent(model, tools=[weather, append], parallel_tool_calls=True).run_sync("Where is it dry?")
    print("at once" if time.monotonic() - began < 1.5 else "one after the other")
    print([message.text for message in model.requests[-1].messages if message.role == "tool"])

# prints:
# at once
# ['Oslo: dry', 'Rome: dry', 'Cairo: dry', 'trip.txt: hat', 'trip.txt: map']
