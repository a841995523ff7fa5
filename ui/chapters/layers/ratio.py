"""How far apart the two formulas of LayerNorm are, against the length of the vector."""

import numpy as np
import torch
from torch import Tensor

from transformer_core import layer_norm_steps
from transformer_core.layer_norm import torch_layer_norm_steps
from ui.chapters.layers.norm import ratio
from ui.chapters.layers.places import trace_of
from ui.chapters.shared.attention_programs import recording
from ui.figures import TWO_COLORS, Dots, Figure, ProgramArgument, curves, runnable
from ui.sections import Chapter, Quantity, Section, show
from ui.settings.fields import Settings

X = "encoder.layers.0.sublayer.0.input"
ASK_NORM = Quantity("ask_norm", 2**-0.5, {"ask_norm.wrong.biased": 1.0, "ask_norm.wrong.variance": 0.5})


def ratio_of(x: Tensor) -> float:
    """Length of the notes' result over the length of PyTorch's, for one vector without gain and shift."""
    one, zero = torch.ones_like(x), torch.zeros_like(x)
    return float(layer_norm_steps(x, one, zero).output.norm() / torch_layer_norm_steps(x, one, zero).output.norm())


def ratios(x: Tensor) -> np.ndarray:
    """(sizes, 3): n, √((n-1)/n), and the ratio of the two formulas for the first n numbers of x."""
    sizes = np.unique(np.geomspace(2, x.numel(), 24).astype(int)).tolist()
    return np.array([[n, ratio(n), ratio_of(x[:n])] for n in sizes])


@Section("ratio", first=ASK_NORM)
def formulas_apart(chapter: Chapter[Settings]) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    chapter.write("ratio.text")
    x = trace_of(chapter)[X][0, 0]
    numbers = ratios(x)
    sizes, expected, measured = numbers.T
    line, dot = TWO_COLORS
    picture = curves(
        sizes,
        {say("ratio.curve"): expected},
        dots={say("ratio.measured"): Dots(sizes, measured, dot)},
        x_title=say("ratio.x"),
        y_title=say("ratio.y"),
        colors=[line],
        log_x=True,
        height=300,
    )
    figure = Figure(
        "ratio",
        picture,
        at_hand.provenance(f"{X}[0, :n]", x.numel()),
        numbers=numbers,
        columns=["n", say("ratio.curve"), say("ratio.y")],
        code=[layer_norm_steps, torch_layer_norm_steps],
        program=runnable(ratios, ProgramArgument("x", f"{recording(at_hand, chapter.typed)}x = trace['{X}'][0, 0]\n")),
    )
    show(chapter, figure)
