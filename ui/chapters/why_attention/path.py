"""Which positions the last one hears after each layer, found on real layers."""

import numpy as np
import torch
from torch import Tensor

from transformer_core.experiments.complexity import path_length
from transformer_core.experiments.reach import heard
from ui.chapters.why_attention.cost import STACKS
from ui.figures import Board, Figure, Panel, runnable
from ui.sections import Chapter, Quantity, Section, controls, show
from ui.settings.fields import Settings, whole

TOKENS, KERNEL = 81, 3  # of the path that is asked about

PATH = Quantity(
    "path",
    round(float(path_length("convolution", TOKENS, KERNEL))),
    {
        "path.wrong.near_slip": TOKENS / KERNEL,
        "path.wrong.chain": (TOKENS - 1) / (KERNEL - 1),
        "path.wrong.recurrent_slip": TOKENS,
        "path.wrong.attention_slip": 1,
    },
)


class Path(Settings):
    reach: int = whole(16, 2, 32)  # positions
    reach_kernel: int = whole(3, 2, 8)


def reached(n: int, kernel: int) -> Tensor:
    """What the last of n positions hears, stack below stack, a row for each of its steps: (steps, n) of 0 and 1."""
    return torch.cat([heard(kind, n, kernel, dilated=wide) for kind, wide in STACKS.values()]).int()


@Section("path", settings=Path, cell="reach_cell", text="text", first=PATH)
def path(chapter: Chapter[Path]) -> None:
    say = chapter.say
    n, kernel = controls.side_by_side(chapter, reach={}, reach_kernel={})
    every = reached(n, kernel).numpy()
    ends = np.flatnonzero(every[:, 0]) + 1  # a stack is over once it hears the first position
    found = dict(zip(STACKS, np.split(every, ends)))
    panels = [
        Panel(
            name,
            rows.astype(np.float32),
            say("path.panel", name=say(f"path.{name}"), count=len(rows)),
            [str(step + 1) for step in range(len(rows))],
            [str(position) for position in range(n)],
            say("path.states" if name == "recurrent" else "path.layers"),
            say("path.positions"),
            scale="probability",
            place=(at // 2, at % 2),
        )
        for at, (name, rows) in enumerate(found.items())
    ]
    figure = Figure(
        "reach",
        Board(panels),
        f"heard(kind, {n}, {kernel}) · ∂ output[{n - 1}] / ∂ input ≠ 0",
        numbers=every,
        code=[heard, path_length],
        program=runnable(reached, n, kernel),
        alt=say("path.alt", n=n, kernel=kernel),
    )
    chosen = show(chapter, figure)
    if chosen:
        name, row, position = chosen
        outcome = "heard" if found[name][row, position] else "unheard"
        unit = say("path.state_unit" if name == "recurrent" else "path.layer_unit")
        chapter.write(f"path.{outcome}", last=n - 1, position=position, step=row + 1, unit=unit)
    chapter.write("path.why")
