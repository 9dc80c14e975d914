"""An answer as an object: checked against its type, and asked for once more where it does not fit."""

from datetime import date
from typing import Literal

from pydantic import BaseModel, Field

from prudent import Agent
from prudent.models.scripted import ScriptedModel


class Ticket(BaseModel):
    """What support needs to know of a message."""

    topic: Literal["billing", "delivery", "other"]
    due: date
    urgency: int = Field(ge=1, le=5)


model = ScriptedModel(
    [
        '{"topic": "delivery", "due": "2031-05-06", "urgency": 9}',
        '{"topic": "delivery", "due": "2031-05-06", "urgency": 5}',
    ]
)

if __name__ == "__main__":
    result = Agent(model, output_type=Ticket).run_sync("My parcel must be here by 6 May 2031!")
    print(result.output)
    print(model.requests[1].messages[-1].text.splitlines()[0])

# prints:
# topic='delivery' due=datetime.date(2031, 5, 6) urgency=5
# Your answer was sent back: it does not have the declared form. urgency: Input should be less than or equal to 5
