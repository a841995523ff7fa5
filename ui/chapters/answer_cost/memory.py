"""The bytes of a cache against the length: with all heads, in groups, with one head, and within a window."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
import streamlit as st

from transformer_core import DecoderOnly
from transformer_core.after_2017.continuing import CachedReader
from transformer_core.after_2017.make import build
from transformer_core.experiments.answer_cost import LENGTHS, AnswerSizes, bytes_kept, cache_bytes
from ui.cache import cached
from ui.figures import Dots, Figure, ProgramArgument, Style, XAxis, YAxis, curves, number, runnable
from ui.model.rows import row_kind
from ui.model.shipped import one_stack
from ui.sections import Chapter, Choice, Section, controls, predict, show
from ui.settings.fields import Settings, choice, whole
from ui.theme import css

KINDS = ("all", "grouped", "one", "window")
COLORS = {"all": "decoder", "grouped": "key", "one": "value", "window": "attention"}
SEVENTY = AnswerSizes(80, 8192, 28672, 64, 64, 128_256, 2)  # of Llama 3 70B but for the groups, in 16 bits
GROUPS = {"here": 2, "seventy": 8}
ENDS = {"here": (4, 256), "seventy": (128, 131_072)}
POINTS = 41
HALF = Choice("half", ("heads", "quarter", "nothing"), right="heads")


class Memory(Settings):
    cache_of: str = choice("here", "here", "seventy")
    window: int = whole(64, 1, 32_768)


def sizes_of(size: str, kind: str) -> AnswerSizes:
    """Of the shipped GPT of this kind, or of a model of 70 billion parameters."""
    if size == "seventy":
        return SEVENTY
    shape = one_stack(kind).model.shape
    return AnswerSizes(shape.N, shape.d_model, shape.d_ff, shape.h, shape.h, shape.vocab, 4)


def cache_table(sizes: AnswerSizes, groups: int, window: int, first: int, last: int) -> np.ndarray:
    """(POINTS, 5): n, and the bytes with all heads, in groups, with one head, and within the window."""
    n = np.geomspace(first, last, POINTS)
    few, one = sizes._replace(groups=groups), sizes._replace(groups=1)
    return np.column_stack([n, *(cache_bytes(each, n) for each in (sizes, few, one)), cache_bytes(sizes, n, window)])


def measured_bytes(window: int) -> dict[str, list[int]]:
    """Of models of the shipped GPTs' size with each kind of cache, which read LENGTHS tokens."""
    shape = one_stack("gpt").model.shape
    changes: dict[str, dict[str, Any]] = {
        "all": {},
        "grouped": {"groups": GROUPS["here"]},
        "one": {"groups": 1},
        "window": {"window": window},
    }
    return {
        kind: bytes_kept(cast(DecoderOnly, build(replace(shape, **change)).eval())) for kind, change in changes.items()
    }


@Section("memory", settings=Memory, look="lead", asks=(HALF,))
def memory(chapter: Chapter[Memory]) -> None:
    say = chapter.say
    above = chapter.figure_first()
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    with left:
        size = controls.choose(chapter, "cache_of")
    with right:
        window = controls.number(chapter, "window")
    sizes = sizes_of(size, row_kind("gpt", chapter.at_hand))
    groups, (first, last) = GROUPS[size], ENDS[size]
    table = cache_table(sizes, groups, window, first, last)
    names = {kind: say(f"kind.{kind}", h=sizes.h, groups=groups, window=window) for kind in KINDS}
    unit = 1e3 if size == "here" else 1e9
    dots = {}
    if size == "here":
        found = cached.get_or_make(("bytes kept", window), lambda: measured_bytes(window))
        all_bytes = np.concatenate([found[kind] for kind in KINDS])
        dots = {say("memory.measured"): Dots(np.tile(LENGTHS, len(KINDS)), all_bytes / unit, css("quiet"))}
    figure = Figure(
        "memory",
        curves(
            table[:, 0], {names[kind]: line / unit for kind, line in zip(KINDS, table[:, 1:].T)}, dots=dots,
            x_axis=XAxis(say("tokens"), log=True), y_axis=YAxis(say(f"unit.{size}"), log=True),
            style=Style([css(COLORS[kind]) for kind in KINDS], dashed=[] if size == "here" else list(names.values())),
            height=360,
        ),
        f"cache_bytes({', '.join(f'{name} {value}' for name, value in sizes._asdict().items())})",
        numbers=table,
        columns=["n", *names.values()],
        code=[cache_bytes, bytes_kept, CachedReader],
        program=runnable(cache_table, sizes_argument(sizes), groups, window, first, last),
        alt=say("memory.alt", last=f"{last:,}"),
    )  # fmt: skip
    show(above, figure)
    said = {kind: number(float(value) / unit, 3) for kind, value in zip(KINDS, table[-1, 1:])}
    per_token = f"{int(cache_bytes(sizes, np.ones(1))[0]):,}"
    chapter.write(f"memory.{size}", **said, last=f"{last:,}", token=per_token, groups=groups)
    if predict(chapter, HALF):
        chapter.write("memory.why")


def sizes_argument(sizes: AnswerSizes) -> ProgramArgument:
    return ProgramArgument("sizes", f"sizes = {sizes}\n")
