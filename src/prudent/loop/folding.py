"""Making room: old turns are folded before the model is asked, or once its provider says that the request is too long."""

from __future__ import annotations

from dataclasses import dataclass

from prudent.errors import ContextOverflow
from prudent.events import Warned
from prudent.exchange import ModelRequest
from prudent.loop.ask import Asked, Asker
from prudent.loop.parts import Parts
from prudent.loop.side_call import SideCall, is_affordable, is_ended
from prudent.ports import Fold


@dataclass(slots=True)
class Folding:
    """Folds when that is due, and asks."""

    parts: Parts
    asker: Asker

    async def make_room(self) -> None:
        """Fold if it is time to, and warn of results that are too large. A run that is about to be ended is left alone."""
        state = self.parts.state
        if is_ended(self.parts, state):
            return
        for warning in self.parts.folder.warnings(state):
            self.parts.recorder.emit(Warned(text=warning))
        if fold := self.parts.folder.due(state):
            await self._fold(fold)

    async def ask(self) -> Asked:
        """Ask for the next turn; when the request is too long, fold what can be folded and ask once more."""
        try:
            return await self.asker.ask("turn")
        except ContextOverflow:
            fold = self.parts.folder.due(self.parts.state, overflow=True)
            if fold is None:
                raise
        await self._fold(fold)
        return await self.asker.ask("turn")

    async def _fold(self, fold: Fold) -> None:
        """Have a model write the summary if the budget covers that; rules write it where it does not, or the model fails."""
        model = self.parts.summary_model or self.parts.model
        written = ""
        if is_affordable(self.parts):
            written = await SideCall(self.parts, "folding", model).text(ModelRequest(fold.request))
        self.parts.recorder.emit(self.parts.folder.fold(self.parts.state, fold, written, by=model.name))
