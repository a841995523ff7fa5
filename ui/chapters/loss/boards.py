"""The matrices of the chapter: smoothed targets, and the divergence of a model's probabilities from them."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from ui.figures import Board, Operand, Panel
from ui.figures.board import Few
from ui.figures.formula import Cases, I, J, K, Matrix, Number, by_cell, by_column, by_row, exp, ln, total


def target_panel(
    key: str,
    true_dist: np.ndarray,
    answers: Sequence[int],
    pad: int,
    smoothing: float,
    labels: Mapping[str, str],
    names: Sequence[str],
    few: Few | None = None,
) -> Panel:
    """The smoothed targets, (n, vocab): a row per position, labelled with its answer; token i is called names[i].

    Of a long vocabulary a `few` are shown, padding and all answers among them, and the sum of the others.
    """
    few = few or Few.every(len(names))
    return Panel(
        key,
        few.of(true_dist),
        labels[key],
        [names[answer] for answer in answers],
        few.names(names, labels["others"]),
        labels["answer"],
        labels["token"],
        scale="probability",
        padded_rows=[i for i, answer in enumerate(answers) if answer == pad],
        padded_cols=[few.shown.index(pad)],
        borders=few.borders,
        made=_smoothed(answers, few, pad, smoothing),
        symbol="t",
    )


def _smoothed(answers: Sequence[int], few: Few, pad: int, smoothing: float) -> Cases:
    s, nothing = Number(smoothing, "s"), Number(0.0)
    right, others = 1 - s, s / (Number(few.size, "V") - 2)
    made = []
    for answer in answers:
        made += [nothing if pad in (answer, token) else right if token == answer else others for token in few.shown]
        made += [nothing if answer == pad else len(few.others) * others] * bool(few.others)
    return by_cell(*made)


def divergence_board(
    targets: Panel,
    log_probs: np.ndarray,
    terms: np.ndarray,
    gradient: np.ndarray,
    labels: Mapping[str, str],
    few: Few,
) -> Board:
    """The `targets`, of a `few` tokens; log-probabilities (T, vocab), the terms of their divergence, its gradient.

    Each is shown of the few, with the sum of the others, and the divergence as the sum of each row.

    A divergence as large as that of guessing, ln(vocab), has the strongest colour: what is learned turns pale.
    """
    true_dist, probabilities = targets.values, few.of(np.exp(log_probs))
    columns, n = true_dist.shape[1], len(few.others)
    t, p, log_p = Matrix("t"), Matrix("p"), Matrix("log_p")
    # Of a p as it travels, in float32, the logarithm is lost at 0, and near 1 unless another summand outweighs it.
    kept = probabilities.min() > 1e-30 and (true_dist.max() < 1 or probabilities.max() < 0.999)
    ln_p = ln(p[I, J]) if kept else log_p[I, few.at(J)]
    cost = t[I, J] * (ln(t[I, J]) - ln_p)
    each = t[I, J] / Number(n)  # of the others, which share alike
    costs = total(K, few.others, each * (ln(each) - log_p[I, K]))
    chances = [exp(log_p[I, few.at(J)])] * len(few.shown) + [total(K, few.others, exp(log_p[I, K]))] * bool(n)
    row = partial(Panel, row_labels=targets.row_labels, row_axis=targets.row_axis, padded_rows=targets.padded_rows)
    wide = partial(
        row,
        col_labels=targets.col_labels,
        col_axis=targets.col_axis,
        padded_cols=targets.padded_cols,
        borders=targets.borders,
    )
    panels = [
        targets,
        wide("p", probabilities, labels["p"], scale="probability", made=by_column(*chances)),
        wide(
            "terms",
            few.of(terms),
            labels["terms"],
            high=float(np.log(few.size)),
            place=(1, 0),
            made=by_cell(
                *(
                    t[I, J] if share <= 0 else cost if column < len(few.shown) else costs
                    for asked in true_dist
                    for column, share in enumerate(asked)
                )
            ),
            symbol="d",
        ),
        wide(
            "gradient",
            few.of(gradient),
            labels["gradient"],
            high=1.0,
            place=(1, 1),
            made=by_row(
                *(p[I, J] - t[I, J] if any(asked) else p[I, J] * total(K, columns, t[I, K]) for asked in true_dist)
            ),
            symbol="g",
        ),
        row(
            "kl",
            terms.sum(1, keepdims=True),
            labels["kl"],
            scale="magnitude",
            high=float(np.log(few.size)),
            place=(1, 2),
            made=total(K, columns, Matrix("terms")[I, K]),
            symbol="KL",
        ),
    ]
    return Board(panels, [Operand("log_p", log_probs, symbol="ln p")], result="terms")
