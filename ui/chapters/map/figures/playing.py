"""What the playing map is told: a drawing, pictures and words in, JSON-ready data out, once for all turns."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from ui.chapters.map.figures.figure_one_blocks import WIDTH, Block
from ui.chapters.map.figures.thumbnail import Thumbnail
from ui.theme import MODES, scale


def message(
    sentence: str,
    drawn: Sequence[Block],
    pictures: Sequence[Thumbnail],
    turns: Sequence[tuple[str, str]],
    told: Sequence[tuple[str, str, str]],
    words: Mapping[str, str],
) -> dict[str, Any]:
    """`turns` say what each has chosen, and with which probabilities; `told` is a line per block, in which {t} is the
    number of tokens that the decoder has read."""
    first, listed = 0, []
    for block, picture in zip(drawn, pictures, strict=True):
        heads, rows, columns = picture.values.shape
        listed.append(
            {
                "side": block.side,
                "place": block.picture,
                "size": (heads, rows, columns),
                "first": first,
                "scale": "signed" if picture.scale == "signed" else "probability",
            }
        )
        first += picture.values.size
    return {
        "sentence": sentence,
        "width": WIDTH,
        "bytes": base64.b64encode(b"".join(picture.values.tobytes() for picture in pictures)).decode("ascii"),
        "pictures": listed,
        "cross": next(index for index, block in enumerate(drawn) if block.key == "cross"),
        "turns": list(turns),
        "told": list(told),
        "words": dict(words),
        "colors": {mode: {kind: scale(mode, kind) for kind in ("signed", "probability")} for mode in MODES},
    }
