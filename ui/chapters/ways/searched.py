"""What a beam has found, or why there is nothing to search for."""

from typing import NamedTuple

import streamlit as st

from transformer_core import Beam
from ui.chapters.shared.forced_prefix import Tokens, prefix_of
from ui.chapters.shared.model_program import decoding_snippet
from ui.chapters.ways.values import all_forced, beam_of
from ui.model import ModelAtHand
from ui.sections import AnyChapter
from ui.sections.sequence_fields import typed
from ui.settings.fields import Settings, real, whole


class Searching(Settings):
    width: int = whole(4, 1, 8)  # of the beam
    alpha: float = real(0.6, 0.0, 2.0)  # of the length penalty


class Search(NamedTuple):
    at_hand: ModelAtHand
    src: Tokens
    prefix: Tokens  # what all outputs begin with
    width: int
    alpha: float
    found: Beam

    @property
    def winner(self) -> int:
        """The place of the best of the finished outputs."""
        return self.found.finished(self.alpha)[0]

    def program(self, shown: str) -> str:
        """`shown` are the last lines, about what is `found`."""
        given = f"width={self.width}", f"alpha={self.alpha:g}", f"end={self.at_hand.target.end}"
        found = decoding_snippet(self.at_hand, "beam_search", self.src, self.prefix, *given)
        return f"{found}{shown}print(shown)\n"


def searched(chapter: AnyChapter) -> Search | None:
    """None after saying that there is nothing to search for."""
    at_hand, src, settings = chapter.at_hand, typed(chapter, "src"), chapter.of(Searching).settings
    prefix = prefix_of(chapter, src)
    if len(src) < 2:
        st.info(chapter.say("unread"))
        return None
    if all_forced(at_hand, src, prefix):
        st.info(chapter.say("all_forced"))
        return None
    found = beam_of(at_hand, src, settings.width, settings.alpha, prefix)
    return Search(at_hand, src, prefix, settings.width, settings.alpha, found)
