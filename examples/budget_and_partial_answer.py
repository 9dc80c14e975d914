"""A run that spends its budget gives what it knows, and never looks like a finished one."""

from prudent import Agent, Budget, tool
from prudent.models.scripted import ScriptedModel, call


@tool(effect="read")
def read_page(number: int) -> str:
    """Read a page of the contract."""
    return f"page {number}: nothing about notice periods"


# The closing call is made without tools; this is what the model says there.
closing = "Pages 1 and 2 say nothing about notice periods. The other pages were not read."
model = ScriptedModel([call("read_page", number=1), call("read_page", number=2)], when_no_tools=closing)
budget = Budget(model_calls=2, seconds=30, tokens=20_000)

if __name__ == "__main__":
    result = Agent(model, tools=[read_page], budget=budget).run_sync("What is the notice period?")
    print(result.status, result.reason, result.exit_status)
    print(result.output)
    print(result.model_calls, "model calls, the closing one included")

# prints:
# incomplete model_calls 3
# Pages 1 and 2 say nothing about notice periods. The other pages were not read.
# 3 model calls, the closing one included
