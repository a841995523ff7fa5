"""What a fault is: one thing that goes wrong in a model, by a change of its real modules."""

from collections.abc import Callable
from typing import NamedTuple

from transformer_core.model import EncoderDecoder

Draw = Callable[[str, int], int]  # what is drawn, and of how many -> which of them


class Fault(NamedTuple):
    """`spoil` puts it into a model, whose modules it may replace, but not change the numbers of its weights; it returns
    the path of the first recorded value that differs. It `breaks` the statements of these names, its own among them."""

    name: str
    spoil: Callable[[EncoderDecoder, Draw], str]
    breaks: tuple[str, ...]
