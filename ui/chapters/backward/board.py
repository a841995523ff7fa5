"""A gradient with the matrices that it is made of, as far as they can be drawn: operand, operand, result."""

from dataclasses import dataclass, field, replace

from transformer_core import EncoderDecoder
from transformer_core.tasks import Vocabulary
from ui.chapters.backward.formulas import SYMBOLS, made
from ui.chapters.shared.forward.formulas import Making
from ui.chapters.shared.forward.stops import ForwardStop
from ui.chapters.shared.forward.values import TurnTensors
from ui.chapters.shared.tensors import MAPS, grid
from ui.figures import Board, Operand, Panel
from ui.figures.formula import Matrix
from ui.figures.payload import Scale
from ui.text import Words

TALLEST, WIDEST = 64, 192  # rows and columns of a window, and of an operand that is drawn
TALL_OPERAND = 32
FLAGS = ("target", "counted", "places", "mask")  # no recorded values: what they hold is 0 and 1

Vocabularies = tuple[Vocabulary, Vocabulary]


@dataclass(frozen=True)
class Operands(Making):
    """Its matrices go by numbers, which a link can name."""

    paths: dict[str, str] = field(default_factory=dict)  # of the operands

    def take(self, path: str, symbol: str, head: int = 0, meaning: str = "") -> Matrix:
        taken = super().take(path, symbol, head, meaning)
        operand = self.operands.pop(taken.panel)
        key = f"of{len(self.operands)}"
        self.operands[key], self.paths[key] = replace(operand, key=key), path
        return Matrix(key)


def window(stop: ForwardStop, values: TurnTensors) -> tuple[int, int]:
    """The last row and column at which the window may begin; 0 where all is shown."""
    _, rows, columns = grid(values[stop.path]).shape
    return max(0, rows - TALLEST), max(0, columns - WIDEST)


def board(
    stop: ForwardStop,
    values: TurnTensors,
    model: EncoderDecoder,
    words: Vocabularies,
    say: Words,
    head: int = 0,
    first: tuple[int, int] = (0, 0),
) -> Board:
    """Of what has heads the one that is chosen."""
    array = grid(values[stop.path])[head if values[stop.path].dim() == 4 else 0]
    rows, columns = array.shape
    shown = slice(first[0], min(rows, first[0] + TALLEST)), slice(first[1], min(columns, first[1] + WIDEST))
    making = Operands(stop, values, model, head, range(shown[1].start, shown[1].stop))
    formula = made(making)
    drawn = [one for one in making.operands.values() if _can_be_drawn(one)]
    panels = [_operand(one, making.paths[one.key], place, stop, values, words, say) for place, one in enumerate(drawn)]
    over, across = (
        labels(axis, stop, values, words, size)[part] for axis, size, part in zip(axes(stop.path), array.shape, shown)
    )
    result = Panel(
        "result",
        array,
        _title(SYMBOLS[stop.what], stop.path),
        over,
        across,
        *_named(stop.path, say),
        window=shown,
        made=formula,
        symbol=SYMBOLS[stop.what],
        place=(1, 0),
        digits=4,
        meaning="decoder" if stop.per_turn else "encoder",
        print_values=stop.path.endswith(MAPS),
    )
    kept = {one.key for one in drawn}
    return Board([*panels, result], [one for one in making.operands.values() if one.key not in kept], result="result")


def _can_be_drawn(operand: Operand) -> bool:
    rows, columns = operand.values.shape
    return rows <= TALL_OPERAND and 1 < columns <= WIDEST


def _operand(
    operand: Operand, path: str, place: int, stop: ForwardStop, values: TurnTensors, words: Vocabularies, say: Words
) -> Panel:
    over, across = (labels(axis, stop, values, words, size) for axis, size in zip(axes(path), operand.values.shape))
    return Panel(
        operand.key,
        operand.values.astype(bool) if path.endswith(FLAGS) else operand.values,
        _title(str(operand.symbol), path),
        over,
        across,
        *_named(path, say),
        scale=_scale(path),
        symbol=operand.symbol,
        meaning=operand.meaning,
    )


def _scale(path: str) -> Scale:
    """A mask's own is for masks; a target and flags go from 0 to 1, as weights do."""
    if path.endswith("mask"):
        return "mask"
    return "probability" if path.endswith(FLAGS) or (path.endswith("attn.weights") and "∂" not in path) else "signed"


def _named(path: str, say: Words) -> tuple[str, str]:
    rows, columns = axes(path)
    return say(f"axis.{rows or 'numbers'}"), say(f"axis.{columns or 'numbers'}")


def _title(symbol: str, path: str) -> str:
    parts = path.removeprefix("∂").removesuffix(".joined").split(".")
    return f"{symbol} · {'.'.join(parts[3:] if '.layers.' in path else parts)}"


def axes(path: str) -> tuple[str, str]:
    """What rows and columns of a value, or of its gradient, stand for: "src" and "ys" are the tokens of a sequence,
    "words" a vocabulary, "" plain numbers."""
    path = path.removeprefix("∂")
    own = "src" if path.startswith(("encoder", "src")) or ".src_attn.key" in path or ".src_attn.value" in path else "ys"
    if path.endswith((".bias", ".a_2", ".b_2")):
        return "", "words" if path.startswith("generator") else ""
    if path.endswith(".weight"):
        return "words" if path.startswith("generator") or ".lut." in path else "", ""
    if path.endswith("mask"):
        return ("ys", "ys") if path == "tgt_mask" else ("", "src")
    if path.startswith("generator") or path.endswith((".places", "target")):
        return own, "words"
    if path.endswith(MAPS):
        return own, "src" if ".src_attn." in path else own
    return own, ""


def labels(axis: str, stop: ForwardStop, values: TurnTensors, words: Vocabularies, size: int) -> list[str]:
    source, target = words
    if axis == "words":
        return (target if stop.per_turn else source).every
    if not axis:
        return [str(n) for n in range(size)]
    return (target if axis == "ys" else source).labels(values[axis][0].tolist())
