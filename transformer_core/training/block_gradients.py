"""How long the gradient of each of a model's blocks is."""

from collections.abc import Iterable
from functools import lru_cache, partial

import torch

from transformer_core.training.config import TrainConfig
from transformer_core.training.models import shapes, structure
from transformer_core.training.vector import ParameterVector

ORDER = ("src_embed", "encoder", "tgt_embed", "decoder", "generator")  # of the forward pass


class BlockGradients:
    """Of a vector in which the parameters of each block stand together."""

    def __init__(self, vector: ParameterVector) -> None:
        self._vector = vector
        parts = [_together([vector.parts[name] for name in names]) for names in _grouped(vector.parts).values()]
        places = sorted(range(len(parts)), key=lambda block: parts[block].start)
        self._sizes = [parts[block].stop - parts[block].start for block in places]
        self._place = [places.index(block) for block in range(len(parts))]
        self._norms = [vector.values.new_zeros(())] * len(parts)

    def measure(self) -> torch.Tensor:
        """Remember how long they are now, and say how long the whole gradient is: ()."""
        self._norms = [torch.linalg.vector_norm(part) for part in self._vector.gradient.split(self._sizes)]
        return torch.linalg.vector_norm(torch.stack(self._norms))

    @property
    def norms(self) -> torch.Tensor:
        """(blocks,) of the gradient that was measured last; zeros before the first one."""
        return torch.stack([self._norms[place] for place in self._place])


def _together(parts: list[slice]) -> slice:
    start, stop = min(part.start for part in parts), max(part.stop for part in parts)
    assert stop - start == sum(part.stop - part.start for part in parts)
    return slice(start, stop)


@lru_cache(maxsize=64)
def blocks_of(config: TrainConfig) -> tuple[str, ...]:
    """The embeddings, layers, last norms and the generator of a run's model, in the order of the forward pass: all its
    parameters are in one of them."""
    return tuple(_grouped(shapes(partial(structure, config))))


def _grouped(names: Iterable[str]) -> dict[str, list[str]]:
    """The names of parameters by the block that each belongs to."""
    blocks: dict[str, list[str]] = {}
    for name in sorted(names, key=lambda name: ORDER.index(name.partition(".")[0])):
        blocks.setdefault(_block_of(name), []).append(name)
    return blocks


def _block_of(name: str) -> str:
    """`encoder.layers.0`, `encoder.norm`, `generator`."""
    part, *rest = name.split(".")
    if part not in ("encoder", "decoder"):
        return part
    return ".".join([part, *rest[: 2 if rest[1].isdigit() else 1]])
