"""The loss told: one wrong word of an untrained model, what it costs, its gradient, and what one step does.

The word is the first one that the model gets wrong; the model is the one at hand before its first update, or where
nobody knows that, as it is. The step is one of plain gradient descent on that word's loss alone, in evaluation mode.
"""

from dataclasses import dataclass, replace

import numpy as np
import torch

from transformer_core import PAD, EncoderDecoder, noam_rate, smoothed_targets
from ui.chapters.shared.word_choice import early, given_right, wrong_place
from ui.figures import number, percent
from ui.figures.actors import Actor, Beat, Dot, Line, Stage, Word
from ui.inputs.gloss import gloss
from ui.model import answer, made
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, one_of, short
from ui.sections.scene import Axes, Bars, Columns, Told, adding, end_of, fitting, story
from ui.sections.sequence_fields import with_answer
from ui.text import Words

SHOWN = 7  # words: the right one, and those that are likeliest
RATE = 0.02  # of the step
SMOOTHING, WARMUP = 0.1, 4000  # the paper's
TOKENS = 64  # of a sentence at most
HARD = {"asked_smoothing": "0"}
PUSH = Choice("story_push", ("all", "right", "wrong"), right="all")


@dataclass(frozen=True)
class WrongWord:
    """The word that is wrong: what was to be said there, and the probabilities (V,) before and after one step."""

    at: int
    right: int
    before: np.ndarray
    after: np.ndarray


@dataclass(frozen=True)
class LossStoryValues:
    say: Words
    names: list[str]  # of the words that are shown, the right one first
    glosses: dict[str, str]
    shown: list[int]
    word: WrongWord
    given: str  # what is to be answered, and what the decoder has been given so far
    origin: str
    width: int  # d_model
    lent: dict[str, str]  # where the reader's own sentence has no answer

    @property
    def p(self) -> float:
        return float(self.word.before[self.word.right])

    @property
    def gradient(self) -> np.ndarray:
        """p − t of the words that are shown."""
        target = np.array([float(token == self.word.right) for token in self.shown])
        return np.asarray(self.word.before[self.shown]) - target


def values(chapter: AnyChapter) -> LossStoryValues | None:
    at_hand = chapter.at_hand
    src, lent = with_answer(chapter, TOKENS)
    target = answer(at_hand, src)
    if len(target) < 2:
        return None
    word = made(at_hand, ("wrong word", src), lambda model: wrong_word(early(at_hand, model), src, target))
    likely = [int(token) for token in np.argsort(-word.before, kind="stable") if token not in (word.right, PAD)]
    shown = [word.right, *likely[: SHOWN - 1]]
    vocabulary = at_hand.target
    names = vocabulary.labels(shown)
    given = " → ".join(
        " ".join(side) for side in (at_hand.source.labels(src), vocabulary.labels(target[: word.at + 1]))
    )
    glosses = {name: gloss(name, vocabulary, chapter.lang) for name in names}
    step = "step 0" if at_hand.step is not None else ""
    origin = " · ".join(filter(None, ["generator.log_probs", f"position {word.at}", step, f"seed {at_hand.seed}"]))
    return LossStoryValues(
        say=chapter.say,
        names=names,
        glosses=glosses,
        shown=shown,
        word=word,
        given=given,
        origin=origin,
        width=at_hand.config.d_model,
        lent=lent,
    )


def wrong_word(model: EncoderDecoder, src: tuple[int, ...], target: tuple[int, ...]) -> WrongWord:
    """The wrong word, and what one step of RATE on its −ln p does to it. The model's weights are changed."""
    given, answers = target[:-1], torch.tensor(target[1:])
    with torch.no_grad():
        before = given_right(model, src, given)
    at = wrong_place(before, answers)
    right = int(answers[at])
    loss = -given_right(model, src, given)[at, right]
    parameters = [one for one in model.parameters() if one.requires_grad]
    gradients = torch.autograd.grad(loss, parameters, allow_unused=True)
    with torch.no_grad():
        for parameter, gradient in zip(parameters, gradients):
            if gradient is not None:
                parameter.sub_(gradient, alpha=RATE)
        after = given_right(model, src, given)
    return WrongWord(at, right, before[at].exp().numpy(), after[at].exp().numpy())


# ---------------------------------------------------------------- scenes


def _columns(v: LossStoryValues, stage: Stage, base: float) -> list[Actor]:
    room = _room(v, stage)
    names = room.words("token", v.names, base + 16, 17, 4, alike=False, glosses=v.glosses)
    return [names[0].lit(True, "right"), *names[1:], room.base(base)]


def _room(v: LossStoryValues, stage: Stage) -> Columns:
    return Columns(len(v.shown), 24, stage.width - 24)


def _bars(v: LossStoryValues, stage: Stage, base: float, p: np.ndarray, tall: float) -> list[Actor]:
    room, shares = _room(v, stage), p[v.shown].tolist()
    bars, figures = Bars(base, 0.5 * room.step), [*map(percent, shares)]
    size = fitting(figures, room.step - 4, 15)
    found: list[Actor] = []
    for n, (x, share) in enumerate(zip(room.middles, shares)):
        found.append(bars.bar(f"bar {n}", x, tall * share, "right" if n == 0 else "attention"))
        found.append(bars.figure(f"p {n}", x, tall * share, figures[n], size=size))
    return found


def _tall(v: LossStoryValues, room: float) -> float:
    largest = float(max(v.word.before[v.shown].max(), v.word.after[v.shown].max()))
    return room / largest


def _sentence(v: LossStoryValues, stage: Stage) -> list[Actor]:
    text = f"{v.given} …"
    return [Word("given", stage.width / 2, 22, text).fit(stage.width - 20, 18)]


def guess(v: LossStoryValues, stage: Stage) -> Told:
    base = stage.height - 70
    columns, sentence = _columns(v, stage, base), _sentence(v, stage)
    bars = _bars(v, stage, base, v.word.before, _tall(v, base - 80))
    beats = adding((sentence, 0.6, 0.5), (columns, 0.6, 0.3), (bars, 0.9, 0.8))
    wrong = int(v.word.before.argmax()) != v.word.right
    said = {"right": v.names[0], "p": percent(v.p), "best": v.names[1], "most": percent(float(v.word.before.max()))}
    return Told(beats, v.origin, said, HARD | v.lent, "" if wrong else "sure")


def price(v: LossStoryValues, stage: Stage) -> Told:
    left, right, top, base = 60.0, stage.width - 40.0, 40.0, stage.height - 60.0
    cost = -float(np.log(v.p))
    plane = Axes(left, right, top, base, y_end=max(5.0, 1.15 * cost))
    shares = np.geomspace(np.exp(-plane.y_end), 1.0, 60)
    axes: list[Actor] = [
        Line("base", left, base, right, base, color="grid"),
        Line("upright", left, base, left, top, color="grid"),
        Word("axis p", right, base + 20, v.say("story.axis_p"), size=14, align="right", color="quiet"),
        Word("axis loss", left + 8, top - 14, "−ln p", size=14, align="left", color="quiet"),
    ]
    curve = plane.curve("curve", zip(shares, -np.log(shares)), color="quiet")

    def at(p: float, name: str) -> list[Actor]:
        cost = -float(np.log(p))
        x, y = plane.x(p), plane.y(cost)
        figure = Word("cost", min(x + 14, right - 40), y - 4, "#", value=cost, digits=3, size=18, weight=600)
        return [
            Line("drop", x, base, x, y, color="wrong", width=2),
            Dot("dot", x, y, 7, color="wrong"),
            replace(figure, color="wrong", align="left"),
            Word("token 0", max(x, left + 24), base + 20, name, size=16, weight=600, color="right"),
        ]

    ways = [1.0, 0.5, 0.1, v.p] if v.p < 0.1 else [1.0, v.p]
    beats = [Beat((*axes, curve, *at(p, v.names[0])), 0.8, 0.45) for p in ways]
    said = {"right": v.names[0], "p": percent(v.p), "loss": number(cost, 3)}
    return Told(tuple(beats), v.origin, said, HARD | v.lent)


def push(v: LossStoryValues, stage: Stage) -> Told:
    """p − t of each word as a number, and an arrow against it, the way of a step."""
    base = stage.height * 0.58
    tall = _tall(v, base - 60)
    columns, bars = _columns(v, stage, base), _bars(v, stage, base, v.word.before, tall)
    places = _room(v, stage)
    longest = end_of(v.gradient)
    top = base + 46  # below the glosses
    room = stage.height - top - 24
    arrows: list[Actor] = []
    for n, (x, slope) in enumerate(zip(places.middles, v.gradient.tolist())):
        length, color = room * slope / longest, "right" if slope < 0 else "wrong"
        start = top if length > 0 else top - length
        arrows.append(Line(f"push {n}", x, start, x, start + length, width=4, color=color, arrow=abs(length) > 6))
        arrows.append(Word(f"p−t {n}", x, stage.height - 12, number(slope, 2)).fit(places.step - 4, 14))
    beats = adding(([*columns, *bars], 0.8, 0.4), (arrows, 0.9, 0.9))
    said = {"right": v.names[0], "own": number(-float(v.gradient[0]), 2)}
    return Told(beats, f"{v.origin} · p − t", said, HARD | v.lent)


def step(v: LossStoryValues, stage: Stage) -> Told:
    base = stage.height - 70
    columns, sentence = _columns(v, stage, base), _sentence(v, stage)
    tall = _tall(v, base - 80)
    before, after = (_bars(v, stage, base, p, tall) for p in (v.word.before, v.word.after))
    beats = (Beat((*sentence, *columns, *before), 0.7, 0.6), Beat((*sentence, *columns, *after), 1.4, 1.0))
    new = float(v.word.after[v.word.right])
    said = {"right": v.names[0], "p": percent(v.p), "new": percent(new), "rate": f"{RATE:g}"}
    said |= {"loss": number(-float(np.log(v.p)), 3), "less": number(-float(np.log(new)), 3)}
    return Told(beats, f"{v.origin} · 1 step", said, HARD | v.lent, "" if new > v.p else "worse")


def smooth(v: LossStoryValues, stage: Stage) -> Told:
    base = stage.height - 70
    columns, tall = _columns(v, stage, base), base - 60
    vocab = len(v.word.before)
    hard, soft = (
        smoothed_targets(torch.tensor([v.word.right]), vocab, PAD, share)[0].numpy() for share in (0.0, SMOOTHING)
    )
    beats = (
        Beat((*columns, *_bars(v, stage, base, hard, tall)), 0.8, 0.6),
        Beat((*columns, *_bars(v, stage, base, soft, tall)), 1.2, 0.9),
    )
    said = {"right": v.names[0], "kept": percent(1 - SMOOTHING, 0), "rest": percent(SMOOTHING, 0), "count": vocab - 2}
    origin = f"smoothed_targets([{v.word.right}], {vocab}, {PAD}, {SMOOTHING:g})"
    return Told(beats, origin, said, {"asked_smoothing": f"{SMOOTHING:g}"} | v.lent)


def rate(v: LossStoryValues, stage: Stage) -> Told:
    left, right, top, base = 40.0, stage.width - 30.0, 50.0, stage.height - 50.0
    last = 5 * WARMUP
    peak = noam_rate(WARMUP, v.width, 1.0, WARMUP)
    plane, steps = Axes(left, right, top, base, last, peak), np.linspace(1, last, 120).astype(int).tolist()
    points = ((step, noam_rate(step, v.width, 1.0, WARMUP)) for step in steps)
    still: list[Actor] = [
        Line("base", left, base, right, base, color="grid"),
        plane.curve("rate", points, color="query"),
        Word("axis step", right, base + 20, v.say("label.step"), size=14, align="right", color="quiet"),
    ]

    def at(step: int) -> list[Actor]:
        rate = noam_rate(step, v.width, 1.0, WARMUP)
        x, y = plane.x(step), plane.y(rate)
        return [
            Dot("dot", x, y, 7, color="wrong"),
            Word("figure", min(max(x, 70), stage.width - 70), y - 22, number(rate, 3), size=16, weight=600),
            Word("step", min(max(x, 40), stage.width - 40), base + 20, f"{step}", size=15),
        ]

    beats = [Beat((*still, *at(step)), 1.0, 0.4) for step in (1, WARMUP, last - WARMUP)]
    said = {"warmup": WARMUP, "width": v.width, "peak": number(peak, 3)}
    origin = f"noam_rate(step, {v.width}, 1, {WARMUP})"
    return Told(tuple(beats), origin, said, {"width": str(max(16, min(1024, v.width))), "warmup": str(WARMUP)})


def of_another(v: LossStoryValues, seed: int) -> Version | None:
    """Of one of the wrong words, how far a step moves its logit."""
    lift = -float(v.gradient[0])

    def of_word(n: int) -> Version | None:
        p, whole = short(float(v.gradient[n])), short(lift)
        said = {"word": v.names[n], "p": p, "lift": whole, "told": v.names[0]}
        return Version("all", said) if "0" != p != whole else None

    return one_of(seed, range(1, len(v.shown)), of_word)


PUSHED = Inquiry(PUSH, ("each", "whole", "weights"), "whole", of_another)
STORY = story(values, (guess, price, push, step, smooth, rate), {"price": PUSHED})
