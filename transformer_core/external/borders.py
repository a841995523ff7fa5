"""Where in a layer of theirs each value of ours enters or leaves a module, so that another one can be put there."""

from collections.abc import Callable

from torch import Tensor, nn

from transformer_core.external.changes import (
    GIVEN,
    NOTED,
    OUTPUT,
    Border,
    Borders,
    Inside,
    Insides,
    Place,
    place,
    place_of_sum,
)
from transformer_core.external.layers import Built, Sublayer


def layer_borders(layer: nn.Module, built: Built, name: str, theirs: str) -> tuple[Borders, Insides]:
    """Of one layer of the "encoder" or "decoder", `name` being ours for it and `theirs` the model's.

    At one border stand the values in the order in which they are computed: they are one tensor.
    """
    return _LayerBorders(layer, built, name, theirs).all()


class _LayerBorders:
    def __init__(self, layer: nn.Module, built: Built, name: str, theirs: str) -> None:
        self.layer, self.built, self.name, self.theirs = layer, built, name, theirs
        self.borders: Borders = {}
        self.insides: Insides = {}

    def all(self) -> tuple[Borders, Insides]:
        self._put("", GIVEN, "sublayer.0.input")
        for at, sublayer in enumerate(self.built.sublayers):
            if sublayer.second:
                self._feed_forward(sublayer)
            else:
                self._attention(sublayer)
            if self.built.norm_first:
                self._pre_norm(at, sublayer)
            else:
                self._post_norm(at, sublayer)
        self._put("", OUTPUT, "output")
        return self.borders, self.insides

    def _attention(self, sublayer: Sublayer) -> None:
        module, attention = self.layer.get_submodule(sublayer.given), self.built.attention
        path = f"{self.name}.{sublayer.ours}"
        self.insides[module] = Inside(path, f"{self.theirs}.{sublayer.given}", attention.steps, attention.output)
        for border, step, lay in attention.borders(module):
            self.borders.setdefault(border, []).append(place(f"{path}.{step}", lay))
        self._put(sublayer.given, OUTPUT, f"{sublayer.ours}.output")

    def _feed_forward(self, sublayer: Sublayer) -> None:
        self._put(sublayer.given, OUTPUT, f"{sublayer.ours}.pre_activation")
        if sublayer.gate:
            self._put(sublayer.gate, OUTPUT, f"{sublayer.ours}.gate")
        self._put(sublayer.second, GIVEN, f"{sublayer.ours}.hidden")
        self._put(sublayer.second, OUTPUT, f"{sublayer.ours}.output")

    def _pre_norm(self, at: int, sublayer: Sublayer) -> None:
        """The sum has a module of its own only at the end of the layer: before it, the branch makes up for it."""
        around, last = f"sublayer.{at}", at + 1 == len(self.built.sublayers)
        stream = self._noted(sublayer.norm)
        self._put(sublayer.norm, GIVEN, f"{around}.norm.input")
        self._put(sublayer.norm, OUTPUT, f"{around}.norm.output", f"{around}.given")
        self._put(sublayer.branch, OUTPUT, f"{around}.branch")
        self._make_up(sublayer.branch, f"{around}.skip", lambda passing: stream())
        if last:
            self._put("", OUTPUT, f"{around}.sum", f"{around}.output")
            return
        for path in (f"{around}.sum", f"{around}.output", f"sublayer.{at + 1}.input"):
            self._make_up(sublayer.branch, path, lambda passing: stream() + self.built.laid(passing))

    def _post_norm(self, at: int, sublayer: Sublayer) -> None:
        around = f"sublayer.{at}"
        stream = self._noted(sublayer.given)
        self._put(sublayer.given, GIVEN, f"{around}.given")
        self._put(sublayer.branch, OUTPUT, f"{around}.branch")
        self._make_up(sublayer.branch, f"{around}.skip", lambda passing: stream())
        self._put(sublayer.norm, GIVEN, f"{around}.sum", f"{around}.norm.input")
        following = [] if at + 1 == len(self.built.sublayers) else [f"sublayer.{at + 1}.input"]
        self._put(sublayer.norm, OUTPUT, f"{around}.norm.output", f"{around}.output", *following)

    def _put(self, part: str, side: str, *paths: str) -> None:
        places = [place(f"{self.name}.{path}", self.built.laid) for path in paths]
        self._at(part, side).extend(places)

    def _make_up(self, part: str, path: str, read: Callable[[Tensor], Tensor]) -> None:
        self._at(part, OUTPUT).append(place_of_sum(f"{self.name}.{path}", read, self.built.laid))

    def _noted(self, part: str) -> Callable[[], Tensor]:
        """The residual stream, as it is when this part is given it in the run."""
        seen: list[Tensor] = []

        def note(passing: Tensor) -> Tensor:
            seen[:] = [self.built.laid(passing)]
            return seen[0]

        self._at(part, GIVEN).append(Place(NOTED, note, lambda passing, *_: passing))
        return lambda: seen[0]

    def _at(self, part: str, side: str) -> list[Place]:
        return self.borders.setdefault(Border(self.layer.get_submodule(part), side), [])
