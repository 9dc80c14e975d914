"""A check may send an answer back with a reason: here a rule, and then a second agent that judges."""

from prudent import Agent
from prudent.models.scripted import ScriptedModel


def names_its_source(answer: str) -> str | None:
    """Give the reason why the answer will not do, or None."""
    return None if "(" in answer else "name the document that the answer rests on, in brackets"


# A judge is told how to reply: ACCEPT, or REJECT and why.
verdicts = ["REJECT: it does not say for which plan.", "ACCEPT"]
judge = Agent(ScriptedModel(verdicts), name="judge", instructions="Judge as a customer would.")

if __name__ == "__main__":
    model = ScriptedModel(["30 days.", "30 days (returns.md)."])
    print(Agent(model, answer_check=names_its_source).run_sync("How long can I return it?").output)
    print("-", model.requests[1].messages[-1].text)

    model = ScriptedModel(["30 days (returns.md).", "30 days for a yearly plan (returns.md)."])
    print(Agent(model, answer_check=judge).run_sync("How long can I return it?").output)
    print("-", model.requests[1].messages[-1].text)

# prints:
# 30 days (returns.md).
# - Your answer was sent back: name the document that the answer rests on, in brackets
# 30 days for a yearly plan (returns.md).
# - Your answer was sent back: it does not say for which plan.
