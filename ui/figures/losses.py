"""The matrices of the loss chapter: smoothed targets, and the divergence of a model's probabilities from them."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from ui.figures.board import Operand, Panel
from ui.figures.figure import Board
from ui.figures.formula import Cases, I, J, K, Matrix, Number, by_cell, by_row, exp, ln, total


def target_panel(
    key: str,
    true_dist: np.ndarray,
    answers: Sequence[int],
    pad: int,
    smoothing: float,
    labels: Mapping[str, str],
    names: Sequence[str],
) -> Panel:
    """The smoothed targets, (n, vocab): a row per position, labelled with its answer; token i is called names[i]."""
    return Panel(
        key,
        true_dist,
        labels[key],
        [names[answer] for answer in answers],
        names,
        labels["answer"],
        labels["token"],
        scale="probability",
        padded_rows=[i for i, answer in enumerate(answers) if answer == pad],
        padded_cols=[pad],
        made=_smoothed(answers, true_dist.shape[1], pad, smoothing),
        symbol="t",
    )


def _smoothed(answers: Sequence[int], vocab: int, pad: int, smoothing: float) -> Cases:
    s, nothing = Number(smoothing, "s"), Number(0.0)
    right, others = 1 - s, s / (Number(vocab, "V") - 2)
    return by_cell(
        *(
            nothing if pad in (answer, token) else right if token == answer else others
            for answer in answers
            for token in range(vocab)
        )
    )


def divergence_board(
    targets: Panel, log_probs: np.ndarray, terms: np.ndarray, gradient: np.ndarray, labels: Mapping[str, str]
) -> Board:
    """Targets and probabilities (T, vocab), the terms of their divergence, its gradient, and its sum per row.

    A divergence as large as that of guessing, ln(vocab), has the strongest colour: what is learned turns pale.
    """
    true_dist, probabilities = targets.values, np.exp(log_probs)
    vocab = true_dist.shape[1]
    t, p, log_p = Matrix("t"), Matrix("p"), Matrix("log_p")
    # Of a p as it travels, in float32, the logarithm is lost at 0, and near 1 unless another summand outweighs it.
    kept = probabilities.min() > 1e-30 and (true_dist.max() < 1 or probabilities.max() < 0.999)
    ln_p = ln(p[I, J]) if kept else log_p[I, J]
    cost = t[I, J] * (ln(t[I, J]) - ln_p)
    row = partial(Panel, row_labels=targets.row_labels, row_axis=targets.row_axis, padded_rows=targets.padded_rows)
    wide = partial(row, col_labels=targets.col_labels, col_axis=targets.col_axis, padded_cols=targets.padded_cols)
    panels = [
        targets,
        wide("p", probabilities, labels["p"], scale="probability", place=(0, 1), made=exp(log_p[I, J])),
        wide(
            "terms",
            terms,
            labels["terms"],
            high=float(np.log(vocab)),
            place=(1, 0),
            made=by_cell(*(cost if share > 0 else t[I, J] for share in true_dist.flat)),
            symbol="d",
        ),
        wide(
            "gradient",
            gradient,
            labels["gradient"],
            high=1.0,
            place=(1, 1),
            made=by_row(
                *(p[I, J] - t[I, J] if any(asked) else p[I, J] * total(K, vocab, t[I, K]) for asked in true_dist)
            ),
            symbol="g",
        ),
        row(
            "kl",
            terms.sum(1, keepdims=True),
            labels["kl"],
            scale="magnitude",
            high=float(np.log(vocab)),
            place=(1, 2),
            made=total(K, vocab, Matrix("terms")[I, K]),
            symbol="KL",
        ),
    ]
    return Board(panels, [Operand("log_p", log_probs, symbol="ln p")], result="terms")
