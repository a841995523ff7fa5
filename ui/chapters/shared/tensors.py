"""The recorded values and the parameters of a model by their places: stack, layer, sub-layer, what it is there."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st
from torch import Tensor

from ui import state
from ui.sections import AnyChapter
from ui.text import Words

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


def chosen(chapter: AnyChapter, setting: str, tensors: Iterable[str]) -> tuple[TensorPlace, str]:
    """Where the matrix is that the reader has chosen in a setting, or the nearest there is; and its name."""
    shell = chapter.shell
    found = catalogue(tensors)
    places = list(found)
    here = nearest(places, place(getattr(chapter.settings, setting)))
    offered = [options(places, here, level) for level in range(len(LEVELS))]
    if not chapter.hides(setting):
        levels = [level for level, names in enumerate(offered) if len(names) > 1]
        for column, level in zip(st.columns(len(levels)), levels):
            with column:
                name = here[level]
                key = state.prepare(f"{chapter.name}.{setting}.{LEVELS[level]}", name)
                st.selectbox(
                    shell(f"delta.{LEVELS[level]}"),
                    offered[level],
                    offered[level].index(name),
                    partial(_option, chapter.lang, level),
                    key,
                    on_change=chapter.then(partial(_take, chapter, setting, found, here, level, key)),
                    filter_mode=None,
                )
    return here, found[here]


def _take(
    chapter: AnyChapter, setting: str, found: Mapping[TensorPlace, str], here: TensorPlace, level: int, key: str
) -> None:
    """Another stack, layer, sub-layer or matrix; what stands below it stays what it is, if that is there too."""
    wanted = here._replace(**{LEVELS[level]: state.picked(key)})
    chapter.put(setting, found[nearest(list(found), wanted)])


def _option(lang: str, level: int, name: str) -> str:
    shell = Words("shell", lang)
    match LEVELS[level]:
        case "layer":
            return shell("delta_option.layer", n=name) if name else shell("delta_option.after")
        case "part":
            return Words("walkthrough", lang)(f"sublayer.{name}") if name else shell("delta_option.all")
        case "what":
            short = name.removeprefix(AROUND)
            return SYMBOLS.get(name) or shell(f"tensor.{NAMES.get(name) or NAMES.get(short, short)}")
    return shell(f"delta_option.{name}")
