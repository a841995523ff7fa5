"""Any tensor of the forward pass as matrices: heads side by side, long vectors folded, large ones through a window."""

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from transformer_core import PAD
from ui.figures.board import Panel, Scale
from ui.figures.tokens import named
from ui.labs.walkthrough_stops import ADDED, Stop
from ui.labs.walkthrough_values import Values
from ui.text import Words

TALLEST = 64  # rows of a window
WIDEST = 512  # columns of a window
FOLD = 256  # columns side by side; the rest goes below
ALL_HEADS = 128  # columns of all heads together, up to which they are shown side by side

IDS = ("src", "ys", "choice", "next")
MASKS = ("src_mask", "tgt_mask")
MAPS = ("scores", "masked", "weights", "cross_weights")
NEURONS = ("pre_activation", "hidden", "b_1", "w_2")
ROLES = {"query": "query", "key": "key", "value": "value"}


@dataclass(frozen=True)
class Shown:
    """The panels, and what their cells are in the tensor: panel key -> (head, first row, first column)."""

    panels: list[Panel]
    origins: dict[str, tuple[int, int, int]]

    def place(self, cell: tuple[str, int, int]) -> tuple[int, int, int]:
        """(head, row, column) in the tensor of a chosen cell."""
        head, row, column = self.origins[cell[0]]
        return head, row + cell[1], column + cell[2]


def grid(value: Tensor) -> np.ndarray:
    """(heads, rows, columns) of any tensor of the pass: the batch axis, always 1, is left out."""
    array = value.numpy()
    if array.ndim == 4:
        return array[0]
    return array.reshape(1, *array.shape[-2:]) if array.ndim > 1 else array.reshape(1, 1, -1)


def window(value: Tensor) -> tuple[int, int]:
    """The last row and column at which the window may begin; 0 where all is shown."""
    _, rows, columns = grid(value).shape
    return max(0, rows - TALLEST), max(0, columns - WIDEST)


def one_head(value: Tensor) -> bool:
    """Whether the heads are too wide to stand side by side, so that one is chosen."""
    heads, _, columns = grid(value).shape
    return heads > 1 and heads * columns > ALL_HEADS


def shown(stop: Stop, values: Values, say: Words, head: int, first_row: int, first_column: int) -> Shown:
    """The matrices of a stop. All have the same ends of the scale, those of the whole tensor."""
    array = grid(values[stop.path])
    rows, columns = _tokens(stop, values)
    pieces: list[tuple[str, str, int, int, int]] = []  # key, title, head, first column, line on the board
    if array.shape[0] > 1:
        chosen = [head] if one_head(values[stop.path]) else range(array.shape[0])
        pieces = [(f"h{h}", say("head_title", head=h), h, 0, 0) for h in chosen]
    else:
        last = min(array.shape[2], first_column + WIDEST)
        for line, start in enumerate(range(first_column, last, FOLD)):
            end = min(start + FOLD, last)
            pieces.append((f"c{line}", f"{start} … {end - 1}" if last > FOLD else "", 0, start, line))
    unblocked = array if stop.what != "masked" else grid(values[stop.inputs[0]])
    largest = float(np.abs(unblocked).max()) or 1.0
    panels, origins = [], {}
    for key, title, h, start, line in pieces:
        part = array[h, first_row : first_row + TALLEST, start : start + FOLD]
        origins[key] = (h, first_row, start)
        panels.append(
            Panel(
                key,
                part,
                title,
                _labels(rows, first_row, part.shape[0]) if rows or array.shape[1] > 1 else [],
                _labels(columns, start, part.shape[1]),
                say(_row_axis(stop)) if array.shape[1] > 1 else "",
                say(_column_axis(stop)),
                scale=_scale(stop),
                high=largest if _scale(stop) in ("signed", "magnitude") else None,
                blocked=_blocked(stop, values, part.shape),
                padded_rows=_paddings(rows),
                padded_cols=_paddings(columns),
                borders=_head_starts(stop, values, start, start + part.shape[1]),
                place=(line, h),
                digits=4,
                meaning=ROLES.get(stop.what.removeprefix("cross_"), _side(stop)),
                print_values=stop.what in IDS or stop.what in (*MAPS, "logits", "log_probs"),
            )
        )
    return Shown(panels, origins)


def _tokens(stop: Stop, values: Values) -> tuple[list[str] | None, list[str] | None]:
    """The tokens that the rows and the columns belong to; None = plain numbers."""
    src, ys = named(values["src"][0].tolist()), named(values["ys"][0].tolist())
    own = ys if stop.per_turn else src
    if stop.what in ("logits", "log_probs"):
        return ys[-1:], list(map(str, range(values[stop.path].size(-1))))
    if stop.what in ("last", *IDS, "w_1", "b_1", *ADDED):
        return None, None
    if stop.what == "src_mask":
        return None, src
    if stop.what == "tgt_mask":
        return ys, ys
    keys = src if ".src_attn." in stop.path else own
    if stop.what in MAPS:
        return own, keys
    return (keys if stop.what in ("cross_key", "cross_value") else own), None


def _labels(tokens: list[str] | None, start: int, count: int) -> list[str]:
    return [str(i) for i in range(start, start + count)] if tokens is None else tokens[start:][:count]


def _paddings(tokens: list[str] | None) -> list[int]:
    return [] if tokens is None else [index for index, token in enumerate(tokens) if token == str(PAD)]


def _scale(stop: Stop) -> Scale:
    if stop.what in IDS:
        return "plain"
    if stop.what in MASKS:
        return "mask"
    if stop.what in ("weights", "cross_weights"):
        return "probability"
    return "magnitude" if stop.what == "hidden" else "signed"


def _blocked(stop: Stop, values: Values, shape: tuple[int, ...]) -> np.ndarray | None:
    if stop.what not in ("masked", "weights", "cross_weights"):
        return None
    mask = values["tgt_mask" if stop.per_turn and ".self_attn." in stop.path else "src_mask"]
    return ~np.broadcast_to(mask[0].numpy(), shape)


def _head_starts(stop: Stop, values: Values, start: int, end: int) -> list[int]:
    """Where in a piece of the merged vectors the numbers of the next head begin."""
    if not stop.what.endswith("merged"):
        return []
    d_k = values[stop.inputs[0]].size(-1)
    return [column - start for column in range(0, end, d_k) if column > start]


def _row_axis(stop: Stop) -> str:
    if stop.what in MAPS or stop.what == "tgt_mask":
        return "axis.query"
    if stop.what == "w_1":
        return "axis.neuron_row"
    return "axis.dimension_row" if stop.what == "w_2" else "axis.position"


def _column_axis(stop: Stop) -> str:
    if stop.what in MAPS or stop.what in MASKS:
        return "axis.key"
    if stop.what in NEURONS:
        return "axis.neuron"
    if stop.what in IDS:
        return "axis.position_column"
    return "axis.token" if stop.what in ("logits", "log_probs", "b_logits") else "axis.dimension"


def _side(stop: Stop) -> str:
    return "decoder" if stop.per_turn else "encoder"
