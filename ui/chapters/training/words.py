"""What a run has come to at one step, in numbers and in a sentence; and why guessing has the loss that it has."""

import math
from dataclasses import replace

import numpy as np
import streamlit as st

from transformer_core.tasks import Translation
from transformer_core.tasks.kinds import KINDS
from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import guess_of
from transformer_core.training.history import History
from transformer_core.training.probing import FOLLOWED
from transformer_core.training.recipes import OUTCOMES, TRIED
from ui.chapters.training.controls import shown_run
from ui.chapters.training.figures.run import dial, reach
from ui.chapters.training.recipe import Recipe
from ui.chapters.training.values import LEARNED, best_aligned, even_share, latest, learned_at, matched_at, reference_of
from ui.figures import number
from ui.figures.markup import Markup, element
from ui.sections import AnyChapter, Choice, Section
from ui.sections.inquiry import Inquiry, Version, inquire, ranked, short

GUESS = Choice("ask_guess", ("share", "log", "count"), right="log")
SIZES = 12, 21, 30, 51, 101, 401  # of vocabularies


def of_another(config: TrainConfig, seed: int) -> Version | None:
    """Of another vocabulary than the run's, without label smoothing."""
    sizes = [size for size in SIZES if size != config.tgt_vocab]
    size = sizes[seed % len(sizes)]
    other = replace(TrainConfig(), vocab=size, smoothing=0.0)
    loss, tokens = guess_of(other), size - 1
    said = {"size": size, "tokens": tokens, "loss": short(loss), "here": short(math.log(config.tgt_vocab - 1))}
    labels = ranked({"share": 1 / tokens, "log": loss, "count": tokens})
    return Version("log", said | {"own": config.tgt_vocab - 1}, labels)


GUESSED = Inquiry(GUESS, ("misses", "price", "tries"), "price", of_another)


@Section("guessing", reads=(Recipe,), inquires=(GUESSED,))
def guessing(chapter: AnyChapter) -> None:
    config = shown_run(chapter.of(Recipe))
    if inquire(chapter, GUESSED, lambda: config):
        chapter.write("formula", "why" if config.words is None else of_words(config, "why"))


def measured(history: History, at: int) -> dict[str, str]:
    """The loss at one step, and the exact match, which is the last one measured by then."""
    match = matched_at(history, at)
    return {
        "loss": number(float(history.loss[latest(history.step, at)]), 3),
        "match": "–" if match is None else f"{match[1]:.1%}",
    }


def readout(chapter: AnyChapter, config: TrainConfig, history: History, at: int) -> None:
    now = latest(history.step, at)
    values = {
        "step": f"{history.step[now]}",
        **measured(history, at),
        "rate": number(float(history.rate[now]), 2),
        "speed": f"{np.median(history.tokens_per_second[max(0, now - 20) : now + 1]):,.0f}",
    }
    cells = [
        element("div", element("small", chapter.say(f"readout.{name}")), element("b", value))
        for name, value in values.items()
    ]
    st.html(element("div", *cells, _one_weight(chapter, config, history, now), class_="readout"))


def _one_weight(chapter: AnyChapter, config: TrainConfig, history: History, now: int) -> Markup:
    began, value = float(history.weight[0]), float(history.weight[now])
    told = chapter.say("weight.told", name=FOLLOWED, parameters=f"{config.parameters:,}", began=number(began, 3))
    drawn = dial(value, began, reach(history.weight[: now + 1]))
    return element(
        "div",
        element("small", chapter.say("weight.name")),
        element("span", drawn, element("b", number(value, 3))),
        class_="one-weight",
        title=told,
    )


def what_it_learned(chapter: AnyChapter, config: TrainConfig, history: History, at: int) -> None:
    """This run so far in words: its loss, what comes out right, and whether a head looks where a person would."""
    seen = latest(history.probe_step, at)
    layer, head, weight = best_aligned(history.cross_attention[seen], reference_of(config))
    values: dict[str, object] = {
        "step": at,
        "seen": int(history.probe_step[seen]),
        **measured(history, at),
        "guess": number(guess_of(config), 3),
        "layer": layer,
        "head": head,
        "weight": number(weight, 2),
    }
    if config.pairs:
        chapter.write("this_run.measured_pairs", **values)
        return
    values["even"] = number(even_share(reference_of(config)), 2)
    if config.words is None:
        chapter.write("this_run.measured", **values)
        chapter.write("this_run.diagonal" if weight > 0.5 else "this_run.no_diagonal")
        return
    chapter.write("this_run.measured_words", **values)
    learned = {kind: learned_at(history, kind, at) for kind in KINDS} if config.task == "translate" else {}
    steps = sorted((step, kind) for kind, step in learned.items() if step is not None)
    if steps:
        listed = " · ".join(
            chapter.say("this_run.kind", kind=chapter.say(f"kind.{kind}"), step=step) for step, kind in steps
        )
        chapter.write("this_run.learned", listed=listed, share=f"{LEARNED:.0%}")


def how_sure(chapter: AnyChapter, config: TrainConfig) -> None:
    """What runs of the task's recipe came to, whatever their seed, where that was measured and this is one of them."""
    outcome = OUTCOMES.get(config.task)
    if outcome and config == TrainConfig.of_task(config.task, seed=config.seed):
        keys = (
            f"how_sure.{'some' if outcome.wrong else 'none'}",
            f"how_sure.{'not_all' if outcome.never else 'reached'}",
        )
        chapter.write(*keys, tried=f"{TRIED:,}", **outcome._asdict())


def of_words(config: TrainConfig, key: str) -> str:
    """The key of a text about a run of words, which says what is so of one language alone."""
    spanish = isinstance(config.words, Translation) and config.words.language == "es"
    return f"{key}_spanish" if spanish else f"{key}_words"


def of_task(config: TrainConfig, key: str) -> str:
    """The key of a text that is another one for sentences, for a reader's own pairs and for rows of letters."""
    if config.words is None:
        return key
    return {"translate": f"{key}_words", "pairs": f"{key}_pairs"}.get(config.task, f"{key}_letters")
