"""The recorded values and the parameters of a model by their places: stack, layer, sub-layer, what it is there."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from torch import Tensor

SUBLAYERS = {"encoder": ("self_attn", "feed_forward"), "decoder": ("self_attn", "src_attn", "feed_forward")}
LEVELS = ("stack", "layer", "part", "what")
MAPS = ("products", "scores", "masked", "weights", "dropped")  # of attention: a row per query, a column per key
SYMBOLS = {  # of the parameters
    **{f"linears.{i}.weight": f"W_{role}" for i, role in enumerate("QKVO")},
    **{f"linears.{i}.bias": f"b_{role}" for i, role in enumerate("QKVO")},
    **{f"w_{i}.{kind}": f"{letter}_{i}" for i in (1, 2) for kind, letter in (("weight", "W"), ("bias", "b"))},
    "proj.weight": "W",
    "proj.bias": "b",
}
AROUND = "around."  # what stands before the name of a value that the residual connection computes
NAMES = {  # in `tensor.<name>` of the texts, where the model's own name is no word for it
    "0.rows": "rows",
    "0.output": "embedded",
    "0.lut.weight": "table",
    "1.code": "code",
    "1.output": "placed",
    f"{AROUND}output": "after",
    "norm.input": "norm_input",
    "norm.mean": "mean",
    "norm.std": "std",
    "norm.normalised": "normalised",
    "norm.output": "normed",
    "norm.a_2": "gain",
    "norm.b_2": "shift",
    "norm.weight": "gain",
    "norm.bias": "shift",
}


class TensorPlace(NamedTuple):
    """Where a tensor is. A level that does not apply is empty: the last norm of a stack belongs to no layer."""

    stack: str  # src_embed, encoder, tgt_embed, decoder, generator
    layer: str  # a number
    part: str  # self_attn, src_attn, feed_forward; a sub-layer with the residual connection around it
    what: str  # its name there


def place(tensor: str) -> TensorPlace:
    """`decoder.layers.0.src_attn.weights` -> decoder, 0, src_attn, weights. Any text has some place."""
    stack, _, inside = tensor.partition(".")
    if not inside.startswith("layers."):
        return TensorPlace(stack, "", "", inside)
    layer, _, inside = inside.removeprefix("layers.").partition(".")
    part, _, what = inside.partition(".")
    if part == "sublayer":
        number, _, what = what.partition(".")
        names = SUBLAYERS.get(stack, ())
        part = names[int(number)] if number.isdecimal() and int(number) < len(names) else ""
        return TensorPlace(stack, layer, part, AROUND + what)
    return TensorPlace(stack, layer, part, what) if what else TensorPlace(stack, layer, "", part)


def catalogue(tensors: Iterable[str]) -> dict[TensorPlace, str]:
    """The tensors by their places, in their order."""
    return {place(tensor): tensor for tensor in tensors}


def options(places: Iterable[TensorPlace], chosen: TensorPlace, level: int) -> list[str]:
    """What can be chosen at a level, with what is chosen at the levels above."""
    return list(dict.fromkeys(one[level] for one in places if one[:level] == chosen[:level]))


def nearest(places: Sequence[TensorPlace], wanted: TensorPlace) -> TensorPlace:
    """The place that agrees with `wanted` at as many levels as can be, the upper ones first."""
    left = list(places)
    for level, name in enumerate(wanted):
        agreeing = [one for one in left if one[level] == name]
        left = agreeing or [one for one in left if one[level] == left[0][level]]
    return left[0]


def grid(value: Tensor) -> np.ndarray:
    """(heads, rows, columns) of any tensor of the pass: the batch axis, always 1, is left out."""
    array = value.numpy()
    if array.ndim == 4:
        return array[0]
    return array.reshape(1, *array.shape[-2:]) if array.ndim > 1 else array.reshape(1, 1, -1)
