"""What a board tells the canvas, field by field. `assets/matrix/payload.d.ts` says the same to the scripts.

Numbers travel as base64: values as little-endian float32, row by row, so that the canvas has the true ones; what is
hidden or vacant as a byte per cell. `first` is the row and the column of the whole matrix at which a part of it begins.
"""

from typing import Any, Literal, TypedDict

Axis = Literal["row", "column"]
Scale = Literal["signed", "probability", "magnitude", "mask", "plain"]


class NamedMessage(TypedDict):
    """The part of a matrix that formulas name."""

    values: str
    first: tuple[int, int]
    columns: int


class OperandMessage(TypedDict):
    """A matrix that formulas name and the board does not draw."""

    key: str
    size: tuple[int, int]
    named: NamedMessage
    symbol: str | list[str]
    meaning: str | None


class MadeMessage(TypedDict):
    """The formulas of a panel's cells, nested lists: the cell at `table[at]` along `axis`; -1 where it is given."""

    axis: Literal["", "i", "j", "cell"]
    table: list[int]
    formulas: list[list[Any]]


class OfAxes(TypedDict):
    row: str
    column: str


class LabelsOfAxes(TypedDict):
    row: list[str]
    column: list[str]


class PaddedOfAxes(TypedDict):
    """The rows and columns of padding tokens."""

    row: list[int]
    column: list[int]


class PanelMessage(TypedDict):
    """One matrix of the board, as `Panel` describes it; `size` is that of the whole, `shape` of what is shown.

    `glosses` are what the labels mean for who does not read their language, "" where that need not be said.
    """

    key: str
    shape: tuple[int, int]
    values: str
    named: NamedMessage | None
    size: tuple[int, int]
    first: tuple[int, int]
    made: MadeMessage | None
    symbol: str | list[str]
    symbol_axis: Axis
    hidden: str | None
    vacant: str | None
    borders: list[int]
    title: str
    labels: LabelsOfAxes
    glosses: LabelsOfAxes
    axes: OfAxes
    padded: PaddedOfAxes
    scale: Scale
    ends: tuple[float, float]
    place: tuple[int, int]
    wall: int
    silent: bool
    beside: bool
    digits: int
    meaning: str | None
    print: bool
    blank: bool
    label_events: bool


class ColorsMessage(TypedDict):
    light: dict[str, Any]
    dark: dict[str, Any]


class DrawnMessage(TypedDict):
    """What is the same for all readers, however often it is sent."""

    panels: list[PanelMessage]
    operands: list[OperandMessage]
    colors: ColorsMessage


class BoardMessage(TypedDict):
    """`heard` is the number of the last choice of a cell that the server has heard of."""

    chosen: tuple[str, int, int] | None
    words: dict[str, str]
    alt: str
    heard: int
    quiet: bool
