"""Layers lab: how far apart the two formulas of LayerNorm are, against the length of the vector."""

import numpy as np
import torch
from torch import Tensor

from transformer_core import layer_norm_steps
from transformer_core.layer_norm import torch_layer_norm_steps
from ui.caption import caption
from ui.drawing import chart
from ui.figures.layers import on_a_curve
from ui.labs.attention_values import Sequences
from ui.labs.layers_norm import EPS
from ui.labs.layers_places import Place, recording_snippet
from ui.recorded import recorded
from ui.shell import Chapter


def ratio_lab(chapter: Chapter, sequences: Sequences) -> None:
    """The ratio of the two formulas for the first n numbers of a real vector, beside √((n-1)/n)."""
    say, at_hand = chapter.say, chapter.at_hand
    place = Place("encoder", 0, 0)
    x = recorded(chapter.at_hand, sequences.src, sequences.given)[f"{place.path}.input"][0, 0]
    sizes = np.unique(np.geomspace(2, x.numel(), 24).astype(int))
    measured = np.array([ratio_of(x[:n]) for n in sizes])
    expected = np.sqrt((sizes - 1) / sizes)
    names = {name: say(f"ratio.{name}") for name in ("curve", "measured", "x", "y")}
    chart(chapter, "ratio", on_a_curve(sizes, expected, measured, chapter.mode, names), alt=say("ratio.alt"))
    origin = at_hand.provenance(f"{place.path}.input[0, :n]", x.numel())
    table = np.stack([sizes, expected, measured], axis=1)
    caption(
        chapter, "ratio", origin, numbers=table, columns=["n", "√((n−1)/n)", "notes / torch"],
        code=[layer_norm_steps, torch_layer_norm_steps],
        snippet=ratio_snippet(recording_snippet(at_hand, sequences), f"{place.path}.input", sizes.tolist()),
    )  # fmt: skip


def ratio_of(x: Tensor) -> float:
    """Length of the notes' result over the length of PyTorch's, for one vector without gain and shift."""
    one, zero = torch.ones_like(x), torch.zeros_like(x)
    return float(layer_norm_steps(x, one, zero).output.norm() / torch_layer_norm_steps(x, one, zero).output.norm())


def ratio_snippet(recording: str, x: str, sizes: list[int]) -> str:
    return (
        f"{recording}x = trace['{x}'][0, 0]\n\n"
        "def ratio(x):\n"
        f"    notes = (x - x.mean()) / (x.std() + {EPS['notes']})\n"
        f"    return notes.norm() / torch.nn.functional.layer_norm(x, x.shape, eps={EPS['torch']}).norm()\n\n"
        f"shown = torch.stack([ratio(x[:n]) for n in {sizes}])\nprint(shown)\n"
    )
