"""Layers lab: LayerNorm in the lecture notes' formula and in PyTorch's, on the vectors of the model at hand."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from torch import Tensor, nn

from transformer_core import LayerNorm, Trace, layer_norm_steps
from transformer_core.layer_norm import LayerNormSteps, torch_layer_norm_steps
from ui import controls
from ui.caption import caption
from ui.drawing import board, write_sums
from ui.figures.arithmetic import equation, number, operand
from ui.figures.board import Panel, Source
from ui.figures.layer_arithmetic import mean_of, normalised, spread_of
from ui.fragment import fragment
from ui.labs.attention_values import Sequences
from ui.labs.layers_places import Place, dimensions, place_control, recording_snippet, vector_grid
from ui.recorded import recorded
from ui.shell import Chapter

EPS = {"notes": 1e-6, "torch": 1e-5}  # each formula with the eps it comes with
STEPS = {"notes": layer_norm_steps, "torch": torch_layer_norm_steps}


class Normalised(NamedTuple):
    """One normalisation of the model: what goes in, the learned gain and shift, and both formulas' steps."""

    x: Tensor  # (length, d_model)
    gain: Tensor
    shift: Tensor
    notes: LayerNormSteps
    torch: LayerNormSteps


def normalised_at(place: Place, wrapper_norm: nn.Module, norm_first: bool, trace: Trace) -> Normalised:
    x = trace[f"{place.path}.{'input' if norm_first else 'sum'}"][0]
    assert isinstance(wrapper_norm, LayerNorm | nn.LayerNorm)
    names = ("a_2", "b_2") if isinstance(wrapper_norm, LayerNorm) else ("weight", "bias")
    gain, shift = (wrapper_norm.get_parameter(name).detach() for name in names)
    steps = {name: STEPS[name](x, gain, shift, EPS[name]) for name in STEPS}
    return Normalised(x, gain, shift, steps["notes"], steps["torch"])


@fragment
def norm_lab(chapter: Chapter, sequences: Sequences) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    left, middle, right = st.columns([4, 4, 3])
    with left:
        place = place_control(chapter, "place")
    with middle:
        formula = controls.choose(chapter, "formula")
    with right:
        dims = dimensions(chapter, "norm_from")
    wrapper = place.wrapper(at_hand.model)
    values = normalised_at(
        place, wrapper.norm, wrapper.norm_first, recorded(chapter.at_hand, sequences.src, sequences.given)
    )
    tokens = place.tokens(sequences)
    panels = norm_panels(chapter, values, formula, tokens, dims)
    chosen = board(chapter, "norm", panels, cell="norm_cell", alt=say("norm.alt")).chosen
    if chosen:
        write_sums(chapter, arithmetic(values, formula, chosen, dims.start))
    shown = output_of(values, formula)
    rows = values.notes if formula != "torch" else values.torch
    n = values.x.size(1)
    chapter.write(
        f"norm.measured.{formula}",
        mean=number(float(rows.normalised.mean(-1).abs().max()), 1),
        std=number(float(rows.normalised.std(-1).mean())),
        biased=number(float(rows.normalised.std(-1, correction=0).mean())),
        n=n,
        ratio=number(ratio(n)),
        largest=number(float((values.notes.output - values.torch.output).abs().max())),
    )
    path = f"{place.path}.norm"
    code: list[Callable[..., Any]] = [layer_norm_steps, LayerNorm if formula == "notes" else torch_layer_norm_steps]
    snippet = norm_snippet(recording_snippet(at_hand, sequences), place, wrapper.norm_first, wrapper.norm, formula)
    origin = at_hand.provenance(
        f"{path}.output" if formula == own(wrapper.norm) else f"{formula} · {path}", *shown.shape
    )
    caption(chapter, "norm", origin, numbers=shown.numpy(), code=code, snippet=snippet)


def own(norm: nn.Module) -> str:
    """The formula that the model itself computes with."""
    return "notes" if isinstance(norm, LayerNorm) else "torch"


def output_of(values: Normalised, formula: str) -> Tensor:
    if formula == "difference":
        return values.notes.output - values.torch.output
    steps: LayerNormSteps = getattr(values, formula)
    return steps.output


def norm_panels(chapter: Chapter, values: Normalised, formula: str, tokens: list[str], dims: range) -> list[Panel]:
    """What goes in and what comes out, and below them what turns one into the other.

    The scale has the same ends for all three, so that the difference looks as small as it is.
    """
    say, steps = chapter.say, values.torch if formula == "torch" else values.notes
    grid = vector_grid(chapter, tokens, dims)
    out = output_of(values, formula)
    high = max(float(part.abs().max()) for part in (values.x, values.notes.output, values.torch.output))
    return [
        Panel("x", values.x.numpy()[:, dims], say("norm.x"), high=high, **grid),
        Panel(
            "out",
            out.numpy()[:, dims],
            say(f"norm.out.{formula}"),
            high=high,
            place=(1, 0),
            sources=[Source("x", "row", "all"), Source("stats", "all", "row"), Source("learned", "all", "column")],
            **grid,
        ),
        Panel(
            "stats",
            np.concatenate([steps.mean.numpy().T, steps.std.numpy().T]),
            say("norm.stats"),
            [say("norm.mean"), say("norm.std")],
            tokens,
            col_axis=say("token_column_axis"),
            scale="plain",
            place=(2, 0),
            digits=4,
            print_values=True,
            sources=[Source("x", "column", "all")],
        ),
        Panel(
            "learned",
            np.stack([values.gain.numpy(), values.shift.numpy()])[:, dims],
            say("norm.learned"),
            [say("norm.gain"), say("norm.shift")],
            grid["col_labels"],
            col_axis=say("dimension_axis"),
            place=(3, 0),
            digits=4,
        ),
    ]


def arithmetic(values: Normalised, formula: str, cell: tuple[str, int, int], first: int) -> str:
    """What stands behind the chosen cell; empty for x, which the layer before has made, and for what is learned.

    `first` is the dimension of the first column.
    """
    panel, row, column = cell
    if panel in ("x", "learned"):
        return ""
    name = "torch" if formula == "torch" else "notes"
    if panel == "stats":
        x = values.x[column].tolist()
        return _spread(x, name) if row else mean_of("mean", x)
    column += first
    if formula == "difference":
        ours, theirs = (float(steps.output[row, column]) for steps in (values.notes, values.torch))
        side = f"{operand(ours, digits=6)} − {operand(theirs, digits=6)}"
        return _written(values, "notes", row, column) + _written(values, "torch", row, column) + equation(
            "notes − torch", side, result=ours - theirs
        )  # fmt: skip
    return mean_of("mean", values.x[row].tolist()) + _written(values, name, row, column)


def _written(values: Normalised, name: str, row: int, column: int) -> str:
    x = values.x[row].double()
    spread = x.std() if name == "notes" else (x.var(correction=0) + EPS["torch"]).sqrt()
    outside = EPS["notes"] if name == "notes" else 0.0
    gain, shift = float(values.gain[column]), float(values.shift[column])
    out = f"out<sub>{row},{column}</sub>"
    written = normalised(out, float(x[column]), float(x.mean()), float(spread), gain, shift, outside)
    return _spread(x.tolist(), name) + written


def _spread(x: list[float], name: str) -> str:
    return spread_of("std", x, 1) if name == "notes" else spread_of("√(var + eps)", x, 0, EPS["torch"])


def ratio(n: int) -> float:
    return ((n - 1) / n) ** 0.5


def norm_snippet(recording: str, place: Place, norm_first: bool, norm: nn.Module, formula: str) -> str:
    gain, shift = ("a_2", "b_2") if isinstance(norm, LayerNorm) else ("weight", "bias")
    lines = {
        "notes": f"gain * (x - mean) / (x.std(-1, keepdim=True) + {EPS['notes']}) + shift",
        "torch": f"torch.nn.functional.layer_norm(x, x.shape[-1:], gain, shift, {EPS['torch']})",
    }
    needed = list(lines) if formula == "difference" else [formula]
    body = "".join(f"{name} = {lines[name]}\n" for name in needed).replace("torch = torch", "torchs = torch")
    result = "notes - torchs" if formula == "difference" else {"notes": "notes", "torch": "torchs"}[formula]
    return (
        f"{recording}x = trace['{place.path}.{'input' if norm_first else 'sum'}'][0]\n"
        f"norm = model.get_submodule('{place.path}.norm')\n"
        f"gain, shift = norm.{gain}.detach(), norm.{shift}.detach()\n"
        f"mean = x.mean(-1, keepdim=True)\n{body}shown = {result}\nprint(shown)\n"
    )
