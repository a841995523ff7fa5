"""Chapter why_attention: which positions the last one hears after each layer, found on real layers."""

import numpy as np

from transformer_core.experiments.complexity import Kind, path_length
from transformer_core.experiments.reach import heard
from ui.chapters.why_attention.questions import PATH
from ui.figures.board import Panel
from ui.figures.figure import Board, Figure
from ui.frame.chapter import Chapter
from ui.page import controls
from ui.page.predict import predict
from ui.showing.show import show

STACKS: dict[str, tuple[Kind, bool]] = {
    "recurrent": ("recurrent", False),
    "near": ("convolution", False),
    "wide": ("convolution", True),
    "attention": ("attention", False),
}


PROGRAM = """import torch
from torch.nn.functional import conv1d, pad

n, k = {n}, {kernel}

def last(kind, x, steps):  # of n numbers, after so many layers; of a recurrence: heard by its last so many states
    if kind == "attention":
        return (x.outer(x).softmax(-1) @ x)[-1]
    if kind == "recurrent":
        state = torch.zeros((), dtype=x.dtype)
        for at in range(n):
            if at == n - steps:
                state = state.detach()  # whatever came earlier has a longer way
            state = torch.tanh(x[at] + state)
        return state
    for layer in range(steps):
        gap = k**layer if kind == "wide" else 1
        weight = torch.full((1, 1, k), 1 / k, dtype=x.dtype)
        x = conv1d(pad(x[None], ((k - 1) * gap, 0)), weight, dilation=gap)[0]
    return x[-1]

def heard(kind):
    rows = []
    while not rows or not rows[-1][0]:
        x = torch.ones(n, dtype=torch.float64, requires_grad=True)
        last(kind, x, len(rows) + 1).backward()
        rows.append(x.grad > 0)
    return torch.stack(rows)

shown = torch.cat([heard(kind) for kind in ("recurrent", "near", "wide", "attention")]).int()
print(shown)
"""


def path_lab(chapter: Chapter) -> None:
    if not predict(chapter, PATH):
        return
    say = chapter.say
    n, kernel = controls.sliders(chapter, reach={}, reach_kernel={})
    found = {name: heard(kind, n, kernel, dilated=wide).numpy() for name, (kind, wide) in STACKS.items()}
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
        Board(panels, cell="reach_cell"),
        say("path.alt", n=n, kernel=kernel),
        f"heard(kind, {n}, {kernel}) · ∂ output[{n - 1}] / ∂ input ≠ 0",
        numbers=np.concatenate(list(found.values())).astype(int),
        code=[heard, path_length],
        program=PROGRAM.format(n=n, kernel=kernel),
    )
    chosen = show(chapter, figure).chosen
    if chosen:
        name, row, position = chosen
        outcome = "heard" if found[name][row, position] else "unheard"
        unit = say("path.state_unit" if name == "recurrent" else "path.layer_unit")
        chapter.write(f"path.{outcome}", last=n - 1, position=position, step=row + 1, unit=unit)
    chapter.write("path.why")
