"""Masks lab: what stands in the place of a blocked score, and what softmax makes of a row with nothing left."""

import math
from functools import partial
from typing import NamedTuple

import streamlit as st
import torch
from torch import Tensor

from transformer_core import PAD, attention_steps, padding_mask, softmax_steps, target_mask, valid_pairs
from transformer_core.attention import BLOCKED
from transformer_core.softmax import masked_softmax
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board, write_sums
from ui.figures import arithmetic
from ui.figures.board import Panel, Source
from ui.labs import masks_snippets
from ui.labs.masks_padding import chosen_sequences
from ui.predict import predict_choice
from ui.recorded import recorded
from ui.shell import Chapter

BLANK_ANSWERS = ("zeros", "uniform", "nan", "first")

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


class Stage(NamedTuple):
    """One sequence's way from scores to weights, each (T, T)."""

    query: Tensor | None  # (T, d_k); the notes print only the scores
    key: Tensor | None
    scores: Tensor
    mask: Tensor
    masked: Tensor
    weights: Tensor
    names: list[str]
    paddings: list[int]
    origin: str


def fill_lab(chapter: Chapter) -> bool:
    """True once the answer may be shown."""
    say = chapter.say
    shown = predict_choice(chapter, "blank", BLANK_ANSWERS, "uniform")
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        name = controls.choose(chapter, "fill_with")
    with right:
        controls.choose(chapter, "fill_scores")
    controls.choose(chapter, "fill_mask")
    stage = staged(chapter, fill_value(name))
    if stage is None:
        st.warning(say("needs_lengths"))
        return shown
    pointed = board(chapter, "fill", panels(chapter, stage, shown), cell="fill_cell", alt=say("fill.alt"))
    if pointed.chosen:
        write_sums(chapter, arithmetic_of(stage, pointed.chosen))
    if shown:
        outcome(chapter, stage)
    caption(
        chapter,
        "fill",
        stage.origin,
        numbers=(stage.weights if shown else stage.masked).numpy(),
        code=[masked_softmax, softmax_steps, attention_steps],
        snippet=masks_snippets.fill(stage.scores.tolist(), stage.mask.tolist(), fill_value(name)),
    )
    return shown


def fill_value(name: str) -> float:
    """What overwrites a blocked score, for float32."""
    return {"infinity": -math.inf, "billion": BLOCKED, "lowest": torch.finfo(torch.float32).min}[name]


def staged(chapter: Chapter, blocked: float) -> Stage | None:
    """Scores, mask and weights as set; None while the lengths make no sense."""
    settings = chapter.settings
    chosen = chosen_sequences(chapter)
    if settings.fill_scores == "notes":
        which = min(settings.which, len(NOTES_LENGTHS) - 1)
        real = valid_pairs(torch.tensor(NOTES_LENGTHS), NOTES_SCORES.size(-1))[which].diagonal()  # (T,) 1 = real
        scores, tokens = NOTES_SCORES[which], real.long().unsqueeze(0)
        names = [str(position) for position in range(len(real))]
        query = key = None
        origin = provenance(f"masked_softmax(scores[{which}], mask)", *scores.shape)
    elif chosen is None:
        return None
    else:
        tokens = chosen.tokens[chosen.which : chosen.which + 1]
        path, query, key, scores = model_scores(chapter, tokens[0])
        names = [str(token) for token in tokens[0].tolist()]
        origin = chapter.at_hand.provenance(path, *scores.shape, head=head_of(chapter))
    mask = masks(tokens)[settings.fill_mask]
    steps = masked_softmax(scores, mask, blocked)
    paddings = (tokens[0] == PAD).nonzero().flatten().tolist()
    return Stage(query, key, scores, mask, steps.masked, steps.weights, names, paddings, origin)


def masks(tokens: Tensor) -> dict[str, Tensor]:
    """The masks to choose from for tokens (1, T), each (T, T)."""
    T = tokens.size(1)
    keys = padding_mask(tokens)  # (1, 1, T)
    both = target_mask(tokens)
    return {
        "pairs": (keys & keys.mT)[0],
        "keys": keys.expand(1, T, T)[0],
        "ahead": target_mask(torch.ones_like(tokens))[0],
        "both": both[0],
        "nothing": torch.zeros(T, T, dtype=torch.bool),
    }


def head_of(chapter: Chapter) -> int:
    return min(chapter.settings.head, chapter.at_hand.config.h - 1)


class Scores(NamedTuple):
    """One head's scores and what they are made of, before any mask."""

    path: str  # of the tensor
    query: Tensor  # (T, d_k)
    key: Tensor  # (T, d_k)
    scores: Tensor  # (T, T)


def model_scores(chapter: Chapter, tokens: Tensor) -> Scores:
    """The first decoder layer's self-attention for tokens (T,)."""
    at_hand = chapter.at_hand
    ids = tuple(tokens.tolist())
    trace = recorded(at_hand, ids, ids)
    path = "decoder.layers.0.self_attn"
    query, key, scores = (trace[f"{path}.{name}"][0, head_of(chapter)] for name in ("query", "key", "scores"))
    return Scores(f"{path}.scores", query, key, scores)


def panels(chapter: Chapter, stage: Stage, with_weights: bool) -> list[Panel]:
    say = chapter.say
    high = float(stage.scores.abs().max()) or 1.0
    square = partial(
        Panel,
        row_labels=stage.names,
        col_labels=stage.names,
        row_axis=say("query_axis"),
        col_axis=say("key_axis"),
        padded_rows=stage.paddings,
        padded_cols=stage.paddings,
        print_values=True,
    )
    before = [
        square("scores", stage.scores.numpy(), say("scores"), scale="signed", high=high),
        square(
            "masked",
            stage.masked.numpy(),
            say("masked"),
            scale="signed",
            high=high,
            blocked=~stage.mask.numpy(),
            place=(0, 1),
            sources=[Source("scores", "row", "column")],
        ),
    ]
    weights = square(
        "weights",
        stage.weights.numpy(),
        say("weights"),
        scale="probability",
        place=(0, 2),
        sources=[Source("masked", "row", "all")],
    )
    return [*before, weights] if with_weights else before


def arithmetic_of(stage: Stage, cell: tuple[str, int, int]) -> str:
    """The chosen cell's own sum; "" for a score that the notes only print."""
    panel, i, j = cell
    at = f"<sub>{i},{j}</sub>"
    if panel == "scores":
        return "" if stage.query is None or stage.key is None else score(stage.query[i], stage.key[j], at)
    if panel == "masked":
        sides = [f"s{at}"] if stage.mask[i, j] else []  # a blocked score is overwritten, whatever it was
        return arithmetic.equation(f"m{at}", *sides, result=float(stage.masked[i, j]))
    steps = softmax_steps(stage.masked[i])
    exponent = arithmetic.exponential(f"e{at}", float(stage.masked[i, j]), float(steps.largest))
    return exponent + arithmetic.share(f"α{at}", steps.exponentials.tolist(), j)


def score(q: Tensor, k: Tensor, at: str) -> str:
    """q·k / √d_k written out: q and k (d_k,)."""
    product = arithmetic.product("q·k", q.tolist(), k.tolist(), "q", "k")
    return product + arithmetic.scaled(f"s{at}", float(q @ k), len(q))


def outcome(chapter: Chapter, stage: Stage) -> None:
    """Say what became of the rows with every key blocked: no numbers, or the same weight for all keys."""
    rows = len(stage.mask)
    closed = int((~stage.mask).all(-1).sum())
    if not closed:
        chapter.write("outcome.fine", rows=rows)
    elif stage.weights.isnan().any():
        chapter.write("outcome.nan", count=closed, rows=rows)
    else:
        chapter.write("outcome.uniform", count=closed, rows=rows, share=arithmetic.number(1 / rows))
