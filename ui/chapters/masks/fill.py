"""What stands in the place of a blocked score, and what softmax makes of a row with nothing left."""

import math
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import PAD, SoftmaxSteps, attention_steps, padding_mask, softmax_steps, target_mask, valid_pairs
from transformer_core.attention import BLOCKED
from transformer_core.softmax import MaskedSoftmax, masked_softmax
from ui.chapters.masks.padding import Both, chosen_sequences, names_of
from ui.chapters.masks.rows import Rows
from ui.chapters.masks.scores import HeadScores, model_scores, weighted, written
from ui.chapters.shared.attention_values import numbered, pairs
from ui.figures import Board, Figure, Operand, number
from ui.figures.formula import Choose, I, J, Matrix
from ui.figures.paper import softmax
from ui.inputs.typed_numbers import NotNumbers
from ui.sections import Chapter, Choice, Section, controls, predict, provenance, show
from ui.settings.fields import Settings, choice

# What overwrites a blocked score, in formulas and for float32.
FILLS = {
    "infinity": ("−∞", -math.inf),
    "billion": ("−10⁹", BLOCKED),
    "lowest": ("−3.4×10³⁸", torch.finfo(torch.float32).min),
}

# The scores that the notes draw and print, for two sequences of lengths 2 and 4, padded to 5.
NOTES_LENGTHS = (2, 4)
NOTES_SCORES = torch.tensor(
    [
        [
            [1.9743, -0.65912, 2.4752, -1.1645, 0.30591],
            [-1.5183, 0.60389, 0.026187, -1.9337, 0.74799],
            [-0.50436, 1.9787, 1.0392, -0.11386, -1.1774],
            [0.32022, 0.25618, -0.22645, 0.055852, -0.085724],
            [-0.97226, -0.22245, 0.55039, 1.5990, 1.5704],
        ],
        [
            [-1.1615, 0.80501, -0.82313, 0.0012514, 1.8805],
            [-1.0990, -0.33807, 1.3614, -0.45983, -0.17561],
            [0.019764, -0.84881, 0.77464, -0.66284, 0.43511],
            [-1.8832, -1.2018, -0.077904, -0.95873, 0.25455],
            [-1.6526, -0.25848, -1.0722, 0.33856, 1.1735],
        ],
    ]
)


BLANK = Choice("blank", ("zeros", "uniform", "nan", "first"), right="uniform")


class Fill(Settings):
    fill_with: str = choice("infinity", *FILLS)
    fill_scores: str = choice("auto", "auto", "notes", "model")  # auto: the model's where tokens are words
    fill_mask: str = choice("pairs", "pairs", "keys", "ahead", "both", "nothing")


class Case(NamedTuple):
    """One sequence's scores, and the mask over them."""

    scores: HeadScores
    mask: Tensor  # (T, T) bool
    names: list[str]
    paddings: list[int]


@Section("fill", settings=Fill, cell="fill_cell", reads=(Both, Rows), text="text", asks=(BLANK,))
def fill_blocked(chapter: Chapter[Fill]) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    answered = predict(chapter, BLANK)
    offered = {"options": ("notes", "model") if at_hand.words is None else ("model", "notes")}
    picked, known = controls.side_by_side(chapter, [3, 2], fill_with={}, fill_scores=offered)
    fill = FILLS[picked]
    controls.choose(chapter, "fill_mask")
    try:
        case = chosen_case(chapter, known)
    except NotNumbers:
        st.warning(say("needs_lengths"))
    else:
        steps = masked_softmax(case.scores.values, case.mask, fill[1])
        figure = Figure(
            "fill",
            board(chapter, case, steps, fill, answered),
            case.scores.origin,
            code=[masked_softmax, softmax_steps, SoftmaxSteps, attention_steps],
            program=program(case, fill[1], answered),
        )
        show(chapter, figure)
        if answered:
            outcome(chapter, case.mask, steps.weights)
    if answered:
        if known == "notes":
            chapter.write("fill.why_notes")
        chapter.write("fill.why")


def chosen_case(chapter: Chapter[Fill], known: str) -> Case:
    """With the scores `known`; NotNumbers while the lengths of the sequences, if they are in use, make no sense."""
    batch = chapter.of(Both)
    if known == "notes":
        which = min(batch.settings.which, len(NOTES_LENGTHS) - 1)
        values = NOTES_SCORES[which]
        tokens = valid_pairs(torch.tensor(NOTES_LENGTHS), len(values))[which].diagonal().long()  # 1 = real
        names = numbered(len(values))
        scores = HeadScores(provenance(f"masked_softmax(scores[{which}], mask)", *values.shape), values)
    else:
        sequences, which = chosen_sequences(batch)
        tokens = sequences[which]
        names = names_of(chapter, tokens)
        scores = model_scores(chapter.at_hand, chapter.of(Rows).settings.head, tokens)
    paddings = (tokens == PAD).nonzero().flatten().tolist()
    return Case(scores, masks(tokens.unsqueeze(0))[chapter.settings.fill_mask], names, paddings)


def masks(tokens: Tensor) -> dict[str, Tensor]:
    """The masks to choose from for tokens (1, T), each (T, T)."""
    T = tokens.size(1)
    keys = padding_mask(tokens)  # (1, 1, T)
    return {
        "pairs": (keys & keys.mT)[0],
        "keys": keys.expand(1, T, T)[0],
        "ahead": target_mask(torch.ones_like(tokens))[0],
        "both": target_mask(tokens)[0],
        "nothing": torch.zeros(T, T, dtype=torch.bool),
    }


def board(chapter: Chapter[Fill], case: Case, steps: MaskedSoftmax, fill: tuple[str, float], answered: bool) -> Board:
    """The scores, what the mask leaves of them, and, once the question is answered, their softmax."""
    say, scores, mask = chapter.say, case.scores.values.numpy(), case.mask.numpy()
    s, m = Matrix("scores"), Matrix("masked")
    square = pairs(chapter, case.names, paddings=case.paddings)
    score = partial(square, print_values=True, high=float(np.abs(scores).max()) or 1.0)
    panels = [
        score("scores", scores, say("scores"), symbol="s", made=case.scores.made),
        score(
            "masked",
            steps.masked.numpy(),
            say("masked"),
            symbol="m",
            blocked=~mask,
            made=Choose(Matrix("mask")[I, J], s[I, J], Matrix("fill")[0, 0]),
        ),
        weighted(square, "weights", steps.weights, say("weights"), (0, 2), softmax(m, len(scores))),
    ]
    given = (*case.scores.operands, Operand("mask", mask), Operand("fill", np.array([[fill[1]]]), symbol=fill[0]))
    return Board(panels if answered else panels[:2], given)


def program(case: Case, blocked: float, answered: bool) -> str:
    value = "-float('inf')" if math.isinf(blocked) else repr(blocked)
    return f"""import torch

scores = torch.tensor({written(case.scores.values.tolist())})
may_attend = torch.tensor({written(case.mask.tolist())})
masked = scores.masked_fill(~may_attend, {value})
shown = masked{".softmax(-1)" if answered else ""}
print(shown)"""


def outcome(chapter: Chapter[Fill], mask: Tensor, weights: Tensor) -> None:
    rows = len(mask)
    closed = int((~mask).all(-1).sum())
    if not closed:
        chapter.write("outcome.fine", rows=rows)
    elif weights.isnan().any():
        chapter.write("outcome.nan", count=closed, rows=rows)
    else:
        chapter.write("outcome.uniform", count=closed, rows=rows, share=number(1 / rows))
