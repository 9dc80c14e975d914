"""The loop: the model is asked again and again until it answers without calling a tool, or a brake is pulled."""

from __future__ import annotations

from dataclasses import dataclass

from prudent.errors import ModelError
from prudent.loop.answer import Answering, Ending
from prudent.loop.ask import Asked
from prudent.loop.closing import Closing
from prudent.loop.dispatch import Dispatcher
from prudent.loop.folding import Folding
from prudent.loop.parts import Parts
from prudent.loop.settle import Settler
from prudent.ports import End


@dataclass(slots=True)
class TurnLoop:
    """Takes a run from where it stands to its end, or to where a person is needed."""

    parts: Parts
    folding: Folding
    dispatcher: Dispatcher
    settler: Settler
    answering: Answering
    closing: Closing

    async def work(self) -> Ending | End:
        """Turn after turn. Gives the run's ending, or what a brake said; then the run is to be closed."""
        outcome = await self.settle()
        while outcome is None:
            await self.folding.make_room()
            outcome = self.braked() or await self.turn()
        return outcome

    async def settle(self) -> Ending | End | None:
        """Answer the calls that a resumed run has left open, or judge the answer that it has left unjudged."""
        return self._after_calls(await self.settler.settle()) or await self.answering.take_up()

    def braked(self) -> End | None:
        """Look at every brake before a model call is paid for."""
        return next((end for brake in self.parts.brakes if (end := brake.before_model(self.parts.state))), None)

    async def turn(self) -> Ending | End | None:
        """Ask the model; run its calls, or judge its answer."""
        try:
            asked = await self.folding.ask()
        except ModelError as error:
            return Ending("failed", error=str(error))
        return await self.act(asked) if asked.calls else await self.answering.judge()

    async def act(self, asked: Asked) -> Ending | End | None:
        """Give every call of the reply its answer."""
        turn = self.parts.state.turn
        return self._after_calls(await self.dispatcher.dispatch(asked.calls, turn, asked.early, cut=asked.cut))

    def _after_calls(self, end: End | None) -> Ending | End | None:
        return Ending("awaiting_approval") if self.parts.state.open_calls else end

    async def close(self, end: End) -> Ending:
        """End an unfinished run with what is known; outside the run's deadline, within the time kept back for it."""
        return Ending("incomplete", end.reason, await self.closing.partial_answer(end), error=end.detail)
