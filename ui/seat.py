"""This reader's own training run: one at a time, and it ends when the reader leaves."""

from dataclasses import dataclass

import streamlit as st

from transformer_core import EncoderDecoder
from transformer_core.train_config import TrainConfig
from ui import session
from ui.runs import Refused, Runs, Snapshot


@dataclass
class Seat:
    runs: Runs
    run: str | None = None
    watched: bool = False  # its end is still to be shown
    refused: Refused | None = None  # why the last start came to nothing

    @property
    def seen(self) -> Snapshot | None:
        """The run as it is now; None if there is none, or it was ended while this reader was away."""
        if self.run is not None and not self.runs.knows(self.run):
            self.run = None
        return None if self.run is None else self.runs.snapshot(self.run)

    def start(self, config: TrainConfig, until: int | None = None) -> None:
        """Train, instead of what was trained before. A refusal leaves that as it was."""
        try:
            run = self.runs.start(config, until)
        except Refused as refused:
            self.refused = refused
            return
        if self.run is not None:
            self.runs.forget(self.run)
        self.run, self.refused = run, None
        self.watched = True  # it may be over before the page is drawn

    def return_to(self, config: TrainConfig) -> None:
        """Go on with the run of these settings that this reader left a moment ago by reloading the page."""
        self.run = self.runs.adopt(config)

    def latest(self) -> tuple[EncoderDecoder, int] | None:
        """The model in training, in evaluation mode, and its step."""
        return None if self.run is None else self.runs.latest(self.run)

    def leave(self) -> None:
        if self.run is not None:
            self.runs.leave(self.run)


@st.cache_resource(scope="session", show_spinner=False, on_release=Seat.leave)
def seat() -> Seat:
    return Seat(session.runs())
