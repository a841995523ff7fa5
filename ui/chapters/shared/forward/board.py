"""Any tensor of the forward pass as matrices: heads side by side, long vectors folded, large ones through a window."""

from typing import NamedTuple

import numpy as np
from torch import Tensor

from transformer_core import PAD, EncoderDecoder
from transformer_core.tasks import Vocabulary
from transformer_core.tasks.vocabulary import PAD_NAME
from ui.chapters.shared.forward.formulas import SYMBOLS, Making, kind
from ui.chapters.shared.forward.stops import ADDED, ForwardStop
from ui.chapters.shared.forward.values import TurnTensors
from ui.chapters.shared.tensors import grid
from ui.figures import Board, Operand, Panel
from ui.figures.payload import Scale
from ui.text import Words

TALLEST = 64  # rows of a window
WIDEST = 512  # columns of a window
FOLD = 256  # columns side by side; the rest goes below
FOLD_WORDS = 36  # the same, where each column is to have its word
ALL_HEADS = 128  # columns of all heads together, up to which they are shown side by side
MOST_NUMBERS = 2**18  # of the matrix that the columns of a window are made with, which travels with them

IDS = ("src", "ys", "choice", "next")
MASKS = ("src_mask", "tgt_mask")
MAPS = ("scores", "masked", "weights")
LOGITS = ("logits", "log_probs")
NEURONS = ("pre_activation", "hidden", "b_1", "w_2")
ROLES = ("query", "key", "value")


def window(stop: ForwardStop, values: TurnTensors) -> tuple[int, int]:
    """The last row and column at which the window may begin; 0 where all is shown."""
    _, rows, columns = grid(values[stop.path]).shape
    return max(0, rows - TALLEST), max(0, columns - widest(stop, values))


def widest(stop: ForwardStop, values: TurnTensors) -> int:
    """How many columns a window may have: fewer where each is made with many numbers."""
    each = [values[path].size(0 if stop.what == "rows" else 1) for path in stop.inputs if path.endswith(".weight")]
    return max(64, min([WIDEST, *(MOST_NUMBERS // size // 64 * 64 for size in each)]))


def one_head(value: Tensor) -> bool:
    """Whether the heads are too wide to stand side by side, so that one is chosen."""
    heads, _, columns = grid(value).shape
    return heads > 1 and heads * columns > ALL_HEADS


class _Piece(NamedTuple):
    """A part of a tensor that is drawn as one matrix."""

    key: str
    title: str
    head: int
    columns: slice
    line: int  # on the board


def board(
    stop: ForwardStop,
    values: TurnTensors,
    model: EncoderDecoder,
    words: tuple[Vocabulary, Vocabulary],
    say: Words,
    head: int,
    first_row: int,
    first_column: int,
) -> Board:
    """The matrices of a stop, each with its formula. All have the same ends of the scale, those of the whole tensor."""
    array = grid(values[stop.path])
    rows, columns = _tokens(stop, values, words)
    pieces: list[_Piece] = []
    if array.shape[0] > 1:
        chosen = [head] if one_head(values[stop.path]) else range(array.shape[0])
        pieces = [_Piece(f"h{h}", say("head_title", head=h), h, slice(0, array.shape[2]), 0) for h in chosen]
    else:
        last = min(array.shape[2], first_column + widest(stop, values))
        fold = FOLD if columns is None or words[1].of_numbers_alone else FOLD_WORDS
        for line, start in enumerate(range(first_column, last, fold)):
            part = slice(start, min(start + fold, last))
            title = f"{start} … {part.stop - 1}" if last > fold or first_column else ""
            pieces.append(_Piece(f"c{line}", title, 0, part, line))
    unblocked = array if stop.what != "masked" else grid(values[stop.inputs[0]])
    largest = float(np.abs(unblocked).max()) or 1.0
    shown = slice(first_row, min(array.shape[1], first_row + TALLEST))
    printed = MAPS if len(pieces) > 1 else (*MAPS, *LOGITS)
    panels: list[Panel] = []
    operands: dict[str, Operand] = {}
    for piece in pieces:
        h, part = piece.head, piece.columns
        making = Making(stop, values, model, h, range(part.start, part.stop), operands)
        panel = Panel(
            piece.key,
            array[h],
            piece.title,
            _labels(rows, shown) if rows or array.shape[1] > 1 else [],
            _labels(columns, part),
            say(_row_axis(stop)) if array.shape[1] > 1 else "",
            say(_column_axis(stop)),
            scale=_scale(stop),
            high=largest if _scale(stop) in ("signed", "magnitude") else None,
            blocked=_blocked(stop, values, array.shape[1:]),
            padded_rows=_paddings(rows and rows[shown]),
            padded_cols=_paddings(columns and columns[part]),
            borders=_head_starts(stop, values, part),
            window=(shown, part),
            made=making.formula,
            symbol=SYMBOLS[kind(stop)],
            place=(piece.line, h),
            digits=4,
            meaning=kind(stop) if kind(stop) in ROLES else ("decoder" if stop.per_turn else "encoder"),
            print_values=stop.what in IDS or kind(stop) in printed,
        )
        panels.append(panel)
    return Board(panels, list(operands.values()), result=f"h{head}")


def beside(picture: Board) -> tuple[np.ndarray | None, list[str]]:
    """The numbers of heads that stand side by side, and the names of their columns."""
    heads = [panel for panel in picture.panels if panel.key.startswith("h")]
    if len(heads) < 2:
        return None, []
    names = [f"{panel.title} · {label}" for panel in heads for label in panel.col_labels]
    return np.concatenate([panel.values for panel in heads], axis=1), names


def _tokens(
    stop: ForwardStop, values: TurnTensors, words: tuple[Vocabulary, Vocabulary]
) -> tuple[list[str] | None, list[str] | None]:
    """The tokens that the rows and the columns belong to; None = plain numbers."""
    src, ys = (side.labels(values[name][0].tolist()) for side, name in zip(words, ("src", "ys")))
    own = ys if stop.per_turn else src
    if stop.what in LOGITS:
        return ys[-1:], words[1].every
    if stop.what in IDS:
        vocabulary = words[stop.what != "src"]
        return None, None if vocabulary.of_numbers_alone else vocabulary.names_of(values[stop.path].flatten().tolist())
    if stop.what == "b_logits":
        return None, words[1].every
    if stop.what in ("last", "w_1", "b_1", *ADDED):
        return None, None
    if stop.what == "src_mask":
        return None, src
    if stop.what == "tgt_mask":
        return ys, ys
    keys = src if ".src_attn." in stop.path else own
    if kind(stop) in MAPS:
        return own, keys
    return (keys if stop.what in ("cross_key", "cross_value") else own), None


def _labels(tokens: list[str] | None, shown: slice) -> list[str]:
    return [str(i) for i in range(shown.start, shown.stop)] if tokens is None else tokens[shown]


def _paddings(tokens: list[str] | None) -> list[int]:
    return [] if tokens is None else [index for index, token in enumerate(tokens) if token in (str(PAD), PAD_NAME)]


def _scale(stop: ForwardStop) -> Scale:
    if stop.what in IDS:
        return "plain"
    if stop.what in MASKS:
        return "mask"
    if kind(stop) == "weights":
        return "probability"
    return "magnitude" if stop.what == "hidden" else "signed"


def _blocked(stop: ForwardStop, values: TurnTensors, shape: tuple[int, ...]) -> np.ndarray | None:
    if kind(stop) not in ("masked", "weights"):
        return None
    mask = values["tgt_mask" if stop.per_turn and ".self_attn." in stop.path else "src_mask"]
    return ~np.broadcast_to(mask[0].numpy(), shape)


def _head_starts(stop: ForwardStop, values: TurnTensors, part: slice) -> list[int]:
    """Where in a piece of the merged vectors the numbers of the next head begin."""
    if stop.what != "merged":
        return []
    d_k = values[stop.inputs[0]].size(-1)
    return [column - part.start for column in range(0, part.stop, d_k) if column > part.start]


def _row_axis(stop: ForwardStop) -> str:
    if kind(stop) in MAPS or stop.what == "tgt_mask":
        return "axis.query"
    if stop.what == "w_1":
        return "axis.neuron_row"
    return "axis.dimension_row" if stop.what == "w_2" else "axis.position"


def _column_axis(stop: ForwardStop) -> str:
    if kind(stop) in MAPS or stop.what in MASKS:
        return "axis.key"
    if stop.what in NEURONS:
        return "axis.neuron"
    if stop.what in IDS:
        return "axis.position_column"
    return "axis.token" if stop.what in (*LOGITS, "b_logits") else "axis.dimension"
