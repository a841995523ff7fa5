"""Turns of the decoding loop as matrices, and two runs of the same turns: arrays in, a board out."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ui.figures import Board, Operand, Panel
from ui.figures.board import Few
from ui.figures.formula import Cases, Formula, I, J, Matrix, by_column
from ui.figures.paper import share, softmax

LANES = ("parallel", "alone")


class Lane(NamedTuple):
    """Shares of a softmax and what they are made of, (turns, size) each, and a name for each turn."""

    before: np.ndarray
    shares: np.ndarray
    turns: Sequence[str]


def lanes_board(
    lanes: tuple[Lane, Lane],
    few: Few,
    columns: Sequence[str],
    labels: Mapping[str, str],
    *,
    cell: str,
    symbol: str,
    meaning: str,
    padded: Sequence[int] = (),
    pressed: bool = False,
) -> Board:
    """Both lanes and their difference, a row for each turn, the `few` columns of each. `labels` have a title for each
    of the three, and the names of the axes: `turn`, `only` where a row is a turn alone, `column`. The names of rows and
    columns may be pressed."""
    common: dict[str, Any] = {
        "col_labels": columns, "col_axis": labels["column"], "borders": few.borders,
        "padded_cols": padded,
    }  # fmt: skip
    shown = [few.of(lane.shares) for lane in lanes]
    panels = [
        Panel(
            key, values, labels[key], lane.turns, **common, scale="probability", made=_shares(f"{key}.before", few),
            symbol=f"{symbol}{mark}", place=(0, at), meaning=meaning, row_axis=labels["turn"], label_events=pressed,
        )
        for at, (key, lane, values, mark) in enumerate(zip(LANES, lanes, shown, ("", "′")))
    ]  # fmt: skip
    first, second = (Matrix(key)[I, J] for key in LANES)
    between = Panel(
        "difference", shown[1] - shown[0], labels["difference"], [str(turn + 1) for turn in range(len(shown[0]))],
        **common, row_axis=labels["only"], low=-1.0, high=1.0, made=second - first, symbol="Δ", place=(0, 2),
    )  # fmt: skip
    operands = [
        Operand(f"{key}.before", lane.before, f"s{mark}", meaning) for key, lane, mark in zip(LANES, lanes, ("", "′"))
    ]
    return Board([*panels, between], operands, cell=cell)


def _shares(before: str, few: Few) -> Formula | Cases:
    one = softmax(Matrix(before), few.size, few.at(J))
    if not few.others:
        return one
    return by_column(*[one] * len(few.shown), share(lambda k: Matrix(before)[I, k], few.size, few.others))


LOGITS = Matrix("logits")
CHANCES: dict[str, Any] = {"scale": "probability", "symbol": "p", "meaning": "decoder", "label_events": True}
Chances = tuple[Panel, Operand]  # the probabilities, and the logits that they are made of


def turn_board(
    mask: np.ndarray,
    cross: tuple[np.ndarray, np.ndarray],
    chances: Chances,
    inputs: Sequence[str],
    source: Sequence[str],
    padded: Sequence[int],
    labels: Mapping[str, str],
) -> Board:
    """mask (t, t); scores and weights of the last position's `cross`-attention, (heads, S) each; the `chances`.

    `inputs` name the t tokens that the decoder reads; the positions `padded` of the source are padding. The mask grows
    with them, and moves nothing: probabilities of one row stand above it, those of all turns beside it.
    """
    scores, weights = cross
    heads = [labels[f"head {head}"] for head in range(len(weights))]
    panel, logits = chances
    line = 1 if panel.place == (0, 0) else 0
    panels = [
        Panel(
            "mask", mask, labels["mask"], inputs, inputs, labels["query"], labels["key"], scale="mask",
            made=J.at_most(I), meaning="decoder", place=(line, 0),
        ),
        Panel(
            "cross", weights, labels["cross"], heads, source, labels["heads"], labels["source"], scale="probability",
            made=softmax(Matrix("scores"), len(source)), symbol="α", meaning="encoder", padded_cols=padded,
            place=(line, 1),
        ),
        panel,
    ]  # fmt: skip
    return Board(panels, [Operand("scores", scores, "s", "encoder"), logits])


def every_token(
    logits: np.ndarray, shares: np.ndarray, choices: Sequence[str], tokens: Sequence[str], labels: Mapping[str, str]
) -> Chances:
    """Logits and probabilities of all tokens, (turns, vocab) each: a row for each turn, which `choices` name."""
    panel = Panel(
        "probabilities", shares, labels["probabilities"], choices, tokens, labels["turn"], labels["token"],
        made=softmax(LOGITS, len(tokens)), place=(0, 2), **CHANCES,
    )  # fmt: skip
    return panel, Operand("logits", logits, "logit", "decoder")


def likeliest_tokens(
    logits: np.ndarray, shares: np.ndarray, few: Few, tokens: Sequence[str], labels: Mapping[str, str]
) -> Chances:
    """Logits and probabilities of one turn, (vocab,) each: a column for each of a `few` tokens, one for all others."""
    one = softmax(LOGITS, few.size, few.at(J))
    others = share(lambda k: LOGITS[I, k], few.size, few.others)
    panel = Panel(
        "probabilities", few.of(shares[None]), labels["likeliest"], col_labels=tokens, col_axis=labels["token"],
        made=by_column(*[one] * len(few.shown), others), borders=few.borders, place=(0, 0), print_values=True,
        **CHANCES,
    )  # fmt: skip
    return panel, Operand("logits", logits[None], "logit", "decoder")


def aligned_board(
    scores: np.ndarray,
    weights: np.ndarray,
    choices: Sequence[str],
    source: Sequence[str],
    padded: Sequence[int],
    labels: Mapping[str, str],
) -> Board:
    """One head's scores and weights (turns, S): a row for each turn, which the token that was written names."""
    panel = Panel(
        "aligned", weights, labels["aligned"], choices, source, labels["turn"], labels["source"], scale="probability",
        padded_cols=padded, made=softmax(Matrix("scores"), len(source)), symbol="α", meaning="encoder",
    )  # fmt: skip
    return Board([panel], [Operand("scores", scores, "s", "encoder")])
