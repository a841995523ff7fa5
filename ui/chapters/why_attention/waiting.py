"""Chapter why_attention: what table 1 says of waiting, the steps within a layer and the path between two tokens."""

import numpy as np

from transformer_core.experiments.complexity import KINDS, Sizes, path_length, sequential_steps
from ui.chapters.why_attention.kinds import names_of, program_of
from ui.figures.curves import Curves, curves
from ui.figures.figure import Figure
from ui.frame.chapter import Chapter
from ui.theme import css

ONE = "np.ones_like(n)"
EXPRESSIONS = ("n", ONE, ONE, "n", "np.maximum(n / k, 1)", "np.maximum(np.log(n) / np.log(k), 1)", ONE)
HEIGHT = 240  # px


def waiting_figure(chapter: Chapter, x: np.ndarray, n: np.ndarray, fixed: int) -> Figure:
    """Steps within a layer, and the longest path between two tokens."""
    say, chosen = chapter.say, chapter.settings
    steps: dict[str, np.ndarray] = {kind: np.asarray(sequential_steps(kind, n)) for kind in KINDS}
    paths = paths_of(n, chosen.kernel)
    drawn = (
        ("steps", steps, {"recurrent": "n", "attention": "1"}),
        ("paths", paths, {"recurrent": "n", "near": "n / k", "wide": "logₖ n", "attention": "1"}),
    )
    return Figure(
        "waiting",
        [small_chart(chapter, chosen.over, x, lines, ends, say(f"cost.{name}")) for name, lines, ends in drawn],
        [say(f"cost.{name}_alt") for name, *_ in drawn],
        f"sequential_steps(n), path_length(n, {chosen.kernel}) · {len(steps) + len(paths)} × {len(x)}",
        numbers=np.column_stack([x, *steps.values(), *paths.values()]),
        columns=[
            chosen.over,
            *(f"{name}: {say('cost.steps')}" for name in names_of(chapter).values()),
            *(f"{say(f'path.{name}')}: {say('cost.paths')}" for name in paths),
        ],
        code=[sequential_steps, path_length],
        program=program_of(chapter, len(x), fixed, *EXPRESSIONS),
    )


def paths_of(n: np.ndarray, kernel: int) -> dict[str, np.ndarray]:
    """A stack of convolutions twice: neighbours only, and with gaps that widen."""
    found: dict[str, Sizes] = {
        "recurrent": path_length("recurrent", n),
        "near": path_length("convolution", n, kernel, dilated=False),
        "wide": path_length("convolution", n, kernel),
        "attention": path_length("attention", n),
    }
    return {name: np.asarray(lengths) for name, lengths in found.items()}


def small_chart(
    chapter: Chapter, over: str, x: np.ndarray, lines: dict[str, np.ndarray], ends: dict[str, str], title: str
) -> Curves:
    """Steps or paths; the colours are those of the large chart, which has their names."""
    say = chapter.say
    inks = {"near": "convolution", "wide": "convolution"}
    return curves(
        x,
        {say(f"path.{name}"): values for name, values in lines.items()},
        x_title=say(f"cost.{over}"),
        y_title=title,
        colors=[css(inks.get(name, name)) for name in lines],
        dashed=[say("path.wide"), *([say("path.attention")] if "near" not in lines else [])],
        ends={say(f"path.{name}"): formula for name, formula in ends.items()},
        legend="none",
        log_x=True,
        log_y=True,
        y_range=(1, 1e4),
        height=HEIGHT,
    )
