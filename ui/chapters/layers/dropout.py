"""Dropout as a sampler, on what a sub-layer is about to add."""

import numpy as np
import torch

from transformer_core.dropout import drop, dropout_steps
from ui.chapters.layers.places import SubLayerPlace, dimensions, tokens_in, trace_of, vector_grid
from ui.chapters.shared.attention_values import recording
from ui.figures import Board, Figure, Marks, Operand, Panel, ProgramArgument, XAxis, YAxis, curves, number, runnable
from ui.figures.formula import I, J, Matrix, Number
from ui.sections import Chapter, Quantity, Section, controls, show
from ui.settings.fields import Settings, real, whole, window

PLACE = SubLayerPlace("encoder", 0, 0)
BRANCH = f"{PLACE.path}.branch"
DRAWS = 1000
ASK_DROP = Quantity("ask_drop", 1.0, {"ask_drop.wrong.unchanged": 0.9, "ask_drop.wrong.smaller": 0.81})


class LayerDropoutSettings(Settings):
    p: float = real(0.1, 0.0, 0.9)
    seed: int = whole(0, 0, 9999)
    drop_from: int = window(9999)


@Section("dropout", settings=LayerDropoutSettings, cell="drop_cell", text="text", first=ASK_DROP)
def dropout(chapter: Chapter[LayerDropoutSettings]) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    p, seed, place = controls.side_by_side(chapter, (1, 1, 1), p={"step": 0.05}, seed={"high": 100})
    with place:
        dims = dimensions(chapter, "drop_from")
    x = trace_of(chapter)[BRANCH][0]
    steps = dropout_steps(x, p, torch.Generator().manual_seed(seed))
    grid = vector_grid(chapter, tokens_in(chapter, PLACE.stack), dims) | {"high": float(x.abs().max()) * steps.factor}
    panels = [
        Panel("x", x.numpy(), say("dropout.x"), **grid),
        Panel("dropped", steps.output.numpy(), say("dropout.dropped"), place=(1, 0), symbol="x′",
              made=Matrix("keep")[I, J] * Matrix("x")[I, J] / (1 - Number(p, "p")),
              vacant=~steps.keep.numpy()[:, dims], **grid),
    ]  # fmt: skip
    board = Board(panels, [Operand("keep", steps.keep.numpy(), "m")], vacant=say("dropout.zero"))
    given = ProgramArgument("x", f"{recording(at_hand, chapter.typed)}x = trace['{BRANCH}'][0]\n")
    figure = Figure(
        "dropout",
        board,
        f"{at_hand.provenance(BRANCH, *x.shape)} · dropout seed {seed}",
        code=[dropout_steps, drop],
        program=runnable(dropout_steps, given, p, torch.Generator().manual_seed(seed), then=".output"),
    )
    chosen = show(chapter, figure)
    chapter.write(
        "dropout.measured",
        p=f"{p:.0%}",
        share=f"{float((~steps.keep).float().mean()):.1%}",
        factor=number(steps.factor),
    )
    if at_hand.step is not None:
        chapter.write("dropout.trained", trained=f"{at_hand.config.dropout:g}")
    at = (chosen[1], dims[chosen[2]]) if chosen else (0, dims.start)
    _mean(chapter, float(x[at]), *at)


def drawn(value: float, p: float, seed: int) -> np.ndarray:
    """(DRAWS, 3): how many draws there were, what this one has given, and the mean of all so far."""
    draws = dropout_steps(torch.full((DRAWS,), value), p, torch.Generator().manual_seed(seed)).output.numpy()
    counts = np.arange(1, DRAWS + 1)
    return np.stack([counts, draws, np.cumsum(draws, dtype=np.float64) / counts], axis=1)


def _mean(chapter: Chapter[LayerDropoutSettings], value: float, row: int, column: int) -> None:
    say, p, seed = chapter.say, chapter.settings.p, chapter.settings.seed
    numbers = drawn(value, p, seed)
    counts, _, means = numbers.T
    shown = np.unique(np.geomspace(1, DRAWS, 200).astype(int)) - 1
    picture = curves(
        counts[shown],
        {say("mean.mean"): means[shown]},
        x_axis=XAxis(say("mean.draws"), log=True),
        y_axis=YAxis(say("mean.mean")),
        marks=Marks(levels={"": value}),
    )
    origin = chapter.at_hand.provenance(f"{BRANCH}[0, {row}, {column}]")
    figure = Figure(
        "mean",
        picture,
        f"{origin} · {DRAWS} × dropout_steps({p:g}) · dropout seed {seed}",
        numbers=numbers,
        columns=[say("mean.draws"), say("mean.draw"), say("mean.mean")],
        code=[dropout_steps, drop],
        program=runnable(drawn, value, p, seed),
    )
    show(chapter, figure)
    chapter.write("mean.measured", draws=DRAWS, mean=number(float(means[-1])), value=number(value))
