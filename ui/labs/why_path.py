"""Chapter why_attention: which positions the last one hears after each layer, found on real layers."""

from typing import Any

import numpy as np
import streamlit as st

from transformer_core.complexity import Kind, path_length
from transformer_core.reach import heard
from ui import controls
from ui.caption import caption
from ui.drawing import board
from ui.figures.board import Panel
from ui.labs import why_snippets
from ui.shell import Chapter

_TOKENS, _KERNEL = 81, 3  # of the question
DISTANCE: dict[str, Any] = {
    "answer": round(float(path_length("convolution", _TOKENS, _KERNEL))),
    "misconceptions": {
        "path.near_slip": _TOKENS / _KERNEL,
        "path.chain": (_TOKENS - 1) / (_KERNEL - 1),
        "path.recurrent_slip": _TOKENS,
        "path.attention_slip": 1,
    },
}
STACKS: dict[str, tuple[Kind, bool]] = {
    "recurrent": ("recurrent", False),
    "near": ("convolution", False),
    "wide": ("convolution", True),
    "attention": ("attention", False),
}


def path_lab(chapter: Chapter) -> None:
    say = chapter.say
    left, right = st.columns(2)
    with left:
        n = controls.slider(chapter, "reach")
    with right:
        kernel = controls.slider(chapter, "reach_kernel")
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
    chosen = board(chapter, "reach", panels, cell="reach_cell", alt=say("path.alt", n=n, kernel=kernel)).chosen
    if chosen:
        name, row, position = chosen
        outcome = "heard" if found[name][row, position] else "unheard"
        unit = say("path.state_unit" if name == "recurrent" else "path.layer_unit")
        chapter.write(f"path.{outcome}", last=n - 1, position=position, step=row + 1, unit=unit)
    lengths = np.array([[len(rows)] for rows in found.values()]).T
    caption(
        chapter,
        "reach",
        f"heard(kind, {n}, {kernel}) · ∂ output[{n - 1}] / ∂ input ≠ 0",
        numbers=lengths,
        columns=[say(f"path.{name}") for name in found],
        code=[heard, path_length],
        snippet=why_snippets.reach(n, kernel),
    )
