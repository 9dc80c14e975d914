"""A check may send an answer back with a reason: here a rule first, then a second agent that judges."""

from prudent import Agent
from prudent.models.scripted import ScriptedModel

judge = Agent(
    ScriptedModel(["It does not say for which plan.", "OK"]),
    name="judge",
    instructions="Say OK if a customer can act on this answer, else say in one sentence what is missing.",
)


async def check(answer: str) -> str | None:
    """Give the reason why the answer will not do, or None."""
    if "(" not in answer:
        return "name the document that the answer rests on, in brackets"
    verdict = (await judge.run(answer)).output
    return None if verdict == "OK" else verdict


model = ScriptedModel(["30 days.", "30 days (returns.md).", "A yearly plan can be returned within 30 days (returns.md)."])
agent = Agent(model, answer_check=check)

if __name__ == "__main__":
    print(agent.run_sync("How long can I return it?").output)
    for request in model.requests[1:]:
        print("-", request.messages[-1].text)

# prints:
# A yearly plan can be returned within 30 days (returns.md).
# - Your answer was sent back: name the document that the answer rests on, in brackets
# - Your answer was sent back: It does not say for which plan.
