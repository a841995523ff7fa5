"""The heads side by side, merged and multiplied with W_O, as matrices: arrays in, panels and their formulas out."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ui.figures.board import Operand, Panel
from ui.figures.figure import Board
from ui.figures.formula import CELL, I, J, K, Matrix, by_column, root, total
from ui.figures.paper import linear
from ui.figures.stages import Names, numbered


@dataclass(frozen=True)
class Merge:
    """The end of one multi-head attention, for h heads of size d_k and T positions; h·d_k = d_model."""

    heads: np.ndarray  # (h, T, d_k)
    merged: np.ndarray  # (T, d_model)
    weight: np.ndarray  # (d_model, d_model) of W_O, a row per number of the output
    bias: np.ndarray  # (d_model,)
    shares: np.ndarray  # (h, T, d_model)
    output: np.ndarray  # (T, d_model)

    @property
    def d_k(self) -> int:
        return int(self.heads.shape[2])

    @property
    def sizes(self) -> np.ndarray:
        """(h, T): how long the vector is that each head adds at each position."""
        return np.asarray(np.linalg.norm(self.shares, axis=-1))


def concat_board(merge: Merge, names: Names, words: Mapping[str, str], in_head: slice, in_model: slice) -> Board:
    """The heads in a row, below them the merged vectors, below those W_O and the output.

    Of the heads' dimensions `in_head` are shown, of the others `in_model`.
    """
    h, _, d_k = merge.heads.shape
    every = slice(None)
    first = Panel(
        "merged",
        merge.merged,
        title=words["merged"],
        row_labels=names.queries,
        col_labels=numbered(in_model),
        row_axis=names.query_axis,
        col_axis=names.dimension_axis,
        high=float(np.abs(merge.merged).max()),  # so that a head looks the same before and after merging
        borders=[c - in_model.start for c in range(0, h * d_k, d_k) if in_model.start < c < in_model.stop],
        window=(every, in_model),
        made=by_column(
            *[Matrix(f"head_{c // d_k}")[I, J.moved(-(c // d_k) * d_k)] for c in range(in_model.start, in_model.stop)]
        ),
        symbol="c",
        digits=4,
        place=(1, 0),
    )
    heads = [
        replace(
            first,
            key=f"head_{m}",
            values=merge.heads[m],
            title=words[f"head {m}"],
            col_labels=numbered(in_head),
            borders=(),
            window=(every, in_head),
            made=None,
            symbol=f"o^{m}",
            place=(0, m),
        )
        for m in range(h)
    ]
    weight = replace(
        first,
        key="weight",
        values=merge.weight,
        title=words["W_O"],
        row_labels=numbered(in_model),
        row_axis="",
        high=None,
        window=(in_model, in_model),  # head m's numbers meet the columns of block m only
        made=None,
        symbol="W^O",
        place=(2, 0),
    )
    output = replace(
        first,
        key="output",
        values=merge.output,
        title=words["output"],
        high=None,
        borders=(),
        made=linear(Matrix("merged"), Matrix("weight"), Matrix("bias"), h * d_k),
        symbol="y",
        place=(2, 1),
    )
    return Board([*heads, first, weight, output], [Operand("bias", merge.bias[None], "b^O")], cell="merge_cell")


def share_board(merge: Merge, t: int, c: int, names: Names, words: Mapping[str, str]) -> Board:
    """Number c of the output at position t, head by head: a row per head, and their sum."""
    h, _, d_k = merge.heads.shape
    contributions, output = merge.shares[:, t, c : c + 1], merge.output[t : t + 1, c : c + 1]
    values = Panel(
        "values",
        merge.merged[t].reshape(h, d_k),
        title=words["values"],
        row_labels=[str(m) for m in range(h)],
        col_labels=[str(d) for d in range(d_k)],
        row_axis=words["head"],
        col_axis=names.dimension_axis,
        digits=4,
        symbol="c",
    )
    weights = replace(
        values,
        key="weights",
        values=merge.weight[c].reshape(h, d_k),
        title=words["weights"],
        symbol="w",
        place=(0, 1),
    )
    shares = replace(
        values,
        key="shares",
        values=contributions,
        title=words["shares"],
        high=float(max(np.abs(contributions).max(), np.abs(output).max())),  # of the number they make, too
        col_labels=(),
        col_axis="",
        print_values=True,
        made=total(K, d_k, Matrix("values")[I, K] * Matrix("weights")[I, K]),
        symbol="s",
        place=(1, 0),
    )
    number = replace(
        shares,
        key="number",
        values=output,
        title=words["number"],
        row_labels=(),
        row_axis="",
        made=total(K, h, Matrix("shares")[K, 0]) + Matrix("bias")[0, 0],
        symbol="y",
        place=(1, 1),
    )
    bias = Operand("bias", merge.bias[None, c : c + 1], "b")
    return Board([values, weights, shares, number], [bias], cell="share_cell", result="shares")


def size_board(merge: Merge, names: Names, words: Mapping[str, str]) -> Board:
    """How long the vector is that each head, a row, adds at each position, a column."""
    h, length, width = merge.shares.shape
    sizes = Panel(
        "sizes",
        merge.sizes,
        title=words["sizes"],
        row_labels=[str(m) for m in range(h)],
        col_labels=names.queries,
        row_axis=words["head"],
        col_axis=words["position_axis"],
        scale="magnitude",
        print_values=True,
        made=root(total(K, width, Matrix("shares")[CELL, K] ** 2)),
        symbol="l",
    )
    shares = Operand("shares", merge.shares.reshape(h * length, width), "s")  # a row per cell of the panel
    return Board([sizes], [shares], cell="size_cell")
