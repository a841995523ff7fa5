"""What the playing map is told: a drawing, pictures and words in, JSON-ready data out, once for all turns."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ui.chapters.map.figures.figure_one import WIDTH, Block, Thumbnail
from ui.theme import MODES, scale


class TokenRow(NamedTuple):
    """Tokens as they stand side by side, each with its gloss ("" for none), and whether the model knows it not."""

    tokens: Sequence[str]
    glosses: Sequence[str] = ()
    unknown: Sequence[bool] = ()


class Threads(NamedTuple):
    """What joins the words of a block of attention: the weights (queries, keys), and of which query and key each turn
    tells, -1 for none."""

    rows: np.ndarray
    told: Sequence[tuple[int, int]]


class Spoken(NamedTuple):
    """What the map says: `beats` at its moments; of each block `told`, in which {t} is the number of tokens that the
    decoder has read, and what holds of it `still` after its first beat, if that is more general."""

    beats: Sequence[str]
    told: Sequence[tuple[str, str, str]]
    still: Sequence[str]
    words: Mapping[str, str]


def message(
    sentence: str,
    drawn: Sequence[Block],
    pictures: Sequence[Thumbnail],
    turns: Sequence[tuple[str, str]],
    lines: tuple[TokenRow, TokenRow, TokenRow],
    threads: Mapping[str, Threads],
    spoken: Spoken,
) -> dict[str, Any]:
    """`turns` say what each has chosen, and with which probabilities: none if there is nothing to play. The `lines` are
    the source, what the decoder reads and what it writes; `threads` are those of the blocks of attention, by the
    blocks' keys."""
    first, listed = 0, []
    for block, picture in zip(drawn, pictures, strict=True):
        heads, rows, columns = picture.values.shape
        listed.append(
            {
                "side": block.side,
                "brief": block.brief,
                "place": block.picture,
                "size": (heads, rows, columns),
                "first": first,
                "scale": "signed" if picture.scale == "signed" else "probability",
            }
        )
        first += picture.values.size
    numbers = {block.key: index for index, block in enumerate(drawn)}
    source, read, wrote = (
        {"tokens": list(line.tokens), "glosses": list(line.glosses), "unknown": list(line.unknown)} for line in lines
    )
    return {
        "sentence": sentence,
        "width": WIDTH,
        "bytes": _base64(np.concatenate([picture.values.ravel() for picture in pictures])),
        "pictures": listed,
        "cross": numbers["cross"],
        "turns": list(turns),
        "source": source,
        "read": read,
        "wrote": wrote,
        "threads": [
            {"block": numbers[key], "keys": one.rows.shape[1], "bytes": _base64(one.rows * 255), "told": list(one.told)}
            for key, one in threads.items()
        ],
        "beats": list(spoken.beats),
        "told": list(spoken.told),
        "still": list(spoken.still),
        "words": dict(spoken.words),
        "colors": {mode: {kind: scale(mode, kind) for kind in ("signed", "probability")} for mode in MODES},
    }


def _base64(numbers: np.ndarray) -> str:
    """A byte for each, from 0 to 255."""
    return base64.b64encode(np.rint(numbers).astype(np.uint8).tobytes()).decode("ascii")
