"""Who is asked before a call: a policy first, then an approver. Without one, the run is parked until somebody decides."""

from prudent import Agent, Rule, tool
from prudent.events import ApprovalAsked, ApprovalDecided
from prudent.models.scripted import ScriptedModel, call


@tool(effect="destructive", preview=lambda arguments: f"would refund {arguments['euros']} EUR")
def refund(order: int, euros: int) -> str:
    """Pay money back."""
    return f"refunded {euros} EUR for order {order}"


class Desk:
    """Answers in place of a person. To answer None is to park the run."""

    async def decide(self, question: ApprovalAsked) -> ApprovalDecided | None:
        """Cut refunds down to 100 EUR."""
        print("asked:", question.preview)
        fair = {**question.arguments, "euros": 100}
        return ApprovalDecided(call_id=question.call_id, decision="edit", arguments=fair, decided_by="desk")


policy = [
    Rule("allow", tool="refund", arguments={"euros": "?"}),  # under 10 EUR nobody is asked
    Rule("deny", tool="refund", arguments={"order": "99*"}),  # these are closed for good
]

script = [call("refund", order=7, euros=5), call("refund", order=991, euros=50), call("refund", order=8, euros=400)]
model = ScriptedModel([*script, "Done."])

if __name__ == "__main__":
    Agent(model, tools=[refund], policy=policy).run_sync("Settle the complaints.", approver=Desk())
    print(*[message.text[:79] for message in model.requests[-1].messages if message.role == "tool"], sep="\n")

# prints:
# asked: would refund 400 EUR
# refunded 5 EUR for order 7
# {"error":{"kind":"not_allowed","reason":"the policy does not allow this call of
# refunded 100 EUR for order 8
