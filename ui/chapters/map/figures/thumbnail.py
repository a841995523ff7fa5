"""A small picture of a tensor: a byte for each number, so that all of a forward pass is one short message."""

from typing import Literal, NamedTuple

import numpy as np

Scale = Literal["signed", "probability", "magnitude"]

MOST = 2304  # bytes of a picture, that of attention weights apart
NARROWEST = 48  # columns that even a tall picture keeps
HEADS = 8  # that stand side by side; further ones are left out


class Thumbnail(NamedTuple):
    """The number behind a byte is `byte / 255 * high`; where `scale` is signed, `(byte - 127) / 127 * high`."""

    values: np.ndarray  # (heads, rows, columns) uint8
    scale: Scale
    high: float
    every: int  # neighbouring numbers of a row that share a column: the one furthest from zero is shown


def thumbnail(values: np.ndarray, scale: Scale) -> Thumbnail:
    """The picture of `values`, (rows, columns) or one such matrix per head. Its scale has the ends of the whole."""
    heads = np.atleast_3d(values.T).T[:HEADS]
    most = max(NARROWEST, MOST // heads.shape[1]) if len(heads) == 1 else heads.shape[2]
    every = -(-heads.shape[2] // most)
    shown = furthest(heads, every)
    high = 1.0 if scale == "probability" else float(np.abs(shown).max()) or 1.0
    part = 127 + 127 * shown / high if scale == "signed" else 255 * shown / high
    return Thumbnail(np.rint(part).astype(np.uint8), scale, high, every)


def furthest(values: np.ndarray, every: int) -> np.ndarray:
    """Of each `every` neighbours in the last dimension the one furthest from zero; the last group may be smaller."""
    missing = -values.shape[-1] % every
    groups = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, missing)])
    groups = groups.reshape(*values.shape[:-1], -1, every)
    return np.take_along_axis(groups, np.abs(groups).argmax(-1, keepdims=True), -1)[..., 0]
