"""What a tool may ask for: choices, ranges, dataclasses; and a context that the model never sees."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from prudent import Agent, Context, tool
from prudent.models.scripted import ScriptedModel, call


@dataclass
class Item:
    """One line of an order."""

    article: str
    count: Annotated[int, Field(ge=1, le=20)]


@tool(effect="write", idempotent=True, enum_help={"post": "three days, free", "courier": "next day, 9 EUR"})
def order(items: list[Item], by: Literal["post", "courier"], context: Context) -> str:
    """Order articles from the warehouse."""
    return f"ordered {items[0].count} x {items[0].article} by {by} for {context.dependencies}"


too_many = call("order", items=[{"article": "lamp", "count": 50}], by="post")
as_text = call("order", items=[{"article": "lamp", "count": "5"}], by="post")  # "5" for 5: repaired
model = ScriptedModel([too_many, as_text, "Five lamps are on their way."])

if __name__ == "__main__":
    result = Agent(model, tools=[order], dependencies="Ms Lin").run_sync("Order me some lamps.")
    for message in model.requests[-1].messages:
        if message.role == "tool":
            print(message.text[:112])

# prints:
# {"error":{"kind":"invalid_arguments","reason":"items[0].count is not right (received 50); allowed is a whole num
# ordered 5 x lamp by post for Ms Lin
