"""One turn of a search in numbers: what it chose from."""

import numpy as np

from transformer_core import beam_search
from ui.chapters.shared.forced_prefix import ForcedPrefix
from ui.chapters.ways.figures import beams as drawing
from ui.chapters.ways.searched import Searching, searched
from ui.chapters.ways.values import logits_of
from ui.figures import Figure
from ui.sections import Chapter, Frame, Section, controls, show
from ui.settings.fields import CellSetting, Settings, cell, whole

SHOWN = 8  # tokens that have a column
LABELS = ("score", "next", "sums", "sum", "output", "token", "pruned")


class CandidatesSettings(Settings):
    beam_turn: int = whole(5, 1, 63)  # which turn of the search
    beam_cell: CellSetting = cell()


@Section("candidates", settings=CandidatesSettings, reads=(Searching, ForcedPrefix, Frame), text="text")
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
    rows = [" ".join(at_hand.target.labels(output)[-3:]) for output in outputs]
    rows = [f"… {row}" if len(output) > 3 else row for row, output in zip(rows, outputs)]
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
