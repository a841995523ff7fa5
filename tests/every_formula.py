"""A board with a formula of every kind, for what reads formulas: the interpreter, the scripts, the browser."""

import numpy as np

from ui.figures.board import Operand, Panel
from ui.figures.formula import (
    Choose,
    I,
    J,
    K,
    L,
    Matrix,
    Named,
    Number,
    absolute,
    by_cell,
    by_column,
    by_row,
    cos,
    exp,
    largest,
    ln,
    mean,
    relu,
    root,
    sin,
    total,
)

rng = np.random.default_rng(0)
x, w, b = rng.normal(size=(3, 20)), rng.normal(size=(5, 20)), rng.normal(size=(1, 5))
keep = np.array([[1, 0, 1, 1, 0]] * 3, dtype=bool)
ids = np.array([2, 0, 2])
X, W, B, Y = (Matrix(name) for name in ("x", "w", "b", "y"))
y = x @ w.T + b
mean_ = Named("mean", mean(K, 5, Y[I, K]))
spread = Named("std", root(total(K, 5, (Y[I, K] - mean_) ** 2) / (5 - 1)))
soft = np.exp(y - y.max(1, keepdims=True))
soft /= soft.sum(1, keepdims=True)
normed = (y - y.mean(1, keepdims=True)) / (y.std(1, ddof=1, keepdims=True) + 1e-6)
i, j = np.arange(3)[:, None], np.arange(5)[None]
PANELS = [
    Panel("x", x, "x", window=(slice(None), slice(4, 10)), meaning="query"),
    Panel("y", y, "y", place=(0, 1), made=total(K, 20, X[I, K] * W[J, K]) + B[0, J]),
    Panel("rows", x[ids], "rows", window=(slice(None), slice(4, 10)), place=(1, 0), made=X[I.of(ids, "id"), J]),
    Panel(
        "soft",
        soft,
        "soft",
        place=(1, 1),
        made=exp(Y[I, J] - largest(L, 5, Y[I, L])) / total(K, 5, exp(Y[I, K] - largest(L, 5, Y[I, L]))),
    ),
    Panel("normed", normed, "normed", place=(1, 2), made=(Y[I, J] - mean_) / (spread + Number(1e-6, "eps"))),
    Panel(
        "kept",
        np.where(keep, y / 0.5, 0),
        "kept",
        place=(2, 0),
        made=Choose(Matrix("keep")[I, J], Y[I, J] / (1 - Number(0.5, "p")), Number(0)),
    ),
    Panel(
        "code",
        np.where(j % 2, np.cos(i / 100 ** (j // 2 * 2 / 4)), np.sin(i / 100 ** (j // 2 * 2 / 4))),
        "code",
        place=(2, 1),
        made=by_column(*[(cos if c % 2 else sin)(I / Number(100) ** (Number(c // 2 * 2) / 4)) for c in range(5)]),
    ),
    Panel(
        "odd",
        np.stack([np.abs(y[0]), np.maximum(y[1], 0), -np.log(soft[2])]),
        "odd",
        place=(2, 2),
        made=by_row(absolute(Y[0, J]), relu(Y[1, J]), -ln(Matrix("soft")[2, J])),
    ),
    Panel(
        "seen",
        (j <= i) & keep,
        "seen",
        scale="mask",
        place=(3, 0),
        made=J.at_most(I) * Matrix("keep")[I, J].differs_from(0),
    ),
    Panel(
        "turned",
        np.arange(6.0).reshape(3, 2),
        "turned",
        place=(3, 1),
        made=by_cell(*[Matrix("plain")[c // 3, c % 3] for c in range(6)]),
    ),
    Panel("plain", np.arange(6.0).reshape(2, 3), "plain", place=(3, 2)),
]
OPERANDS = [Operand("w", w, "W^Q"), Operand("b", b, "b"), Operand("keep", keep, "keep")]
