"""Scaling lab: how scores grow with d_k, measured on sampled vectors, with and without 1/√d_k."""

import math
from functools import lru_cache

import numpy as np
import streamlit as st
import torch

from transformer_core.score_size import SampledProducts, SizeStatistics, sampled_products, sharpness, size_statistics
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import chart
from ui.figures.arithmetic import number
from ui.figures.curves import curves
from ui.fragment import fragment
from ui.kept import kept
from ui.labs import scaling_snippets
from ui.labs.scaling_few import SHOWN, few_lab
from ui.shell import Chapter
from ui.theme import color

COLORS = {"plain": "wrong", "scaled": "right"}  # without 1/√d_k, with it
LARGEST = 512
QUERIES, KEYS = 400, 10
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
ENDS = {"entropy": 2.5, "jacobian_norm": 0.5}  # of the axes: no entropy over ten keys exceeds 2.3


def sample_of(seed: int) -> SampledProducts:
    """For every d_k from 1 to LARGEST; shared, never changed."""
    sizes = torch.arange(1, LARGEST + 1)
    return kept.made(
        ("products", seed), lambda: sampled_products(sizes, QUERIES, KEYS, torch.Generator().manual_seed(seed))
    )


@lru_cache(maxsize=64)
def end_of(seed: int) -> int:
    """Of the axis of scores, whatever d_k is: it stays when only that changes."""
    return 10 * math.ceil(float(sample_of(seed).products.abs().max()) / 10)


@lru_cache(maxsize=64)
def statistics_of(seed: int) -> tuple[SizeStatistics, SizeStatistics]:
    """Of all SIZES, (n,) each, without 1/√d_k and with it; shared, never changed."""
    sizes = torch.tensor(SIZES)
    products = sample_of(seed).products[sizes - 1]  # (n, queries, keys)
    return size_statistics(products), size_statistics(products / sizes.sqrt().reshape(-1, 1, 1))


@fragment
def size_lab(chapter: Chapter) -> None:
    """One d_k: how often each score occurs, and a few scores one by one."""
    say = chapter.say
    d_k = controls.slider(chapter, "d_k")
    seed = chapter.settings.seed
    sample = sample_of(seed)
    plain = sample.products[d_k - 1 : d_k]  # (1, queries, keys)
    scaled = plain / d_k**0.5
    names = {name: say(f"size.{name}") for name in COLORS}
    end = end_of(seed)
    for scores, (name, title), place in zip((plain, scaled), names.items(), st.columns(2)):
        picture = curves(
            np.arange(-end, end + 1),
            {title: shares_of(scores.numpy(), end)},
            chapter.mode,
            x_title=title,
            y_title=say("size.share"),
            colors=[color(COLORS[name], chapter.mode)],
            height=240,
        )
        with place:
            chart(chapter, f"histogram_{name}", picture, alt=say("size.histogram_alt", name=title, d_k=d_k))
    statistics = {name: size_statistics(scores) for name, scores in (("plain", plain), ("scaled", scaled))}
    st.dataframe(
        {
            f"d_k = {d_k}": list(names.values()),
            **{
                say(f"size.{field}"): [number(float(getattr(found, field)), 4) for found in statistics.values()]
                for field in SizeStatistics._fields
            },
        },
        hide_index=True,
    )
    caption(
        chapter,
        "histogram",
        origin(seed, QUERIES, KEYS),
        numbers=np.column_stack([plain[0].numpy().ravel(), scaled[0].numpy().ravel()]),
        columns=list(names.values()),
        code=[sampled_products, size_statistics],
        snippet=scaling_snippets.sizes([d_k], LARGEST, QUERIES, KEYS, seed),
    )
    few_lab(chapter, sample, d_k, float(end), origin(seed, SHOWN, KEYS))


def shares_of(scores: np.ndarray, end: int) -> np.ndarray:
    """Which share of the scores is nearest to each whole number from -end to end."""
    return np.histogram(scores, np.arange(-end - 0.5, end + 1))[0] / scores.size


def size_curves(chapter: Chapter) -> None:
    """All d_k: variance, entropy and size of the Jacobian."""
    say, seed = chapter.say, chapter.settings.seed
    sizes = torch.tensor(SIZES)
    plain, scaled = statistics_of(seed)
    names = {name: say(f"size.{name}") for name in COLORS}
    for field, place in zip(SizeStatistics._fields, st.columns(3)):
        picture = curves(
            sizes.numpy(),
            {name: getattr(found, field).numpy() for name, found in zip(names.values(), (plain, scaled))},
            chapter.mode,
            x_title="d_k",
            y_title=say(f"size.{field}"),
            colors=[color(COLORS[name], chapter.mode) for name in names],
            markers=True,
            log_x=True,
            log_y=field == "variance",
            y_range=None if field == "variance" else (0.0, ENDS[field]),
        )
        with place:
            chart(chapter, f"size_{field}", picture, alt=say("size.curve_alt", name=say(f"size.{field}")))
    caption(
        chapter,
        "sizes",
        origin(seed, len(SIZES), QUERIES, KEYS),
        numbers=torch.stack([sizes.float(), *plain, *scaled], dim=1).numpy(),
        columns=["d_k", *(f"{say(f'size.{field}')}, {name}" for name in names.values() for field in plain._fields)],
        code=[sampled_products, size_statistics, sharpness],
        snippet=scaling_snippets.sizes(SIZES, LARGEST, QUERIES, KEYS, seed),
    )


def draw_again(chapter: Chapter) -> None:
    """A button for another sample: the next seed."""
    if not chapter.hides("seed"):
        seed = chapter.settings.seed
        label = chapter.say("draw_again", seed=seed)
        st.button(label, icon=":material/casino:", on_click=chapter.put, args=["seed", (seed + 1) % 10_000])


def origin(seed: int, *shape: int) -> str:
    return provenance(f"sampled_products(d_k = 1…{LARGEST})", *shape) + f" · seed {seed}"
