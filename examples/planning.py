"""Plan before acting: with planning="required" a call without a thought before it is not run."""

import asyncio

from prudent import Agent, tool
from prudent.models.scripted import ScriptedModel, call, think


@tool(effect="read")
def price(article: str) -> str:
    """Look up a price."""
    return f"{article}: 40 EUR"


model = ScriptedModel(
    [
        call("price", article="lamp"),  # no thought: refused
        [think("I need the price.", plan="1. look up 2. answer", action="price"), call("price", article="lamp")],
        "A lamp is 40 EUR (price).",
    ]
)
agent = Agent(model, tools=[price], planning="required")

if __name__ == "__main__":
    run = agent.prepare("What is a lamp?")
    asyncio.run(run.work())
    for record in run.state.calls.values():
        print(f"{record.tool_name}: {record.error_kind or record.status}")
    for thought in run.state.thoughts:
        print(f"plan: {thought.plan}")

# prints:
# price: plan_first
# think_and_plan: ok
# price: ok
# plan: 1. look up 2. answer
