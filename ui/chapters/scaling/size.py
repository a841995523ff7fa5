"""How scores grow with d_k, measured on sampled vectors, with and without 1/√d_k; a few one by one."""

import math
from functools import lru_cache, partial

import streamlit as st
import torch
from torch import Tensor

from transformer_core import SoftmaxSteps, softmax_steps
from transformer_core.experiments.score_size import (
    SampledProducts,
    SizeStatistics,
    sampled_products,
    sharpness,
    size_statistics,
)
from ui.cache import cached
from ui.chapters.shared.attention_values import numbered, pairs
from ui.figures import (
    Board,
    Curves,
    Figure,
    Operand,
    Panel,
    ProgramArgument,
    Style,
    XAxis,
    YAxis,
    curves,
    number,
    runnable,
)
from ui.figures.formula import CELL, I, J, Matrix
from ui.figures.paper import product, scaled, softmax
from ui.sections import Chapter, Quantity, Section, controls, fragment, provenance, show
from ui.settings.fields import CellSetting, Settings, by_click, cell, whole
from ui.theme import css

SHOWN = 4  # queries
END = 8.0  # of the colours of all scores: eight standard deviations of q·k / √d_k, one of q·k where d_k is 64


class OfFew(Settings):
    few_cell: CellSetting = cell("plain", 0, 0)


def of_the_first(products: Tensor, d_k: int) -> Tensor:
    """The scores of the first queries, without 1/√d_k: (SHOWN, keys)."""
    return products[d_k - 1, :SHOWN]


def few(chapter: Chapter[OfFew], given: ProgramArgument, sample: SampledProducts, d_k: int, origin: str) -> None:
    say = chapter.say
    keys = sample.products.size(2)
    st.markdown(say("few.text", shown=SHOWN, keys=keys))
    operands = [
        Operand("q", sample.q[:SHOWN, 0, :d_k].numpy(), meaning="query"),
        Operand("k", sample.k[:SHOWN, :, :d_k].flatten(0, 1).numpy(), meaning="key"),  # each query has its own
    ]
    figure = Figure(
        "few",
        Board(_panels(chapter, sample, d_k), operands, result="plain"),
        origin,
        code=[sampled_products, softmax_steps, SoftmaxSteps],
        program=runnable(of_the_first, given, d_k),
        alt=say("few.alt", d_k=d_k),
    )
    show(chapter, figure)


def _panels(chapter: Chapter[OfFew], sample: SampledProducts, d_k: int) -> list[Panel]:
    """Scores and their weights, first without the scale, then with it."""
    say = chapter.say
    plain = of_the_first(sample.products, d_k)
    keys = plain.size(1)
    panel = partial(pairs(chapter, numbered(keys), numbered(SHOWN)), digits=4)
    q, k = Matrix("q"), Matrix("k")
    products = product(q, k, d_k, key=CELL)
    divided = scaled(Matrix("plain")[I, J], d_k)
    panels = []
    for at, (name, scores, made, symbol) in enumerate(
        (("plain", plain, products, "s"), ("scaled", plain / d_k**0.5, divided, "s′"))
    ):
        title = say(f"size.{name}")
        panels += [
            panel(name, scores.numpy(), title, high=END, place=(0, 2 * at), made=made, symbol=symbol),
            panel(
                f"{name}_weights",
                scores.softmax(-1).numpy(),
                f"softmax({title})",
                scale="probability",
                place=(0, 2 * at + 1),
                made=softmax(Matrix(name), keys),
                symbol="α",
            ),
        ]
    return panels


COLORS = {"plain": "wrong", "scaled": "right"}  # without 1/√d_k, with it
LARGEST = 512
D_K = 64  # that is asked about
QUERIES, KEYS = 400, 10
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
ENDS = {"entropy": 2.5, "jacobian_norm": 0.5}  # of the axes: no entropy over ten keys exceeds 2.3


def drawn(seed: int) -> SampledProducts:
    """For every d_k from 1 to LARGEST."""
    return sampled_products(torch.arange(1, LARGEST + 1), QUERIES, KEYS, torch.Generator().manual_seed(seed))


def sample_of(seed: int) -> SampledProducts:
    """The same, shared: never to be changed."""
    return cached.get_or_make(("products", seed), lambda: drawn(seed))


@lru_cache(maxsize=64)
def end_of(seed: int) -> int:
    """Of the axis of scores, whatever d_k is: it stays when only that changes."""
    return 10 * math.ceil(float(sample_of(seed).products.abs().max()) / 10)


def statistics(products: torch.Tensor) -> torch.Tensor:
    """(n, 7): each of SIZES, then the statistics without 1/√d_k and with it; products (LARGEST, queries, keys)."""
    sizes = torch.tensor(SIZES)
    plain = products[sizes - 1]
    both = *size_statistics(plain), *size_statistics(plain / sizes.sqrt().reshape(-1, 1, 1))
    return torch.stack([sizes, *both], dim=1)


@lru_cache(maxsize=64)
def statistics_of(seed: int) -> torch.Tensor:
    """Shared, never changed."""
    return statistics(sample_of(seed).products)


def shares(products: torch.Tensor, d_k: int, end: int) -> torch.Tensor:
    """(2 end + 1, 3): each whole number from -end to end, and which share of the scores is nearest to it, first without
    1/√d_k, then with it."""
    whole = torch.arange(-end, end + 1)
    edges = torch.arange(-end - 0.5, end + 1)
    both = [products[d_k - 1].flatten(), products[d_k - 1].flatten() / d_k**0.5]
    return torch.stack([whole, *(torch.histogram(each, edges).hist / len(each) for each in both)], dim=1)


SPREAD = Quantity(
    "spread", D_K**0.5, {"spread.wrong.variance": D_K, "spread.wrong.one": 1.0, "spread.wrong.square": D_K**2.0}
)


class SampleSettings(Settings):
    seed: int = by_click(whole(0, 0, 9999))


class Size(OfFew, SampleSettings):
    d_k: int = whole(64, 1, LARGEST)


@Section("size", settings=Size, text="text", why="why", first=SPREAD)
def size(chapter: Chapter[Size]) -> None:
    _draw_again(chapter)
    _one_size(chapter)
    show(chapter, _every_size(chapter))


def _draw_again(chapter: Chapter[Size]) -> None:
    seed = chapter.settings.seed
    if not chapter.hides("seed"):
        following = partial(chapter.put, "seed", (seed + 1) % 10_000)
        label = chapter.say("draw_again", seed=seed)
        st.button(label, icon=":material/casino:", key="scaling.draw_again", on_click=chapter.then(following))


@fragment
def _one_size(chapter: Chapter[Size]) -> None:
    say = chapter.say
    d_k = controls.slider(chapter, "d_k")
    seed = chapter.settings.seed
    sample = sample_of(seed)
    plain = sample.products[d_k - 1 : d_k]  # (1, queries, keys)
    scores = {"plain": plain, "scaled": plain / d_k**0.5}
    names = {name: say(f"size.{name}") for name in scores}
    end = end_of(seed)
    of_sample = ProgramArgument("products", _text(seed))
    numbers = shares(sample.products, d_k, end).numpy()
    pictures = [
        curves(
            numbers[:, 0],
            {names[name]: numbers[:, at]},
            x_axis=XAxis(names[name]),
            y_axis=YAxis(say("size.share")),
            style=Style(colors=[css(COLORS[name])]),
            height=240,
        )
        for at, name in enumerate(scores, 1)
    ]
    figure = Figure(
        "histogram",
        pictures,
        origin(seed, QUERIES, KEYS),
        numbers,
        [say("size.score"), *names.values()],
        code=[sampled_products, size_statistics],
        program=runnable(shares, of_sample, d_k, end),
        alt=[say("size.histogram_alt", name=name, d_k=d_k) for name in names.values()],
    )
    show(chapter, figure)
    measured = [size_statistics(values) for values in scores.values()]
    st.dataframe(
        {
            f"d_k = {d_k}": list(names.values()),
            **{
                say(f"size.{field}"): [number(float(getattr(found, field)), 4) for found in measured]
                for field in SizeStatistics._fields
            },
        },
        hide_index=True,
    )
    few(chapter, of_sample, sample, d_k, origin(seed, SHOWN, KEYS))


def _every_size(chapter: Chapter[Size]) -> Figure:
    say, seed = chapter.say, chapter.settings.seed
    numbers, names = statistics_of(seed).numpy(), [say(f"size.{name}") for name in COLORS]
    titles = {field: say(f"size.{field}") for field in SizeStatistics._fields}

    def curve(at: int, field: str) -> Curves:
        return curves(
            numbers[:, 0],
            {name: numbers[:, 1 + at + len(titles) * which] for which, name in enumerate(names)},
            x_axis=XAxis("d_k", log=True),
            y_axis=YAxis(
                titles[field], log=field == "variance", range=None if field == "variance" else (0.0, ENDS[field])
            ),
            style=Style(colors=[css(meaning) for meaning in COLORS.values()], markers=True),
        )

    return Figure(
        "sizes",
        [curve(at, field) for at, field in enumerate(titles)],
        origin(seed, len(SIZES), QUERIES, KEYS),
        numbers,
        ["d_k", *(f"{title}, {name}" for name in names for title in titles.values())],
        code=[sampled_products, size_statistics, sharpness],
        program=runnable(statistics, ProgramArgument("products", _text(seed))),
        alt=[say("size.curve_alt", name=title) for title in titles.values()],
    )


def _text(seed: int) -> str:
    """A program that leaves the sample's products in `products`."""
    return runnable(drawn, seed, then=".products", name="products") + "\n"


def origin(seed: int, *shape: int, part: str = "") -> str:
    """Of all that is sampled, or of a `part` of it."""
    return provenance(f"sampled_products(d_k = 1…{LARGEST}){part}", *shape) + f" · seed {seed}"
