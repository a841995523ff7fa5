"""LayerNorm in the notes' formula and in PyTorch's, on the model's vectors; how far apart they are, by length."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
import torch
from torch import Tensor, nn

from transformer_core import LayerNorm, Trace, layer_norm_steps
from transformer_core.layer_norm import LayerNormSteps, torch_layer_norm_steps
from ui.chapters.layers.places import (
    SubLayerPlace,
    columns,
    dimensions,
    place_control,
    tokens_in,
    trace_of,
    vector_grid,
)
from ui.chapters.shared.attention_values import recording
from ui.figures import (
    TWO_COLORS,
    Board,
    Dots,
    Figure,
    Panel,
    ProgramArgument,
    Style,
    XAxis,
    YAxis,
    curves,
    number,
    runnable,
)
from ui.figures.formula import Formula, J, Matrix, Named, Number, by_row
from ui.figures.paper import layer_norm, mean_and_spread
from ui.sections import Chapter, Quantity, Section, controls, show, through
from ui.settings.fields import Settings, choice, whole, window

FORMULAS = ("notes", "torch", "difference")
EPS = {"notes": 1e-6, "torch": 1e-5}  # each formula with the eps it comes with
STEPS: dict[str, Callable[[Tensor, Tensor, Tensor, float], LayerNormSteps]] = {
    "notes": layer_norm_steps,
    "torch": torch_layer_norm_steps,
}
LEARNED = {"notes": ("a_2", "b_2"), "torch": ("γ", "β")}


class Norm(Settings):
    place: int = whole(1, 0, 99)  # which sub-layer, in the order of the forward pass
    formula: str = choice("notes", *FORMULAS)
    norm_from: int = window(9999)


class Normalised(NamedTuple):
    """One normalisation of the model: what goes in, the learned gain and shift, and both formulas' steps.

    In float64: the formulas differ by so little that float32 would show its rounding beside it.
    """

    x: Tensor  # (length, d_model)
    gain: Tensor
    shift: Tensor
    notes: LayerNormSteps
    torch: LayerNormSteps

    def output(self, formula: str) -> Tensor:
        if formula == "difference":
            return self.notes.output - self.torch.output
        steps: LayerNormSteps = getattr(self, formula)
        return steps.output


def parameters_of(norm: nn.Module) -> tuple[str, str]:
    return ("a_2", "b_2") if isinstance(norm, LayerNorm) else ("weight", "bias")


def normalised_at(place: SubLayerPlace, norm: nn.Module, trace: Trace) -> Normalised:
    x = trace[f"{place.path}.norm.input"][0].double()
    gain, shift = (norm.get_parameter(name).detach().double() for name in parameters_of(norm))
    steps = {name: STEPS[name](x, gain, shift, EPS[name]) for name in STEPS}
    return Normalised(x, gain, shift, steps["notes"], steps["torch"])


@Section("norm", settings=Norm, cell="norm_cell", look="lead", why="text", step=through("formula"))
def norm(chapter: Chapter[Norm]) -> None:
    at_hand = chapter.at_hand
    left, right = st.columns(2)
    with left:
        place = place_control(chapter, "place")
    with right:
        formula = controls.choose(chapter, "formula")
    above = chapter.figure_first()
    dims = dimensions(chapter, "norm_from")
    chapter.draw_fields()
    path = f"{place.path}.norm"
    module = at_hand.load().get_submodule(path)
    values = normalised_at(place, module, trace_of(chapter))
    own = "notes" if isinstance(module, LayerNorm) else "torch"  # the formula that the model itself computes with
    code: list[Callable[..., Any]] = [layer_norm_steps, LayerNorm if formula == "notes" else torch_layer_norm_steps]
    panels = _panels(chapter, values, formula, tokens_in(chapter, place.stack), dims)
    board = Board(panels, result="out")
    origin = at_hand.provenance(f"{path}.output" if formula == own else f"{formula} · {path}", *values.x.shape)
    program = recording(at_hand, chapter.typed) + norm_program(path, module, formula)
    show(above, Figure("norm", board, origin, code=code, program=program))
    rows, n = values.torch if formula == "torch" else values.notes, values.x.size(1)
    chapter.write(
        f"norm.measured.{formula}",
        mean=number(float(rows.normalised.mean(-1).abs().max()), 1),
        std=number(float(rows.normalised.std(-1).mean())),
        biased=number(float(rows.normalised.std(-1, correction=0).mean())),
        n=n,
        ratio=number(ratio(n)),
        largest=number(float(values.output("difference").abs().max())),
    )


def _panels(chapter: Chapter[Norm], values: Normalised, formula: str, tokens: list[str], dims: range) -> list[Panel]:
    """What goes in and what comes out, and below them what turns one into the other.

    The scale has the same ends for all three, so that the difference looks as small as it is.
    """
    say, d = chapter.say, values.x.size(1)
    name = "torch" if formula == "torch" else "notes"
    steps: LayerNormSteps = getattr(values, name)
    grid = vector_grid(chapter, tokens, dims)
    grid["high"] = max(float(part.abs().max()) for part in (values.x, values.notes.output, values.torch.output))
    middle, spread = mean_and_spread(Matrix("x"), J, d, None if name == "notes" else eps(name))
    return [
        Panel("x", values.x.numpy(), say("norm.x"), **grid),
        Panel(
            "out",
            values.output(formula).numpy(),
            say(f"norm.out.{formula}"),
            place=(1, 0),
            made=output(formula, d),
            symbol="Δ" if formula == "difference" else "y",
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
            made=by_row(middle.body, spread.body),
            symbol=(middle.name, spread.name),
        ),
        Panel(
            "learned",
            np.stack([values.gain.numpy(), values.shift.numpy()]),
            say("norm.learned"),
            [say("norm.gain"), say("norm.shift")],
            place=(3, 0),
            symbol=LEARNED[name],
            **columns(dims, say("dimension_axis")),
        ),
    ]


def output(formula: str, d: int) -> Formula:
    if formula == "difference":
        return Named("y", output("notes", d)) - Named("y′", output("torch", d))
    learned = Matrix("learned")
    return layer_norm(Matrix("x"), learned[0, J], learned[1, J], d, eps(formula), notes=formula == "notes")


def eps(name: str) -> Number:
    return Number(EPS[name], "ε")


def ratio(n: int) -> float:
    return ((n - 1) / n) ** 0.5


def norm_program(path: str, norm: nn.Module, formula: str) -> str:
    gain, shift = parameters_of(norm)
    lines = {
        "notes": f"(x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + {EPS['notes']}) * gain + shift",
        "torch": f"torch.nn.functional.layer_norm(x, x.shape[-1:], gain, shift, {EPS['torch']})",
    }
    shown = " - (".join(lines.values()) + ")" if formula == "difference" else lines[formula]
    return (
        f"x, norm = trace['{path}.input'][0].double(), model.get_submodule('{path}')\n"
        f"gain, shift = norm.{gain}.detach().double(), norm.{shift}.detach().double()\n"
        f"shown = {shown}\nprint(shown)\n"
    )


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
        x_axis=XAxis(say("ratio.x"), log=True),
        y_axis=YAxis(say("ratio.y")),
        style=Style(colors=[line]),
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
