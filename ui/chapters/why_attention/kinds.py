"""Chapter why_attention: the kinds of layer that table 1 compares, by name and colour, and along what."""

from transformer_core.experiments.complexity import KINDS, Kind
from ui.frame.chapter import Chapter
from ui.theme import css

ENDS = {"n": (4, 4096), "d": (4, 1024)}
INKS = [css(kind) for kind in KINDS]


def names_of(chapter: Chapter) -> dict[Kind, str]:
    return {kind: chapter.say(f"kind.{kind}") for kind in KINDS}


def program_of(chapter: Chapter, count: int, fixed: int, *lines: str) -> str:
    """The columns of a figure, `count` rows, from one expression in n, d and k each."""
    over = chapter.settings.over
    other = "d" if over == "n" else "n"
    rows = "".join(f"    {line},\n" for line in (over, *lines))
    return (
        f"import numpy as np\n\nk = {chapter.settings.kernel}\n"
        f"{over} = np.geomspace({ENDS[over][0]}, {ENDS[over][1]}, {count})\n"
        f"{other} = np.full_like({over}, {fixed})\n"
        f"shown = np.column_stack([\n{rows}])\nprint(shown)\n"
    )
