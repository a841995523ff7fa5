"""Where in the model a section on layers looks: one sub-layer with its normalisation and its residual sum."""

from dataclasses import dataclass
from typing import Any

from transformer_core import PAD, EncoderDecoder, Trace
from ui.chapters.shared.tensors import SUBLAYERS
from ui.model import recorded
from ui.sections import AnyChapter, controls

SHOWN_DIMENSIONS = 64  # columns side by side


@dataclass(frozen=True)
class SubLayerPlace:
    """Sub-layer `i` of layer `n` of the encoder or the decoder."""

    stack: str
    n: int
    i: int

    @property
    def name(self) -> str:
        return SUBLAYERS[self.stack][self.i]

    @property
    def path(self) -> str:
        return f"{self.stack}.layers.{self.n}.sublayer.{self.i}"


def trace_of(chapter: AnyChapter) -> Trace:
    return recorded(chapter.at_hand, chapter.typed.src, chapter.typed.given)


def tokens_in(chapter: AnyChapter, stack: str) -> list[str]:
    return chapter.typed.sources if stack == "encoder" else chapter.typed.targets


def token_rows(chapter: AnyChapter, tokens: list[str]) -> dict[str, Any]:
    """What a panel with a row per token says about its rows."""
    padded = [row for row, token in enumerate(tokens) if token == str(PAD)]
    return {"row_labels": tokens, "row_axis": chapter.say("token_axis"), "padded_rows": padded}


def vector_grid(chapter: AnyChapter, tokens: list[str], dims: range) -> dict[str, Any]:
    """The same for a row per token, of which these dimensions are shown."""
    return token_rows(chapter, tokens) | columns(dims, chapter.say("dimension_axis"))


def columns(shown: range, axis: str) -> dict[str, Any]:
    window = slice(None), slice(shown.start, shown.stop)
    return {"col_labels": [str(j) for j in shown], "col_axis": axis, "window": window, "digits": 4}


def dimensions(chapter: AnyChapter, setting: str) -> range:
    """The dimensions that a board shows: all, or as many as fit on the page, from the one that the reader chooses."""
    size = chapter.at_hand.config.d_model
    first = controls.slider(chapter, setting, 0, max(0, size - SHOWN_DIMENSIONS))
    return range(first, min(first + SHOWN_DIMENSIONS, size))


def places(model: EncoderDecoder, only: str = "") -> list[SubLayerPlace]:
    """All sub-layers in the order of the forward pass; `only` keeps those of one name."""
    layers = {stack: len(list(model.get_submodule(f"{stack}.layers").children())) for stack in SUBLAYERS}
    found = [
        SubLayerPlace(stack, n, i)
        for stack, names in SUBLAYERS.items()
        for n in range(layers[stack])
        for i in range(len(names))
    ]
    return [place for place in found if not only or place.name == only]


def place_control(chapter: AnyChapter, setting: str, only: str = "") -> SubLayerPlace:
    """A slider along the forward pass, which says the name of the place it stands at."""
    route = places(chapter.at_hand.load(), only)
    return route[controls.one_of(chapter, setting, [_named(chapter, place) for place in route])]


def _named(chapter: AnyChapter, place: SubLayerPlace) -> str:
    return chapter.say(f"place.{place.stack}", n=place.n, sublayer=chapter.say(f"sublayer.{place.name}"))
