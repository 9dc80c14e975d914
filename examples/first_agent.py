"""A first agent: one tool, one question. Run it: `uv run python examples/first_agent.py`."""

from prudent import Agent, tool
from prudent.models.scripted import ScriptedModel, call, think


@tool(effect="read")
def weather(city: str) -> str:
    """Tell today's weather in a city.

    Args:
        city: its English name, such as "Oslo".
    """
    return f"{city}: rain, 12 °C"


# A scripted model plays its lines, so this needs no key. A real one is a name: Agent("deepseek:deepseek-chat", …).
model = ScriptedModel(
    [
        [think("I must not guess.", plan="1. look 2. answer", action="weather"), call("weather", city="Oslo")],
        "Yes, take one: it rains in Oslo (weather).",
    ]
)
agent = Agent(model, tools=[weather], instructions="You help people to pack.")

if __name__ == "__main__":
    result = agent.run_sync("Do I need an umbrella in Oslo today?")
    print(result.output)
    print(f"{result.status} after {result.turns} turns and {result.tool_calls} call")

# prints:
# Yes, take one: it rains in Oslo (weather).
# completed after 2 turns and 1 call
