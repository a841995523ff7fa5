"""With a cache of keys and values and without: the same numbers, fewer products, and the time that each takes."""

from functools import partial

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import CachedDecoder, EncoderDecoder, cached_decode, greedy_decode, padding_mask
from transformer_core.decoding.cache import CachedLayer
from transformer_core.experiments.decoding_cost import (
    LENGTHS,
    DecoderSizes,
    DecodingTime,
    measure_decoding,
    products_of_turn,
    products_so_far,
)
from ui.cache import cached
from ui.chapters.decoding.turns import Loop, start_of
from ui.chapters.decoding.values import turns_of
from ui.chapters.shared.forced_prefix import Tokens
from ui.chapters.shared.model_program import model_snippet
from ui.figures import (
    TWO_COLORS,
    Curves,
    Figure,
    ProgramArgument,
    Style,
    XAxis,
    YAxis,
    curves,
    large_unit,
    number,
    runnable,
)
from ui.model import measured
from ui.sections import AnyChapter, Chapter, Choice, Frame, Section, controls, predict, show
from ui.sections.sequence_fields import typed
from ui.settings.fields import Settings, whole

SECONDS = 3.0  # of this server, about, that one measurement may take
WAYS = ("without", "cached")

ANEW = Choice("anew", ("all", "keys", "row"), right="row")


class Cache(Settings):
    cache_turns: int = whole(40, 2, 500)  # tokens written, along the curves


@Section("cache", settings=Cache, reads=(Loop, Frame), text="text", asks=(ANEW,))
def cache(chapter: Chapter[Cache]) -> None:
    src, at_hand = typed(chapter, "src"), chapter.at_hand
    if len(src) < 2:
        st.info(chapter.say("unread"))
        return
    if not predict(chapter, ANEW):
        return
    turns = turns_of(at_hand, src, start_of(chapter))
    given = tuple(turns[-1].given)
    found = measured(at_hand, ("cached", src, given), partial(_cached, src, given))["log_probs"]
    without = np.log(np.stack([turn.probabilities for turn in turns]).astype(np.float64))
    largest = float(np.abs(found.numpy() - without).max())
    chapter.write("cache.same", gap=number(largest, 2), turns=len(turns))
    _products(chapter, src)
    chapter.write("cache.why")
    _time(chapter, src)


def _cached(src: Tokens, given: Tokens, model: EncoderDecoder) -> dict[str, Tensor]:
    """Log-probabilities (turns, vocab) with the cache, after each of the tokens that the loop has written."""
    source = torch.tensor([src])
    mask = padding_mask(source)
    with torch.inference_mode():
        decoder = CachedDecoder(model, model.encode(source, mask), mask)
        return {"log_probs": torch.cat([decoder.next(torch.tensor([token])) for token in given])}


def products(sizes: DecoderSizes, most: int) -> np.ndarray:
    """(most, 5): t, the products of turn t without a cache and with it, and those of all turns so far."""
    t = np.arange(1, most + 1)
    turn = [products_of_turn(sizes, t, cached=cached) for cached in (False, True)]
    so_far = [products_so_far(sizes, most, cached=cached) for cached in (False, True)]
    return np.column_stack([t, *turn, *so_far])


def _products(chapter: Chapter[Cache], src: Tokens) -> None:
    say, config = chapter.say, chapter.at_hand.config
    most = controls.slider(chapter, "cache_turns")
    sizes = DecoderSizes(config.N, config.d_model, config.d_ff, len(chapter.at_hand.target), len(src))
    found = products(sizes, most)
    counted = {"turn": found[:, 1:3], "so_far": found[:, 3:]}
    ways, unit = [say(f"cache.{way}") for way in WAYS], large_unit(chapter.lang)
    figure = Figure(
        "products",
        [_curves(chapter, found[:, 0], each / unit, say(f"cache.{name}")) for name, each in counted.items()],
        f"products_of_turn, products_so_far · {' · '.join(f'{k} {v}' for k, v in sizes._asdict().items())}",
        numbers=found,
        columns=["t", *ways, *(f"Σ {name}" for name in ways)],
        code=[products_of_turn, products_so_far, CachedDecoder, CachedLayer],
        program=runnable(products, ProgramArgument("sizes", f"sizes = {sizes}\n"), most),
        alt=[say("cache.turn_alt", turns=most), say("cache.so_far_alt", turns=most)],
    )
    show(chapter, figure)
    said: dict[str, object] = {}
    for name, each in counted.items():
        without, cached = each[-1]
        said |= {name: number(float(without / cached), 3)}
        said |= {f"{name}_without": f"{without:,}", f"{name}_cached": f"{cached:,}"}
    chapter.write("cache.counts", turns=most, **said)


def _curves(
    chapter: AnyChapter, x: np.ndarray, both: np.ndarray, title: str, *, markers: bool = False, height: int = 320
) -> Curves:
    """`both` (points, 2): without the cache and with it."""
    say = chapter.say
    return curves(
        x,
        {say(f"cache.{way}"): values for way, values in zip(WAYS, both.T)},
        x_axis=XAxis(say("cache.written")),
        y_axis=YAxis(title),
        style=Style(colors=TWO_COLORS[::-1], dashed=[say("cache.without")], markers=markers),
        height=height,
    )


def _time(chapter: AnyChapter, src: Tokens) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    key = ("decoding time", at_hand, src)
    points: list[DecodingTime] | None = cached.get(key)
    place, bar = st.empty(), st.empty()

    def asked(kind: str) -> bool:
        return place.button(say(f"cache.{kind}"), key=f"decoding.{kind}", icon=":material/timer:")

    anew = points is not None
    if asked("again" if anew else "measure"):
        points = []
        source = torch.tensor([src])
        for point in measure_decoding(at_hand.load(), source, padding_mask(source), SECONDS):
            points.append(point)
            bar.progress(len(points) / len(LENGTHS), say("cache.measuring"))
        cached.put(key, points)
        bar.empty()
        if not anew:
            asked("again")
    if points:
        _times(chapter, src, points)


def _times(chapter: AnyChapter, src: Tokens, points: list[DecodingTime]) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    times = np.array(points)
    figure = Figure(
        "times",
        _curves(chapter, times[:, 0], times[:, 1:] * 1e3, say("cache.milliseconds"), markers=True, height=300),
        f"measure_decoding · 1 × {len(src)} · float32",
        numbers=times,
        columns=["n", say("cache.without"), say("cache.cached")],
        code=[measure_decoding, greedy_decode, cached_decode],
        program=(
            f"{model_snippet(at_hand)}from transformer_core import padding_mask\n"
            "from transformer_core.experiments.decoding_cost import measure_decoding\n\n"
            f"torch.set_num_threads(1)\nsrc = torch.tensor([{list(src)}])\n"
            f"shown = list(measure_decoding(model, src, padding_mask(src), {SECONDS}))\nprint(*shown, sep='\\n')\n"
        ),
        alt=say("cache.times_alt"),
    )
    show(chapter, figure)
    last = points[-1]
    chapter.write("cache.times", n=last.n, times=number(last.without / last.cached, 2), first=points[0].n,
                  first_times=number(points[0].without / points[0].cached, 2))  # fmt: skip
