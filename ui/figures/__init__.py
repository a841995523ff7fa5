"""Arrays and labels in, a picture out: no torch, no Streamlit, no wording. Here is what figures are written with."""

from ui.figures.axes import XAxis, YAxis
from ui.figures.board import Operand, Panel, scale_of
from ui.figures.curves import TWO_COLORS, Curves, Dots, Marks, Style, curves
from ui.figures.figure import Board, Drawing, Figure, plotted
from ui.figures.number import large_unit, number, percent
from ui.figures.runnable import ProgramArgument, runnable

__all__ = ["TWO_COLORS", "Board", "Curves", "Dots", "Drawing", "Figure", "Marks", "Operand", "Panel"]
__all__ += [
    "ProgramArgument",
    "Style",
    "XAxis",
    "YAxis",
    "curves",
    "large_unit",
    "number",
    "percent",
    "plotted",
    "runnable",
    "scale_of",
]
