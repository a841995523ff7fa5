"""One linear layer on its own, y = x Wᵀ + b, as PyTorch keeps it."""

from typing import Any

import torch
from torch import Tensor, nn

from transformer_core.random_seed import Seeded
from ui.figures import Board, Figure, Panel, runnable
from ui.figures.formula import I, J, K, Matrix, total
from ui.sections import Chapter, Section, controls, provenance, show
from ui.settings.fields import CellSetting, Settings, cell, whole

ROWS, INPUTS, OUTPUTS = 128, 20, 30  # the notes' example
SHOWN = 8  # rows of the batch at a time


class Linear(Settings):
    linear_from: int = whole(0, 0, ROWS - SHOWN)  # the first row of the batch that is shown
    linear_seed: int = whole(0, 0, 9999)
    linear_cell: CellSetting = cell()


@Section("linear", settings=Linear, text="text")
def linear(chapter: Chapter[Linear]) -> None:
    first, seed = controls.side_by_side(chapter, linear_from={"step": 8}, linear_seed={"high": 100})
    values = computed(seed)
    chapter.write("linear.shapes", **{name: tuple(value.shape) for name, value in values.items()})
    figure = Figure(
        "linear",
        Board(_panels(chapter, first, values), result="y"),
        f"{provenance(f'nn.Linear({INPUTS}, {OUTPUTS})(x)', ROWS, OUTPUTS)} · seed {seed}",
        code=[nn.Linear],
        program=runnable(computed, seed, then="['y']"),
    )
    show(chapter, figure)


def computed(seed: int) -> dict[str, Tensor]:
    """The layer as PyTorch starts it, a batch of 128 vectors, and what the layer makes of them."""
    with Seeded(seed), torch.no_grad():
        layer, x = nn.Linear(INPUTS, OUTPUTS), torch.randn(ROWS, INPUTS)
        return {"x": x, "weight": layer.weight.detach(), "bias": layer.bias.detach(), "y": layer(x)}


def _panels(chapter: Chapter[Linear], first: int, values: dict[str, Tensor]) -> list[Panel]:
    say, (x, weight, bias, y) = chapter.say, (value.numpy() for value in values.values())
    rows, inputs, outputs = (
        [str(i) for i in range(start, end)] for start, end in ((first, first + SHOWN), (0, INPUTS), (0, OUTPUTS))
    )
    batch: dict[str, Any] = {
        "row_labels": rows,
        "row_axis": say("linear.row"),
        "window": (slice(first, first + SHOWN), slice(None)),
    }
    of_inputs: dict[str, Any] = {"col_labels": inputs, "col_axis": say("linear.input"), "digits": 4}
    of_outputs: dict[str, Any] = {"col_labels": outputs, "col_axis": say("linear.output_column"), "digits": 4}
    made = total(K, INPUTS, Matrix("x")[I, K] * Matrix("weight")[J, K]) + Matrix("bias")[0, J]
    high = float(abs(y).max())  # one scale for all windows
    return [
        Panel("x", x, "x", **batch, **of_inputs),
        Panel("weight", weight, "W", outputs, row_axis=say("linear.output"), place=(1, 0), symbol="W", **of_inputs),
        Panel("y", y, "y = x Wᵀ + b", high=high, place=(0, 1), made=made, **batch, **of_outputs),
        Panel("bias", bias[None], "b", place=(1, 1), symbol="b", **of_outputs),
    ]
