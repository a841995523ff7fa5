"""Each part that changed since 2017, beside what it replaces: its formula, its figure, and what it adds or saves."""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, relu, silu

from transformer_core import subsequent_mask
from transformer_core.after_2017.feed_forwards import GeluFeedForward, SwiGLUFeedForward
from transformer_core.after_2017.grouped_attention import GroupedAttention
from transformer_core.after_2017.make import build, make_gpt
from transformer_core.after_2017.rms_norm import RMSNorm, rms_norm_steps
from transformer_core.after_2017.window import window_mask
from transformer_core.layer_norm import layer_norm_steps
from ui import state
from ui.figures import Board, Figure, Panel, Style, plotted, runnable
from ui.figures.formula import I, J, L, Matrix, Number, mean, root
from ui.figures.paper import layer_norm
from ui.model.rows import row_kind, task_of
from ui.model.shipped import one_stack
from ui.sections import Chapter, Section, alone, controls, provenance, show
from ui.settings.chapters import page
from ui.settings.fields import Settings, choice, whole
from ui.theme import css

WIDE, EPS, SHOWN = 8, 1e-6, 12  # numbers of a vector, ε, positions of a mask
SWITCHES: dict[str, dict[str, Any]] = {
    "rms": {"norm": "rms"},
    "gelu": {"feed_forward": "gelu"},
    "swiglu": {"feed_forward": "swiglu"},
    "tied": {"tied": True},
    "grouped": {},
    "window": {},
}


class PartsSettings(Settings):
    part: str = choice("rms", *SWITCHES)
    part_groups: str = choice("2", "1", "2", "4")
    part_window: int = whole(3, 1, SHOWN)


@Section("parts", settings=PartsSettings, cell="part_cell", text="text")
def parts(chapter: Chapter[PartsSettings]) -> None:
    above = chapter.figure_first()
    part = controls.choose(chapter, "part")
    changes = dict(SWITCHES[part])
    if part == "grouped":
        changes["groups"] = int(controls.choose(chapter, "part_groups"))
    if part == "window":
        changes["window"] = controls.slider(chapter, "part_window")
    draw = {"rms": _norms, "tied": _tied, "grouped": _grouped, "window": _window}.get(part, _activations)
    show(above, draw(chapter, changes))
    kind = row_kind("gpt", chapter.at_hand)
    shape = one_stack(kind).model.shape
    other = replace(shape, **changes)
    now, then = (sum(p.numel() for p in build(each).parameters()) for each in (other, shape))
    chapter.write(
        f"parts.{part}", now=f"{now:,}", then=f"{then:,}", kept=other.cached_numbers, was=shape.cached_numbers
    )
    if not alone(chapter):
        said = {"row_direction": task_of(kind).direction} | {f"row_{name}": value for name, value in changes.items()}
        st.page_link(
            page("training"),
            label=chapter.say("parts.train"),
            icon=":material/model_training:",
            query_params=state.query("training", open="rows", row_kind="gpt", **said),
        )


def vectors() -> Tensor:
    """Two vectors whose means are not 0: (2, WIDE)."""
    return 3 * torch.arange(2.0 * WIDE).reshape(2, WIDE).sin() + 1


def normalised_by_size() -> Tensor:
    """(2, WIDE)"""
    return rms_norm_steps(vectors(), torch.ones(WIDE), EPS).output


def _norms(chapter: Chapter[PartsSettings], _: dict[str, Any]) -> Figure:
    say, x = chapter.say, vectors()
    given, epsilon = Matrix("x"), Number(EPS, "ε")
    layer = layer_norm_steps(x, torch.ones(WIDE), torch.zeros(WIDE), EPS).output
    by_size = given[I, J] / root(mean(L, WIDE, given[I, L] ** 2) + epsilon)
    panels = [
        Panel("x", x.numpy(), say("parts.given"), symbol="x", print_values=True, place=(0, 0)),
        Panel(
            "layer", layer.numpy(), say("parts.layer_norm"), symbol="y", print_values=True, place=(1, 0),
            made=layer_norm(given, Number(1.0), Number(0.0), WIDE, epsilon, notes=True),
        ),
        Panel(
            "rms", normalised_by_size().numpy(), say("parts.rms_norm"), symbol="z", print_values=True, place=(2, 0),
            made=by_size,
        ),
    ]  # fmt: skip
    origin = provenance("rms_norm_steps(x).output", 2, WIDE)
    program = runnable(normalised_by_size)
    return Figure("norms", Board(panels), origin, code=[rms_norm_steps, RMSNorm], program=program)


def activations() -> np.ndarray:
    """(81, 4): x, and ReLU, GELU and Swish of it."""
    x = torch.linspace(-4, 4, 81)
    return torch.stack([x, relu(x), gelu(x), silu(x)], 1).numpy()


def _activations(chapter: Chapter[PartsSettings], _: dict[str, Any]) -> Figure:
    return plotted(
        "activations", activations(), ["x", "ReLU(x)", "GELU(x)", "Swish(x)"], "gelu(x) · silu(x) · 81 × 3",
        code=[GeluFeedForward, SwiGLUFeedForward], program=runnable(activations), height=300,
        style=Style(colors=[css("quiet"), css("attention"), css("value")]),
    )  # fmt: skip


def counted(vocab: int, N: int, d_model: int, d_ff: int, h: int) -> np.ndarray:
    """(2, 2): all parameters, and those of embeddings and generator together; untied, and tied."""
    rows = []
    for tied in (False, True):
        model = make_gpt(vocab, N, d_model, d_ff, h, tied=tied)
        tables = nn.ModuleList([model.tgt_embed, model.generator])
        rows.append([sum(p.numel() for p in part.parameters()) for part in (model, tables)])
    return np.array(rows, dtype=float)


def _tied(chapter: Chapter[PartsSettings], _: dict[str, Any]) -> Figure:
    say, shape = chapter.say, one_stack(row_kind("gpt", chapter.at_hand)).model.shape
    sizes = shape.vocab, shape.N, shape.d_model, shape.d_ff, shape.h
    panel = Panel(
        "counts", counted(*sizes), say("parts.counts"), [say("parts.untied"), say("parts.tied_row")],
        [say("parts.all"), say("parts.tables")], scale="magnitude", print_values=True, digits=6,
    )  # fmt: skip
    return Figure(
        "tied", Board([panel]), "make_gpt(tied=True) · 2 × 2", code=[build], program=runnable(counted, *sizes)
    )


def reads(h: int, groups: int) -> Tensor:
    """(h, groups): 1 where a head of queries reads a head of keys and values."""
    return torch.eye(groups).repeat_interleave(h // groups, dim=0)


def _grouped(chapter: Chapter[PartsSettings], changes: dict[str, Any]) -> Figure:
    say, h, groups = chapter.say, one_stack("gpt").model.shape.h, changes["groups"]
    panel = Panel(
        "reads", reads(h, groups).numpy(), say("parts.reads"), [str(head) for head in range(h)],
        [str(group) for group in range(groups)], say("parts.query_heads"), say("parts.key_heads"), scale="magnitude",
        print_values=True,
    )  # fmt: skip
    origin = provenance("reads(h, groups)", h, groups)
    return Figure("grouped", Board([panel]), origin, code=[GroupedAttention], program=runnable(reads, h, groups))


def seen(size: int, window: int) -> Tensor:
    """(size, size): 1 where a query may attend to a key."""
    return (window_mask(size, window) & subsequent_mask(size))[0].int()


def _window(chapter: Chapter[PartsSettings], changes: dict[str, Any]) -> Figure:
    say, window = chapter.say, changes["window"]
    panel = Panel(
        "window", seen(SHOWN, window).numpy(), say("parts.mask", window=window), row_axis=say("query_axis"),
        col_axis=say("key_axis"), scale="mask", made=J.at_most(I) * (I - J).at_most(window - 1),
    )  # fmt: skip
    origin = provenance(f"window_mask({SHOWN}, {window})", SHOWN, SHOWN)
    return Figure("window", Board([panel]), origin, code=[window_mask], program=runnable(seen, SHOWN, window))
