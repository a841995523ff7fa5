"""The files of the releases: link by link, the numbers that its figures showed. They are kept for ever.

Of each matrix, and of each axis of a line, a file has the shape; the sum, the least and the greatest; and a few cells
spread over it, all to four digits. So it is small, and another processor's last bits agree with it. What a link shows
just as its chapter's first one does, most often the figure above its section, stands there only.
"""

import json
import tomllib
from collections.abc import Container, Mapping
from pathlib import Path

import numpy as np

from tests.golden.shown import CHOSEN, Figure

FOLDER = Path(__file__).parent
CELLS = 12  # that are kept of a matrix
SPREAD = (5**0.5 - 1) / 2  # multiples of this, without their whole part, never come to lie close together
FILLED = 1e8  # from here on a number stands for a blocked score, and counts in no sum
ROOM = 2e-3  # of the largest number in a matrix; four digits, and what processors differ by, need less
ROUNDING = 2e-5  # of a matrix of nothing but rounding errors no more can be said

Digest = list[list[float]]  # shape; sum, least, greatest; cells
Link = dict[str, Digest]  # by `chapter.figure / part`


def path_of(release: str) -> Path:
    return FOLDER / f"{release}.toml"


def releases() -> list[str]:
    """All releases, the oldest first."""
    return sorted((path.stem for path in FOLDER.glob("*.toml")), key=number_of)


def number_of(release: str) -> list[int]:
    """1.10 comes after 1.9. ValueError for what is no release."""
    return [int(number) for number in release.split(".")]


def links_of(release: str) -> dict[str, dict[str, Link]]:
    """What a release has recorded, chapter by chapter and link by link."""
    path = path_of(release)
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def digest(values: np.ndarray) -> Digest:
    numbers = np.asarray(values, dtype=np.float64).ravel()
    places = list(range(len(numbers)))
    if len(numbers) > CELLS:
        places = sorted({int(at * SPREAD % 1 * len(numbers)) for at in range(CELLS)})
    counted = numbers[np.abs(numbers) < FILLED]
    totals = [float(counted.sum()), float(counted.min(initial=0)), float(counted.max(initial=0))]
    return [list(values.shape), totals, numbers[places].tolist()]


def agree(was: Digest, values: np.ndarray) -> bool:
    """Whether these are the recorded numbers, to the digits that a figure shows."""
    now, (_, least, greatest) = digest(values), was[1]
    room = ROOM * max(-least, greatest) + ROUNDING
    of_sum = room + ROUNDING * values.size  # each number that was added may be off
    return (
        was[0] == now[0]
        and np.allclose(now[1], was[1], rtol=ROOM, atol=[of_sum, room, room])
        and np.allclose(now[2], was[2], rtol=ROOM, atol=room, equal_nan=True)
    )


def as_large(was: Digest, values: np.ndarray) -> bool:
    """Whether these are errors as large as the recorded ones, both as powers of ten: in the median, to one power.

    A single error is a processor's own, and where it happens to be 0 there is no number.
    """
    now = digest(values)
    return was[0] == now[0] and abs(float(np.nanmedian(now[2]) - np.nanmedian(was[2]))) < 1


def recorded(figures: Mapping[str, Figure], first: Link) -> Link:
    """What a file has of a link that shows `figures`, in a chapter whose first link is known."""
    parts = {f"{figure} / {part}": values for figure, drawn in figures.items() for part, values in drawn.items()}
    return {
        name: digest(values) for name, values in parts.items() if name not in first or not agree(first[name], values)
    }


def missing(
    was: Link, figures: Mapping[str, Figure], renamed: Mapping[str, str], errors: Container[str] = ()
) -> list[str]:
    """The recorded parts that a page does not show any more, or with other numbers; of `errors`, of another size.

    `renamed` has the figures with another key now. Within a figure names are partly words, so of one that is gone the
    numbers may stand under any other.
    """
    lost = []
    for name, numbers in was.items():
        figure, _, part = name.partition(" / ")
        parts = figures.get(renamed.get(figure, figure), {})
        named = [parts[part]] if part in parts else [parts[other] for other in parts if CHOSEN not in (part, other)]
        same = as_large if name in errors else agree
        if not any(same(numbers, values) for values in named):
            lost.append(name)
    return lost


def written(chapter: str, link: str, of_link: Link) -> str:
    """A link's table in the file."""
    lines = [f"{json.dumps(name, ensure_ascii=False)} = {_row(numbers)}" for name, numbers in of_link.items()]
    return "\n".join([f"[{chapter}.{json.dumps(link)}]", *lines, "", ""])


def _row(numbers: Digest) -> str:
    return f"[{', '.join('[' + ', '.join(f'{number:.4g}' for number in some) + ']' for some in numbers)}]"
