"""The residual sum of one sub-layer, and how long the stream's vectors become on their way."""

import numpy as np
import streamlit as st
import torch

from transformer_core import SublayerConnection
from transformer_core.residual import stream_norms
from ui.chapters.layers.places import Place, dimensions, place_control, token_rows, vector_grid
from ui.chapters.shared.attention_programs import recording
from ui.chapters.shared.stops import SUBLAYERS
from ui.figures.board import Operand, Panel
from ui.figures.curves import TWO_COLORS, curves
from ui.figures.figure import Board, Figure
from ui.figures.formula import Cases, I, J, K, Matrix, by_column, root, total
from ui.figures.number import number
from ui.frame.chapter import Chapter
from ui.model.recorded import recorded
from ui.page import controls
from ui.reading.sequences import Sequences
from ui.showing.show import show

SUM = {"x": ("input", "x"), "branch": ("branch", "Δx"), "sum": ("sum", "x′")}  # by panel: what is recorded, its symbol
LENGTHS = {"after": "|x|", "added": "|Δx|"}


def sum_lab(chapter: Chapter, sequences: Sequences) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    left, right = st.columns(2)
    with left:
        place = place_control(chapter, "sum_place")
    with right:
        dims = dimensions(chapter, "sum_from")
    trace = recorded(at_hand, sequences.src, sequences.given)
    arrays = {name: trace[f"{place.path}.{tap}"][0].numpy() for name, (tap, _) in SUM.items()}
    largest = max(float(np.abs(array).max()) for array in arrays.values())
    panels = [
        Panel(
            name,
            array,
            say(f"sum.{name}"),
            high=largest,
            place=(line, 0),
            made=Matrix("x")[I, J] + Matrix("branch")[I, J] if name == "sum" else None,
            symbol=SUM[name][1],
            **vector_grid(chapter, place.tokens(sequences), dims),
        )
        for line, (name, array) in enumerate(arrays.items())
    ]
    figure = Figure(
        "sum",
        Board(panels, cell="sum_cell"),
        say("sum.alt"),
        at_hand.provenance(f"{place.path}.sum", *arrays["sum"].shape),
        code=[SublayerConnection],
        program=f"{recording(at_hand, sequences)}"
        f"shown = trace['{place.path}.input'][0] + trace['{place.path}.branch'][0]\nprint(shown)\n",
    )
    show(chapter, figure)


def stream_lab(chapter: Chapter, sequences: Sequences) -> None:
    """How long the vectors are at every stop, and how long what was added: on average, and token by token."""
    say, at_hand = chapter.say, chapter.at_hand
    stack = controls.choose(chapter, "stream")
    trace = recorded(at_hand, sequences.src, sequences.given)
    norms = stream_norms(trace, stack)
    paths = [point.path for point in norms]
    vectors = {
        "after": [trace[f"{paths[0]}.input"][0], *(trace[f"{path}.output"][0] for path in paths)],
        "added": [trace[f"{path}.branch"][0] for path in paths],
    }
    lengths = {
        "after": torch.stack([vectors["after"][0].norm(dim=-1), *(point.output for point in norms)], dim=1).numpy(),
        "added": torch.stack([point.branch for point in norms], dim=1).numpy(),
    }  # (length, stops)
    stops = [say("stream.start"), *(_short(chapter, path) for path in paths)]
    means = {say(f"stream.{name}"): values.mean(0) for name, values in lengths.items()}
    picture = curves(
        np.arange(len(stops)),
        {name: (np.arange(len(stops) - len(line), len(stops)), line) for name, line in means.items()},
        x_title=say("stream.x"),
        y_title=say("stream.y"),
        colors=TWO_COLORS,
        stops=stops,
        markers=True,
        height=320,
    )
    common = token_rows(chapter, Place(stack, 0, 0).tokens(sequences)) | {"col_axis": say("stream.x")}
    common |= {"scale": "magnitude", "print_values": True, "high": float(lengths["after"].max())}
    panels = [
        Panel(name, values, say(f"stream.{name}"), col_labels=stops[-values.shape[1] :], place=(0, at),
              made=_lengths(name, values.shape[1], at_hand.config.d_model), symbol=LENGTHS[name], **common)
        for at, (name, values) in enumerate(lengths.items())
    ]  # fmt: skip
    operands = [
        Operand(f"{name}{at}", each.numpy(), symbol=f"{'x' if name == 'after' else 'Δx'}^({at})")
        for name, some in vectors.items()
        for at, each in enumerate(some)
    ]
    both = np.hstack([*lengths.values()])
    code, origin = [stream_norms], at_hand.provenance(f"|{stack}.layers.*.sublayer.*.(output, branch)|", *both.shape)
    program = recording(at_hand, sequences) + stream_program(stack)
    columns = [*stops, *(f"+ {name}" for name in stops[1:])]
    mean = Figure(
        "stream_means", picture, say("stream.alt"), origin, both.mean(0), columns, code,
        f"{program}.mean(0)\nprint(shown)\n",
    )  # fmt: skip
    show(chapter, mean)
    first, last = (number(float(lengths["after"][:, at].mean()), 3) for at in (0, -1))
    chapter.write("stream.measured", first=first, last=last)
    board = Board(panels, operands, cell="stream_cell")
    program += "\nprint(shown)\n"
    show(chapter, Figure("stream", board, say("stream.alt"), origin, both, columns, code, program))


def _lengths(name: str, stops: int, d: int) -> Cases:
    """Of each stop's vectors."""
    return by_column(*(root(total(K, d, Matrix(f"{name}{at}")[I, K] ** 2)) for at in range(stops)))


def stream_program(stack: str) -> str:
    return (
        f"paths = [path for path in trace if path.startswith('{stack}.') and path.endswith('.branch')]\n"
        "stream = [trace[paths[0].replace('.branch', '.input')]]\n"
        "stream += [trace[path.replace('.branch', '.output')] for path in paths]\n"
        "added = [trace[path] for path in paths]\n"
        "shown = torch.stack([x[0].norm(dim=-1) for x in stream + added], dim=1)"
    )


def _short(chapter: Chapter, path: str) -> str:
    """`1 ffn` for encoder.layers.1.sublayer.1."""
    stack, _, n, _, i = path.split(".")
    return f"{n} {chapter.say(f'short.{SUBLAYERS[stack][int(i)]}')}"
