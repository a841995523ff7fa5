"""The work of the next token against the length, with a cache and without: products by formula, and time measured."""

from typing import cast

import numpy as np
import streamlit as st

from transformer_core import DecoderOnly
from transformer_core.experiments.answer_cost import AnswerSizes, measure_answer, products_of_token
from transformer_core.experiments.decoding_cost import DecodingTime
from ui.cache import cached
from ui.chapters.answer_cost.memory import ENDS, POINTS, Memory, sizes_argument, sizes_of
from ui.figures import TWO_COLORS, Figure, Style, XAxis, YAxis, curves, number, runnable
from ui.model.rows import model_of_rows_snippet, row_kind
from ui.model.shipped import one_stack
from ui.sections import AnyChapter, Chapter, Section, show

WAYS = ("without", "cached")
KEY = "answer time"


def work_table(sizes: AnswerSizes, first: int, last: int) -> np.ndarray:
    """(POINTS, 3): n, and the products of the next token without a cache and with it."""
    n = np.geomspace(first, last, POINTS)
    return np.column_stack([n, *(products_of_token(sizes, n, cached=cached) for cached in (False, True))])


@Section("work", reads=(Memory,), text="text")
def work(chapter: AnyChapter) -> None:
    say, size = chapter.say, chapter.of(Memory).settings.cache_of
    kind = row_kind("gpt", chapter.at_hand)
    sizes, (first, last) = sizes_of(size, kind), ENDS[size]
    table, names = work_table(sizes, first, last), [say(f"work.{way}") for way in WAYS]
    figure = Figure(
        "work",
        curves(
            table[:, 0], dict(zip(names, table[:, 1:].T / 1e6)), x_axis=XAxis(say("tokens"), log=True),
            y_axis=YAxis(say("work.products"), log=True), style=Style(colors=TWO_COLORS[::-1]), height=320,
        ),
        f"products_of_token({', '.join(f'{name} {value}' for name, value in sizes._asdict().items())})",
        numbers=table,
        columns=["n", *names],
        code=[products_of_token],
        program=runnable(work_table, sizes_argument(sizes), first, last),
        alt=say("work.alt", last=f"{last:,}"),
    )  # fmt: skip
    show(chapter, figure)
    chapter.write("work.said", last=f"{last:,}", times=f"{float(number(table[-1, 1] / table[-1, 2], 3)):,.0f}")
    _time(chapter, kind)


def _time(chapter: Chapter[Memory], kind: str) -> None:
    say, points = chapter.say, cast(list[DecodingTime] | None, cached.get((KEY, kind)))
    if st.button(say("work.again" if points else "work.measure"), key="answer_cost.measure", icon=":material/timer:"):
        points = cached.put((KEY, kind), list(measure_answer(cast(DecoderOnly, one_stack(kind).model))))
    if not points:
        return
    times, names = np.array(points), [say(f"work.{way}") for way in WAYS]
    figure = Figure(
        "times",
        curves(
            times[:, 0], dict(zip(names, times[:, 1:].T * 1e3)), x_axis=XAxis(say("tokens")),
            y_axis=YAxis(say("work.time")), style=Style(colors=TWO_COLORS[::-1], markers=True), height=280,
        ),
        f"measure_answer({kind}) · float32 · 1 thread",
        numbers=times,
        columns=["n", *names],
        code=[measure_answer],
        program=(
            f"{model_of_rows_snippet(kind)}from transformer_core.experiments.answer_cost import measure_answer\n\n"
            "torch.set_num_threads(1)\nshown = list(measure_answer(model))\nprint(*shown, sep='\\n')\n"
        ),
        alt=say("work.times_alt"),
    )  # fmt: skip
    show(chapter, figure)
    last = points[-1]
    chapter.write("work.measured", n=last.n, times=number(last.without / last.cached, 2))
