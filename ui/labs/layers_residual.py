"""Layers lab: the residual sum of one sub-layer, and how long the stream's vectors become on their way."""

import numpy as np
import streamlit as st
import torch

from transformer_core import SublayerConnection
from transformer_core.residual import stream_norms
from ui import controls
from ui.caption import caption
from ui.drawing import board, chart
from ui.figures.arithmetic import number
from ui.figures.board import Panel, Source
from ui.figures.layer_arithmetic import added, length_of
from ui.figures.layers import along_the_stack
from ui.labs.attention_values import Sequences
from ui.labs.layers_places import Place, dimensions, place_control, recording_snippet, token_rows, vector_grid
from ui.labs.walkthrough_stops import SUBLAYERS
from ui.recorded import recorded
from ui.shell import Chapter


def sum_lab(chapter: Chapter, sequences: Sequences) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    left, right = st.columns(2)
    with left:
        place = place_control(chapter, "sum_place")
    with right:
        dims = dimensions(chapter, "sum_from")
    trace = recorded(chapter.at_hand, sequences.src, sequences.given)
    last = "output" if place.wrapper(at_hand.model).norm_first else "sum"
    arrays = {name: trace[f"{place.path}.{tap}"][0].numpy() for name, tap in
              (("x", "input"), ("branch", "branch"), ("sum", last))}  # fmt: skip
    largest = max(float(np.abs(array).max()) for array in arrays.values())
    grid = vector_grid(chapter, place.tokens(sequences), dims)
    panels = [
        Panel(
            name,
            array[:, dims],
            say(f"sum.{name}"),
            high=largest,
            place=(line, 0),
            sources=[Source("x"), Source("branch")] if name == "sum" else [],
            **grid,
        )
        for line, (name, array) in enumerate(arrays.items())
    ]
    chosen = board(chapter, "sum", panels, cell="sum_cell", alt=say("sum.alt")).chosen
    if chosen and chosen[0] == "sum":
        i, j = chosen[1], dims[chosen[2]]
        st.html(added(f"sum<sub>{i},{j}</sub>", float(arrays["x"][i, j]), float(arrays["branch"][i, j])))
    caption(
        chapter,
        "sum",
        at_hand.provenance(f"{place.path}.{last}", *arrays["sum"].shape),
        numbers=arrays["sum"],
        code=[SublayerConnection],
        snippet=sum_snippet(recording_snippet(at_hand, sequences), place.path),
    )


def sum_snippet(recording: str, path: str) -> str:
    return f"{recording}shown = trace['{path}.input'][0] + trace['{path}.branch'][0]\nprint(shown)\n"


def stream_lab(chapter: Chapter, sequences: Sequences) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    stack = controls.choose(chapter, "stream")
    trace = recorded(chapter.at_hand, sequences.src, sequences.given)
    norms = stream_norms(trace, stack)
    start = trace[f"{norms[0].path}.input"][0].norm(dim=-1)
    after = torch.stack([start, *(point.output for point in norms)], dim=1).numpy()  # (length, 1 + sub-layers)
    added_lengths = torch.stack([point.branch for point in norms], dim=1).numpy()  # (length, sub-layers)
    names = [_short(chapter, point.path) for point in norms]
    tokens = Place(stack, 0, 0).tokens(sequences)
    left, right = st.columns(2)
    with left:
        means = {say("stream.after"): after.mean(0), say("stream.added"): added_lengths.mean(0)}
        picture = along_the_stack([say("stream.start"), *names], means, chapter.mode, say("stream.x"), say("stream.y"))
        chart(chapter, "stream_means", picture, alt=say("stream.alt"))
    with right:
        common = token_rows(chapter, tokens) | {"col_axis": say("stream.x")}
        common |= {"scale": "magnitude", "print_values": True, "high": float(after.max())}
        panels = [
            Panel("after", after, say("stream.after"), col_labels=[say("stream.start"), *names], **common),
            Panel("added", added_lengths, say("stream.added"), col_labels=names, place=(0, 1), **common),
        ]
        chosen = board(chapter, "stream", panels, cell="stream_cell", alt=say("stream.alt")).chosen
    if chosen:
        panel, row, column = chosen
        point = norms[column if panel == "added" else max(column - 1, 0)]
        tap = "branch" if panel == "added" else "output" if column else "input"
        st.html(length_of(f"|{tap}|", trace[f"{point.path}.{tap}"][0, row].tolist()))
    lengths = np.hstack([after, added_lengths])
    chapter.write(
        "stream.measured", first=number(float(after[:, 0].mean()), 3), last=number(float(after[:, -1].mean()), 3)
    )
    caption(
        chapter,
        "stream",
        at_hand.provenance(f"|{stack}.layers.*.sublayer.*.(output, branch)|", *lengths.shape),
        numbers=lengths,
        columns=[say("stream.start"), *names, *(f"+ {name}" for name in names)],
        code=[stream_norms],
        snippet=stream_snippet(recording_snippet(at_hand, sequences), stack),
    )


def stream_snippet(recording: str, stack: str) -> str:
    return (
        f"{recording}paths = [path for path in trace if path.startswith('{stack}.') and path.endswith('.branch')]\n"
        "stream = [trace[paths[0].replace('.branch', '.input')]]\n"
        "stream += [trace[path.replace('.branch', '.output')] for path in paths]\n"
        "added = [trace[path] for path in paths]\n"
        "shown = torch.stack([x[0].norm(dim=-1) for x in stream + added], dim=1)\nprint(shown)\n"
    )


def _short(chapter: Chapter, path: str) -> str:
    """`1 ffn` for encoder.layers.1.sublayer.1."""
    stack, _, n, _, i = path.split(".")
    return f"{n} {chapter.say(f'short.{SUBLAYERS[stack][int(i)]}')}"
