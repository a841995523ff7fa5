"""The heads side by side, merged and multiplied with W_O, as matrices: arrays in, panels and arithmetic out."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ui.figures import arithmetic
from ui.figures.arithmetic import joined, operand
from ui.figures.board import Cell, Panel, Source, by_column
from ui.figures.layer_arithmetic import length_of
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


def concat_board(merge: Merge, names: Names, words: Mapping[str, str], in_head: slice, in_model: slice) -> list[Panel]:
    """The heads in a row, below them the merged vectors, below those W_O and the output.

    Of the heads' dimensions `in_head` are shown, of the others `in_model`.
    """
    h, _, d_k = merge.heads.shape
    high = float(np.abs(merge.merged).max())  # one scale, so that a head looks the same before and after merging
    first = Panel(
        "head_0",
        merge.heads[0][:, in_head],
        title=f"{words['head']} 0",
        row_labels=names.queries,
        col_labels=numbered(in_head),
        row_axis=names.query_axis,
        col_axis=names.dimension_axis,
        high=high,
        digits=4,
    )
    heads = [
        replace(first, key=f"head_{m}", values=merge.heads[m][:, in_head], title=f"{words['head']} {m}", place=(0, m))
        for m in range(h)
    ]
    starts = [c - in_model.start for c in range(0, h * d_k, d_k) if in_model.start < c < in_model.stop]
    merged = replace(
        first,
        key="merged",
        values=merge.merged[:, in_model],
        title=words["merged"],
        col_labels=numbered(in_model),
        borders=starts,  # where the numbers of the next head begin
        sources=[Source(f"head_{m}", "row", by_column(_block(m, d_k, in_head, in_model))) for m in range(h)],
        place=(1, 0),
    )
    weight = Panel(
        "weight",
        merge.weight[in_model, in_model],
        title=words["W_O"],
        row_labels=numbered(in_model),
        col_labels=numbered(in_model),
        col_axis=names.dimension_axis,
        borders=starts,  # head m's numbers meet the columns of block m only
        digits=4,
        place=(2, 0),
    )
    output = replace(
        merged,
        key="output",
        values=merge.output[:, in_model],
        title=words["output"],
        borders=(),
        high=None,
        sources=[Source("merged", "row", "all"), Source("weight", "column", "all")],
        place=(2, 1),
    )
    return [*heads, merged, weight, output]


def _block(m: int, d_k: int, in_head: slice, in_model: slice) -> list[tuple[int, ...]]:
    """Column c of the merged vector is column c - m·d_k of head m, if that lies in the head's block and is shown."""
    columns = [c - m * d_k for c in range(in_model.start, in_model.stop)]
    return [(c - in_head.start,) if in_head.start <= c < in_head.stop else () for c in columns]


def share_board(merge: Merge, t: int, c: int, names: Names, words: Mapping[str, str]) -> list[Panel]:
    """Number c of the output at position t, head by head: a row per head."""
    h, _, d_k = merge.heads.shape
    values = Panel(
        "values",
        merge.merged[t].reshape(h, d_k),
        title=words["values"],
        row_labels=[str(m) for m in range(h)],
        col_labels=[str(d) for d in range(d_k)],
        row_axis=words["head"],
        col_axis=names.dimension_axis,
        digits=4,
    )
    weights = replace(
        values, key="weights", values=merge.weight[c].reshape(h, d_k), title=words["weights"], place=(0, 1)
    )
    shares = replace(
        values,
        key="shares",
        values=merge.shares[:, t, c : c + 1],
        title=words["shares"],
        col_labels=(),
        col_axis="",
        print_values=True,
        sources=[Source("values", "row", "all"), Source("weights", "row", "all")],
        place=(0, 2),
    )
    return [values, weights, shares]


def size_panel(merge: Merge, names: Names, words: Mapping[str, str]) -> Panel:
    """How long the vector is that each head adds at each position: (h, T)."""
    return Panel(
        "sizes",
        np.linalg.norm(merge.shares, axis=-1),
        title=words["sizes"],
        row_labels=[str(m) for m in range(len(merge.heads))],
        col_labels=names.queries,
        row_axis=words["head"],
        col_axis=words["position_axis"],
        scale="magnitude",
        print_values=True,
    )


def concat_arithmetic(merge: Merge, name: str, t: int, c: int) -> str:
    """Of a merged number, which head's it is; of an output number, the sum of the heads' shares and the bias."""
    if name == "merged":
        m, d = divmod(c, merge.d_k)
        side = f"head<sub>{m}</sub>[{t}, {d}]"
        return arithmetic.equation(f"merged[{t}, {c}]", side, result=float(merge.merged[t, c]))
    if name == "output":
        parts = [*merge.shares[:, t, c], merge.bias[c]]
        side = joined([operand(float(part), digits=4) for part in parts])
        return arithmetic.equation(f"output[{t}, {c}]", side, result=float(np.sum(parts, dtype=np.float64)))
    return ""


def share_arithmetic(merge: Merge, t: int, c: int, cell: Cell) -> str:
    """One head's share of output[t, c]: its d_k numbers times their d_k weights."""
    name, m, _ = cell
    if name != "shares":
        return ""
    own = slice(m * merge.d_k, (m + 1) * merge.d_k)
    return arithmetic.product(f"share<sub>{m}</sub>", merge.merged[t, own], merge.weight[c, own])


def size_arithmetic(merge: Merge, cell: Cell) -> str:
    """The length of what head m adds at position t."""
    _, m, t = cell
    return length_of(f"|share<sub>{m}</sub>[{t}]|", merge.shares[m, t].tolist())
