"""What a beam has found, or why there is nothing to search for; one turn of its search in numbers."""

from typing import NamedTuple

import numpy as np
import streamlit as st

from transformer_core import Beam, beam_search
from ui.chapters.shared.forced_prefix import ForcedPrefix, Tokens, prefix_of
from ui.chapters.shared.model_program import decoding_snippet
from ui.chapters.ways.figures import beams as drawing
from ui.chapters.ways.values import all_forced, beam_of, logits_of
from ui.figures import Figure
from ui.model import ModelAtHand
from ui.sections import AnyChapter, Chapter, Frame, Section, controls, show
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


SHOWN = 8  # tokens that have a column
LABELS = ("score", "next", "sums", "sum", "output", "token", "pruned")


class CandidatesSettings(Settings):
    beam_turn: int = whole(5, 1, 63)  # which turn of the search


@Section(
    "candidates", settings=CandidatesSettings, cell="beam_cell", reads=(Searching, ForcedPrefix, Frame), text="text"
)
def candidates(chapter: Chapter[CandidatesSettings]) -> None:
    search = searched(chapter)
    if search is None:
        return
    at_hand, say, found = chapter.at_hand, chapter.say, search.found
    number = controls.slider(chapter, "beam_turn", 1, len(found.turns))
    turn = found.turns[number - 1]
    named, vocab = at_hand.target.every, len(at_hand.target)
    outputs = tuple(tuple(found.output(at)) for at in turn.parents)
    sums = turn.sums.numpy()
    best = np.argsort(-sums.max(0), kind="stable")[:SHOWN].tolist()
    stays = np.zeros(sums.shape, dtype=bool)
    row_of = {at: row for row, at in enumerate(turn.parents)}
    for at in turn.children:
        node = found.nodes[at]
        stays[row_of[node.parent], node.token] = node.fate != "pruned"
    ways = np.array([[found.nodes[one].log_prob for one in found.way(at)] for at in turn.parents])
    numbers = drawing.BeamCandidates(
        ways.reshape(len(outputs), -1),
        logits_of(at_hand, search.src, outputs)[:, -1],
        turn.log_probs.numpy(),
        sums,
        stays,
        best,
    )
    rows = [" ".join(at_hand.target.labels(output)[-2:]) for output in outputs]
    rows = [f"… {row}" if len(output) > 2 else row for row, output in zip(rows, outputs)]
    figure = Figure(
        "candidates",
        drawing.candidates_board(
            numbers, rows, [named[token] for token in best], {n: say(f"label.{n}") for n in LABELS}
        ),
        at_hand.provenance("generator.log_probs", len(outputs), vocab),
        numbers=sums,
        columns=named,
        code=[beam_search],
        program=search.program(f"shown = found.turns[{number - 1}].sums\n"),
        alt=say("candidates.alt", turn=number + len(search.prefix), count=len(outputs)),
    )
    show(chapter, figure)
