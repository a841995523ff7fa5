"""The scores that the chapter is about: those of a word in the model at hand, or numbers that the reader types."""

from typing import NamedTuple

import streamlit as st
import torch

from transformer_core import PAD, START
from ui.chapters.scaling import programs
from ui.chapters.shared.attention_values import path, recording
from ui.figures import Operand, number
from ui.figures.formula import Formula, I, Matrix
from ui.figures.paper import product, scaled
from ui.inputs.sequence import shifted
from ui.inputs.typed_numbers import Mistyped, numbers
from ui.model import recorded
from ui.sections import Chapter, controls, sequence
from ui.sections.sequence_fields import field, typed
from ui.settings.fields import Settings, choice, text, whole

FEWEST, MOST = 2, 12
LARGEST = 1000


class OfScores(Settings):
    """Typed, or of a word in the model at hand."""

    which_scores: str = choice("typed", "model", "typed")
    layer: int = whole(0, 0, 5)
    head: int = whole(0, 0, 15)
    word: int = whole(0, 0, 63)
    scores: str = text("0.6052 -0.2023 -1.3294 -0.2546 1.5445", 200)  # the notes' five


class NotScores(Mistyped):
    """Its key is the last part of that of a text in the chapter's words."""


class QueryScores(NamedTuple):
    """One query's scores, one for each key, and what is said of them. `program` leaves them in `scores`, float64."""

    values: tuple[float, ...]
    rows: list[str]  # their labels where each is a row
    columns: list[str]  # and where each is a column
    said: str  # the last part of the key of a text
    origin: str
    program: str
    made: Formula | None = None
    operands: tuple[Operand, ...] = ()


def parse(text: str) -> tuple[float, ...]:
    """Numbers separated by spaces or commas. NotScores: "few", "many", "letters", "no_number" (NaN, ∞) or "huge"."""
    scores = numbers(text, NotScores, LARGEST)
    if len(scores) < FEWEST:
        raise NotScores("few", fewest=FEWEST, most=MOST)
    if len(scores) > MOST:
        raise NotScores("many", count=len(scores), most=MOST)
    return scores


def scores_of(chapter: Chapter[OfScores]) -> QueryScores | None:
    """As they are set; the last ones while what is typed are none, or None where there were none."""
    if chapter.settings.which_scores == "model":
        return _of_a_word(chapter, typed(chapter, "src"))
    values, _ = field(chapter, "scores", parse)
    if values is None:
        return None
    names = [str(i) for i in range(len(values))]
    return QueryScores(values, names, [number(score, 6) for score in values], "typed", "scores", programs.typed(values))


def fields(chapter: Chapter[OfScores]) -> QueryScores | None:
    """The fields that set them; None once it is said what is wrong with what is typed."""
    if chapter.settings.which_scores == "model":
        _word(chapter)
    else:
        _given(chapter)
    return scores_of(chapter)


def _given(chapter: Chapter[OfScores]) -> None:
    try:
        parse(controls.text(chapter, "scores"))
    except NotScores as problem:
        st.warning(chapter.say(f"scores_problem.{problem.key}", **problem.values))


def _word(chapter: Chapter[OfScores]) -> None:
    left, right = st.columns(2)
    below = st.container()
    with left:
        src = sequence(chapter, "src", below=below)
    with right, st.container(horizontal=True):
        controls.named(chapter, "word", [chapter.at_hand.source.labels(src)[at] for at in _real(src)])
        controls.number_of(chapter, "layer", chapter.at_hand.config.N)
        controls.number_of(chapter, "head", chapter.at_hand.config.h)


def _of_a_word(chapter: Chapter[OfScores], src: tuple[int, ...]) -> QueryScores:
    """Those of the encoder's self-attention. Paddings are left out, as its mask leaves them out."""
    settings, at_hand = chapter.settings, chapter.at_hand
    config, real = at_hand.config, _real(src)
    layer, head = min(settings.layer, config.N - 1), min(settings.head, config.h - 1)
    row = real[min(settings.word, len(real) - 1)]
    sequences = shifted(src, (START,), config.vocabularies)
    where = path("encoder", layer)
    trace = recorded(at_hand, src, sequences.given)
    query, key, scores = (trace[f"{where}.{name}"][0, head] for name in ("query", "key", "scores"))
    d_k = query.size(1)
    q, k = Matrix("q"), Matrix("k")
    made = scaled(product(q, k, d_k, 0, I), d_k if config.scale else None)
    names = [sequences.sources[at] for at in real]
    picked = f"{where}.scores[0, {head}, {row}]"
    kept = "" if len(real) == len(src) else "[src[0] != 0]"
    return QueryScores(
        tuple(scores[row, real].to(torch.float64).tolist()),
        names,
        names,
        "model" if config.scale else "unscaled",
        picked,
        f"{recording(at_hand, sequences)}scores = trace['{where}.scores'][0, {head}, {row}]{kept}.double()\n",
        made,
        (
            Operand("q", query[row : row + 1].numpy(), meaning="query"),
            Operand("k", key[real].numpy(), meaning="key"),
        ),
    )


def _real(src: tuple[int, ...]) -> list[int]:
    return [at for at, token in enumerate(src) if token != PAD]
