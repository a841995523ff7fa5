"""One head of scaled dot-product attention as matrices, stage by stage: arrays in, panels and their formulas out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ui.figures.board import Cell, Operand, Panel
from ui.figures.figure import Board
from ui.figures.formula import Choose, Formula, I, J, K, Matrix, Named, Number, exp, largest, total
from ui.figures.paper import product, scaled, softmax

PRINTED = 8  # numbers are written into the cells of matrices up to this size
SCORES = ("products", "scores", "masked")
PAIRS = ("products", "scores", "mask", "masked", "exponentials", "weights")  # a row per query, a column per key

# What each stage shows, line by line: the operands, then their result.
LINES: dict[str, tuple[tuple[str, ...], ...]] = {
    "products": (("q", "k", "products"),),
    "scores": (("products", "scores"),),
    "masked": (("scores", "mask", "masked"),),
    "weights": (("masked", "exponentials", "weights"),),
    "output": (("weights", "v", "output"),),
    "all": (("q", "k", "v"), ("products", "scores", "masked", "weights"), ("output",)),
}


SYMBOLS = dict(zip((*"qkv", "products", "scores", "masked", "exponentials", "weights", "output"), "qkvpsmeαo"))


@dataclass(frozen=True)
class HeadValues:
    """The values of one head, for T queries and S keys; `mask` is True where a query may attend."""

    q: np.ndarray  # (T, d_k)
    k: np.ndarray  # (S, d_k)
    v: np.ndarray  # (S, d_k)
    products: np.ndarray  # (T, S)
    scores: np.ndarray  # (T, S)
    mask: np.ndarray  # (T, S)
    masked: np.ndarray  # (T, S)
    exponentials: np.ndarray  # (T, S) e^(masked − the row's largest)
    weights: np.ndarray  # (T, S)
    output: np.ndarray  # (T, d_k)
    blocked: float  # what stands in place of a blocked score
    scale: bool = True  # whether the scores are divided by √d_k


@dataclass(frozen=True)
class Names:
    """The words on the board: a title for each panel, the axes, and the tokens."""

    titles: Mapping[str, str]
    query_axis: str
    key_axis: str
    key_row_axis: str
    dimension_axis: str
    queries: Sequence[str]
    keys: Sequence[str]
    padded_queries: Sequence[int] = ()
    padded_keys: Sequence[int] = ()

    def rows(self, of_keys: bool = False) -> dict[str, Any]:
        """What a panel says of its rows: the queries, or the keys."""
        if of_keys:
            return {"row_labels": self.keys, "row_axis": self.key_row_axis, "padded_rows": self.padded_keys}
        return {"row_labels": self.queries, "row_axis": self.query_axis, "padded_rows": self.padded_queries}

    def columns(self, dimensions: slice | None = None) -> dict[str, Any]:
        if dimensions:
            return {"col_labels": numbered(dimensions), "col_axis": self.dimension_axis}
        return {"col_labels": self.keys, "col_axis": self.key_axis, "padded_cols": self.padded_keys}


def board(head: HeadValues, names: Names, stage: str, cell: str = "cell", *, follows: bool = False) -> Board:
    """The matrices of a stage, each with its formula where its operands stand beside it.

    Products and scores share one scale, so that 1/√d_k is seen to shrink them: on a board that shows both, and on every
    board that `follows` another by a control.
    """
    shown = [name for line in LINES[stage] for name in line]
    compared = head.products if follows or "products" in shown else head.scores
    high = float(np.abs(compared).max()) or None
    panels = [
        replace(_panel(name, head, names, high), place=(row, column), made=_made(name, head, shown))
        for row, line in enumerate(LINES[stage])
        for column, name in enumerate(line)
    ]
    operands = [] if "mask" in shown else [Operand("mask", head.mask)]
    return Board(panels, operands, cell=cell, result=result(stage))


def _panel(name: str, head: HeadValues, names: Names, high: float | None) -> Panel:
    """`high` is the end of the colours of products and scores."""
    pair = name in PAIRS
    return Panel(
        name,
        getattr(head, name),
        title=names.titles[name],
        **names.rows(of_keys=name in ("k", "v")),
        **names.columns(None if pair else slice(0, head.q.shape[1])),
        scale=_scale(name),
        high=high if name in SCORES else None,
        blocked=~head.mask if name in ("masked", "exponentials", "weights") else None,
        digits=4,
        meaning={"q": "query", "k": "key", "v": "value"}.get(name),
        symbol=SYMBOLS.get(name, name),
        print_values=pair and max(head.mask.shape) <= PRINTED,
        label_events=pair,
    )


def numbered(shown: slice) -> list[str]:
    """The dimensions that are shown, as labels."""
    return [str(dimension) for dimension in range(shown.start, shown.stop)]


def _scale(name: str) -> Literal["mask", "probability", "signed"]:
    if name == "mask":
        return "mask"
    return "probability" if name in ("exponentials", "weights") else "signed"


def _made(name: str, head: HeadValues, shown: Sequence[str]) -> Formula | None:
    """How a matrix is made of those beside it; None for the operands of a stage, and for what its board cannot show."""
    masked, e, weights = Matrix("masked"), Matrix("exponentials"), Matrix("weights")
    keys, d_k = head.k.shape
    made, operands = {
        "products": (product(Matrix("q"), Matrix("k"), d_k), "q"),
        "scores": (scaled(Matrix("products")[I, J], d_k if head.scale else None), "products"),
        "masked": (Choose(Matrix("mask")[I, J], Matrix("scores")[I, J], Number(head.blocked)), "scores"),
        "exponentials": (exponential(masked, keys), "masked"),
        "weights": (
            e[I, J] / total(K, keys, e[I, K]) if "exponentials" in shown else softmax(masked, keys),
            "exponentials" if "exponentials" in shown else "masked",
        ),
        "output": (total(K, keys, weights[I, K] * Matrix("v")[K, J]), "v"),
    }.get(name, (None, ""))
    return made if operands in shown else None


def exponential(masked: Matrix, keys: int) -> Formula:
    """e^(m_ij − the row's largest)."""
    return exp(masked[I, J] - Named("max", largest(K, keys, masked[I, K])))


def result(stage: str) -> str:
    """The panel that a stage is about."""
    return LINES[stage][-1][-1]


def arrive(cell: Cell | None, stage: str) -> Cell | None:
    """The cell to choose on coming to a stage: the result for the same query and, as far as it has one, key."""
    if cell is None or (stage == "all" and _shown(cell[0], stage)):
        return cell
    name, row, column = cell
    return result(stage), row, column if {name, result(stage)} <= {*PAIRS} else 0


def follow(cell: Cell | None, stage: str) -> Cell | None:
    """The chosen cell as it can stand on this stage's board: in a panel that is shown."""
    return cell if cell is None or _shown(cell[0], stage) else arrive(cell, stage)


def pair(cell: Cell | None) -> tuple[int | None, int | None]:
    """The query and the key that a chosen cell belongs to, as far as it does."""
    if cell is None:
        return None, None
    name, row, column = cell
    if name in ("k", "v"):
        return None, row
    return row, column if name in PAIRS else None


def _shown(name: str, stage: str) -> bool:
    return any(name in line for line in LINES[stage])
