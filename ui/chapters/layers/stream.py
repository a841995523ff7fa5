"""The residual sum of one sub-layer, and how long the residual stream's vectors become on their way."""

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import SublayerConnection, Trace
from transformer_core.residual import stream_norms
from ui.chapters.layers.places import dimensions, place_control, token_rows, tokens_in, trace_of, vector_grid
from ui.chapters.shared.attention_values import recording
from ui.chapters.shared.tensors import SUBLAYERS
from ui.figures import TWO_COLORS, Board, Figure, Operand, Panel, ProgramArgument, Style, XAxis, YAxis, curves, runnable
from ui.figures.formula import Cases, I, J, K, Matrix, by_column, root, total
from ui.sections import Chapter, Section, controls, show
from ui.settings.fields import Settings, choice, whole, window

PANELS = {"x": ("input", "x"), "branch": ("branch", "Δx"), "sum": ("sum", "x′")}  # what is recorded, and its symbol


class ResidualSumSettings(Settings):
    sum_place: int = whole(1, 0, 99)  # which sub-layer, in the order of the forward pass
    sum_from: int = window(9999)


@Section("sum", settings=ResidualSumSettings, cell="sum_cell", text="text")
def residual_sum(chapter: Chapter[ResidualSumSettings]) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    left, right = st.columns(2)
    with left:
        place = place_control(chapter, "sum_place")
    with right:
        dims = dimensions(chapter, "sum_from")
    trace = trace_of(chapter)
    arrays = {name: trace[f"{place.path}.{tap}"][0].numpy() for name, (tap, _) in PANELS.items()}
    largest = max(float(np.abs(array).max()) for array in arrays.values())
    panels = [
        Panel(
            name,
            array,
            say(f"sum.{name}"),
            high=largest,
            place=(line, 0),
            made=Matrix("x")[I, J] + Matrix("branch")[I, J] if name == "sum" else None,
            symbol=PANELS[name][1],
            **vector_grid(chapter, tokens_in(chapter, place.stack), dims),
        )
        for line, (name, array) in enumerate(arrays.items())
    ]
    figure = Figure(
        "sum",
        Board(panels),
        at_hand.provenance(f"{place.path}.sum", *arrays["sum"].shape),
        code=[SublayerConnection],
        program=f"{recording(at_hand, chapter.typed)}"
        f"shown = trace['{place.path}.input'][0] + trace['{place.path}.branch'][0]\nprint(shown)\n",
    )
    show(chapter, figure)


SYMBOLS = {"after": ("|x|", "x"), "added": ("|Δx|", "Δx")}  # by panel: of the lengths, and of the vectors


class Stream(Settings):
    stream: str = choice("encoder", "encoder", "decoder")


def lengths(trace: Trace, stack: str) -> Tensor:
    """(length, stops): of each token's vector at every stop, the start among them, then of what was added to it."""
    norms = stream_norms(trace, stack)
    start = trace[f"{norms[0].path}.input"][0].norm(dim=-1)
    return torch.stack([start, *(point.output for point in norms), *(point.branch for point in norms)], dim=1)


@Section("stream", settings=Stream, cell="stream_cell", text="text")
def stream(chapter: Chapter[Stream]) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    stack = controls.choose(chapter, "stream")
    trace = trace_of(chapter)
    paths = [point.path for point in stream_norms(trace, stack)]
    stops = [say("stream.start"), *(_short(chapter, path) for path in paths)]
    both = lengths(trace, stack).numpy()
    after, added = np.split(both, [len(stops)], axis=1)
    picture = curves(
        np.arange(len(stops)),
        {say("stream.after"): after.mean(0), say("stream.added"): (np.arange(1, len(stops)), added.mean(0))},
        x_axis=XAxis(say("stream.x"), stops=stops),
        y_axis=YAxis(say("stream.y")),
        style=Style(colors=TWO_COLORS, markers=True),
        height=320,
    )
    origin = at_hand.provenance(f"|{stack}.layers.*.sublayer.*.(output, branch)|", *both.shape)
    columns = [*stops, *(f"+ {name}" for name in stops[1:])]
    given = ProgramArgument("trace", recording(at_hand, chapter.typed))
    mean = Figure(
        "stream_means", picture, origin, both.mean(0), columns, [stream_norms],
        runnable(lengths, given, stack, then=".mean(0)"), alt=say("stream.alt"),
    )  # fmt: skip
    show(chapter, mean)
    chapter.write("stream.why")
    common = token_rows(chapter, tokens_in(chapter, stack)) | {"col_axis": say("stream.x")}
    common |= {"scale": "magnitude", "print_values": True, "high": float(after.max())}
    panels = [
        Panel(name, values, say(f"stream.{name}"), col_labels=stops[-values.shape[1] :], place=(0, at),
              made=_lengths(name, values.shape[1], at_hand.config.d_model), symbol=SYMBOLS[name][0], **common)
        for at, (name, values) in enumerate((("after", after), ("added", added)))
    ]  # fmt: skip
    vectors = {
        "after": [f"{paths[0]}.input", *(f"{path}.output" for path in paths)],
        "added": [f"{path}.branch" for path in paths],
    }
    operands = [
        Operand(f"{name}{at}", trace[tap][0].numpy(), symbol=f"{SYMBOLS[name][1]}^({at})")
        for name, taps in vectors.items()
        for at, tap in enumerate(taps)
    ]
    board = Board(panels, operands)
    program = runnable(lengths, given, stack)
    show(chapter, Figure("stream", board, origin, both, columns, [stream_norms], program))


def _lengths(name: str, stops: int, d: int) -> Cases:
    return by_column(*(root(total(K, d, Matrix(f"{name}{at}")[I, K] ** 2)) for at in range(stops)))


def _short(chapter: Chapter[Stream], path: str) -> str:
    """`1 ffn` for encoder.layers.1.sublayer.1."""
    stack, _, n, _, i = path.split(".")
    return f"{n} {chapter.say(f'short.{SUBLAYERS[stack][int(i)]}')}"
