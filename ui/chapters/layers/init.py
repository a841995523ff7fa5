"""How a matrix is drawn before training, Xavier's way and torch.nn.Linear's own."""

import math

import numpy as np
from torch import nn

from transformer_core import make_model
from transformer_core.random_seed import Seeded
from ui.figures import TWO_COLORS, Marks, Style, XAxis, YAxis, number, plotted, runnable
from ui.sections import Chapter, Section, controls, provenance, show
from ui.settings.fields import Settings, choice, whole

BINS = 60


class First(Settings):
    matrix: str = choice("query", "query", "w_1", "w_2")
    first_seed: int = whole(0, 0, 9999)


def shape_of(matrix: str, d_model: int, d_ff: int) -> tuple[int, int]:
    """(outputs, inputs) of the layer."""
    return {"query": (d_model, d_model), "w_1": (d_ff, d_model), "w_2": (d_model, d_ff)}[matrix]


def limits(outputs: int, inputs: int) -> dict[str, float]:
    """Both draw uniformly from ± a limit: Xavier's √(6 / (inputs + outputs)), the default's √(1 / inputs)."""
    return {"xavier": math.sqrt(6 / (inputs + outputs)), "default": math.sqrt(1 / inputs)}


def drawn(outputs: int, inputs: int, seed: int) -> dict[str, np.ndarray]:
    with Seeded(seed):
        layer = nn.Linear(inputs, outputs)  # drawn by default
        default = layer.weight.detach().clone()
        nn.init.xavier_uniform_(layer.weight)
    return {"xavier": layer.weight.detach().numpy(), "default": default.numpy()}


def histogram(outputs: int, inputs: int, seed: int) -> np.ndarray:
    """(BINS, 3): the middle of each bin, and the share of each matrix's entries that lie in it."""
    weights = drawn(outputs, inputs, seed)
    reach = max(float(np.abs(values).max()) for values in weights.values()) * 1.05
    edges = np.linspace(-reach, reach, BINS + 1)
    shares = [np.histogram(values, edges)[0] / values.size for values in weights.values()]
    return np.stack([(edges[:-1] + edges[1:]) / 2, *shares], axis=1)


@Section("first", settings=First, text="text")
def first(chapter: Chapter[First]) -> None:
    say, config = chapter.say, chapter.at_hand.config
    matrix, seed = controls.side_by_side(chapter, matrix={}, first_seed={"high": 100})
    outputs, inputs = shape_of(matrix, config.d_model, config.d_ff)
    weights, ends = drawn(outputs, inputs, seed), limits(outputs, inputs)
    shares = histogram(outputs, inputs, seed)
    names = {name: say(f"init_option.{name}") for name in weights}
    figure = plotted(
        "first",
        shares,
        [say("first.value"), *names.values()],
        f"{provenance(f'nn.Linear({inputs}, {outputs}).weight', outputs, inputs)} · seed {seed}",
        code=[make_model, nn.Linear.reset_parameters],
        program=runnable(histogram, outputs, inputs, seed),
        x_axis=XAxis(bins=True),
        y_axis=YAxis(say("first.share")),
        marks=Marks(limits={names[name]: (-end, end) for name, end in ends.items()}),
        style=Style(colors=TWO_COLORS),
        height=300,
    )
    show(chapter, figure)
    spreads = {name: number(float(values.std())) for name, values in weights.items()}
    expected = {f"{name}_expected": number(end / math.sqrt(3)) for name, end in ends.items()}
    chapter.write("first.measured", **spreads, **expected)
