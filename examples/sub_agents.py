"""An agent as another one's tool: it has its own budget inside its parent's, and what it spends is added up."""

from prudent import Agent, Budget, tool
from prudent.models.scripted import ScriptedModel, call


@tool(effect="read")
def invoice(number: int) -> str:
    """Read an invoice."""
    return f"invoice {number}: 40 EUR, paid on 3 May 2031"


clerk = Agent(
    ScriptedModel([call("invoice", number=17), "Invoice 17 was paid on 3 May 2031 (invoice)."]),
    name="clerk",
    tools=[invoice],
    instructions="You know the accounts.",
    budget=Budget(model_calls=4, seconds=20),
)
chief = Agent(
    ScriptedModel([call("ask_clerk", task="Is invoice 17 paid?"), "Yes, on 3 May 2031 (ask_clerk)."]),
    name="chief",
    tools=[clerk.as_tool(when="Use it for whatever the accounts may say.")],
)

if __name__ == "__main__":
    result = chief.run_sync("Do we still wait for invoice 17?")
    print(result.output)
    print(f"{result.usage.total_tokens} tokens, the clerk's included")

# prints:
# Yes, on 3 May 2031 (ask_clerk).
# 480 tokens, the clerk's included
