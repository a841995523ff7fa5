"""How far apart the two formulas of LayerNorm are, against the length of the vector."""

import numpy as np
import torch
from torch import Tensor

from transformer_core import layer_norm_steps
from transformer_core.layer_norm import torch_layer_norm_steps
from ui.chapters.layers.norm import EPS, ratio
from ui.chapters.layers.questions import NORM
from ui.chapters.shared.attention_programs import recording
from ui.figures.curves import TWO_COLORS, Dots, curves
from ui.figures.figure import Figure
from ui.frame.chapter import Chapter
from ui.model.recorded import recorded
from ui.page.predict import predict
from ui.reading.sequences import Sequences
from ui.showing.show import show

X = "encoder.layers.0.sublayer.0.input"


def ratio_lab(chapter: Chapter, sequences: Sequences) -> None:
    """The ratio of the two formulas for the first n numbers of a real vector, beside √((n-1)/n)."""
    say, at_hand = chapter.say, chapter.at_hand
    if not predict(chapter, NORM):
        return
    chapter.write("ratio.text")
    x = recorded(at_hand, sequences.src, sequences.given)[X][0, 0]
    sizes = np.unique(np.geomspace(2, x.numel(), 24).astype(int))
    measured = np.array([ratio_of(x[:n]) for n in sizes])
    expected = np.array([ratio(n) for n in sizes])
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
        say("ratio.alt"),
        at_hand.provenance(f"{X}[0, :n]", x.numel()),
        numbers=np.stack([sizes, expected, measured], axis=1),
        columns=["n", say("ratio.curve"), say("ratio.y")],
        code=[layer_norm_steps, torch_layer_norm_steps],
        program=recording(at_hand, sequences) + ratio_program(sizes.tolist()),
    )
    show(chapter, figure)


def ratio_of(x: Tensor) -> float:
    """Length of the notes' result over the length of PyTorch's, for one vector without gain and shift."""
    one, zero = torch.ones_like(x), torch.zeros_like(x)
    return float(layer_norm_steps(x, one, zero).output.norm() / torch_layer_norm_steps(x, one, zero).output.norm())


def ratio_program(sizes: list[int]) -> str:
    return (
        f"x, sizes = trace['{X}'][0, 0], {sizes}\n\n"
        "def ratio(x):\n"
        f"    notes = (x - x.mean()) / (x.std() + {EPS['notes']})\n"
        f"    return notes.norm() / torch.nn.functional.layer_norm(x, x.shape, eps={EPS['torch']}).norm()\n\n"
        "shown = torch.tensor([[n, ((n - 1) / n) ** 0.5, ratio(x[:n])] for n in sizes])\nprint(shown)\n"
    )
