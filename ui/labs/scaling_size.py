"""Scaling lab: how scores grow with d_k, measured on sampled vectors, with and without 1/√d_k."""

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core.score_size import SizeStatistics, sampled_products, sharpness, size_statistics
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import chart
from ui.figures.arithmetic import number
from ui.figures.softmax_curves import against_size, histogram
from ui.labs import scaling_snippets
from ui.shell import Chapter

LARGEST = 512
QUERIES, KEYS = 400, 10
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


@st.cache_data(max_entries=4, show_spinner=False)
def products_of(seed: int) -> Tensor:
    """q·k for every d_k from 1 to LARGEST: (LARGEST, QUERIES, KEYS)."""
    generator = torch.Generator().manual_seed(seed)
    return sampled_products(torch.arange(1, LARGEST + 1), QUERIES, KEYS, generator)


@st.fragment
def size_lab(chapter: Chapter) -> None:
    """One d_k: how often each score occurs."""
    say = chapter.say
    d_k = controls.slider(chapter, "d_k")
    seed = chapter.settings.seed
    plain = products_of(seed)[d_k - 1 : d_k]  # (1, queries, keys)
    scaled = plain / d_k**0.5
    labels = {name: say(f"size.{name}") for name in ("plain", "scaled", "score", "share")}
    picture = histogram(plain.flatten().numpy(), scaled.flatten().numpy(), labels, chapter.mode)
    chart(chapter, "histogram", picture, alt=say("size.histogram_alt", d_k=d_k))
    statistics = {name: size_statistics(scores) for name, scores in (("plain", plain), ("scaled", scaled))}
    st.dataframe(
        {
            f"d_k = {d_k}": [say("size.plain"), say("size.scaled")],
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
        columns=[say("size.plain"), say("size.scaled")],
        code=[sampled_products, size_statistics],
        snippet=scaling_snippets.sizes([d_k], LARGEST, QUERIES, KEYS, seed),
    )


def size_curves(chapter: Chapter) -> None:
    """All d_k: variance, entropy and size of the Jacobian."""
    say, seed = chapter.say, chapter.settings.seed
    sizes = torch.tensor(SIZES)
    products = products_of(seed)[sizes - 1]  # (n, queries, keys)
    plain, scaled = size_statistics(products), size_statistics(products / sizes.sqrt().reshape(-1, 1, 1))
    for field, place in zip(SizeStatistics._fields, st.columns(3)):
        labels = {"plain": say("size.plain"), "scaled": say("size.scaled"), "y": say(f"size.{field}")}
        without, with_ = getattr(plain, field).numpy(), getattr(scaled, field).numpy()
        picture = against_size(sizes.numpy(), without, with_, labels, chapter.mode, log=field == "variance")
        with place:
            chart(chapter, field, picture, alt=say("size.curve_alt", name=say(f"size.{field}")))
    caption(
        chapter,
        "sizes",
        origin(seed, len(SIZES), QUERIES, KEYS),
        numbers=torch.stack([sizes.float(), *plain, *scaled], dim=1).numpy(),
        columns=[
            "d_k",
            *(
                f"{say(f'size.{field}')}, {say(f'size.{name}')}"
                for name in ("plain", "scaled")
                for field in plain._fields
            ),
        ],
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
