"""One turn of sampling: the probabilities, what becomes of them, what is drawn; how many top-p keeps."""

from typing import NamedTuple

import numpy as np
import streamlit as st
import torch

from transformer_core import sampled_turns, sampling_steps
from transformer_core.decoding.loop import Outputs
from ui.chapters.shared.forced_prefix import OWN, ForcedPrefix, Tokens, at_a_press, by_turns, prefix_field, prefix_of
from ui.chapters.shared.output import reads, row
from ui.chapters.ways.figures.draws import Cut, draws_board
from ui.chapters.ways.values import How, SamplingStep, draws_of, draws_program, greedy_of, logits_of, unsure_sentence
from ui.figures import Figure, number, percent
from ui.figures.board import Few
from ui.figures.markup import Markup, element, glossed
from ui.model import ModelAtHand
from ui.sections import AnyChapter, Chapter, Choice, Frame, Section, controls, sequence, show
from ui.sections.inquiry import Inquiry, Version, inquire, one_of, ranked
from ui.settings.fields import by_click, real, whole

NUCLEUS = Choice("ask_nucleus", ("share", "varies", "fixed"), right="varies")
BOUNDS = (0.5, 0.8, 0.9, 0.95, 0.99)
TOLD = 4  # tokens whose probabilities are said


class SamplingSetup(NamedTuple):
    at_hand: ModelAtHand
    src: Tokens
    top_k: int


def at_another(of: SamplingSetup, seed: int) -> Version | None:
    """Where more than one token is kept, if there is such a turn."""
    output = greedy_of(of.at_hand, of.src)
    (logits,) = logits_of(of.at_hand, of.src, (tuple(output[:-1]),))
    log_probs = torch.from_numpy(logits).log_softmax(-1)
    every = [(turn, bound) for turn in range(1, len(log_probs) + 1) for bound in BOUNDS]
    several = [one for one in every if kept(log_probs[one[0] - 1], one[1]) > 1]
    return one_of(seed, several or every, lambda one: _at(log_probs[one[0] - 1], *one, of.top_k))


def kept(log_probs: torch.Tensor, top_p: float) -> int:
    """How many tokens may be drawn."""
    return int((sampling_steps(log_probs, 1.0, None, top_p).nucleus > 0).sum())


def _at(log_probs: torch.Tensor, turn: int, top_p: float, top_k: int) -> Version | None:
    count, size = kept(log_probs, top_p), len(log_probs)
    labels = ranked({"varies": count, "share": round(top_p * size), "fixed": top_k})
    first = log_probs.exp().sort(descending=True).values[:TOLD].tolist()
    said = {"turn": turn, "p": number(top_p), "size": size, "first": ", ".join(percent(one, 1) for one in first)}
    said |= {"sum": percent(float(log_probs.exp().sort(descending=True).values[:count].sum()), 1)}
    return Version("varies", said | {"count": count, "k": top_k}, labels) if labels and top_k <= size else None


KEPT = Inquiry(NUCLEUS, ("each", "adds", "tenth"), "adds", at_another)


SHOWN = 8  # tokens that have a column: the likeliest
SURE = 0.99  # a probability from which on no temperature near 1 changes much
DRAWN = "◂"  # marks the token that is drawn
STEPS = ("p", "s", "r", "q", "c")
LABELS = ("step", "token", "cut")


class Sampling(ForcedPrefix):
    turn: int = whole(5, 1, 63)  # which token is drawn, counted from 1
    temperature: float = real(0.7, 0.0, 5.0)
    top_k: int = whole(6, 1, 999)
    top_p: float = real(0.9, 0.0, 1.0)
    seed: int = by_click(whole(0, 0, 9999))  # of the numbers that the tokens are drawn with


class SampledOutput(NamedTuple):
    """An output, turn by turn, and the turn that is looked at."""

    src: Tokens
    how: How
    prefix: Tokens
    turns: list[SamplingStep]
    turn: int = 1

    @property
    def now(self) -> SamplingStep:
        return self.turns[self.turn - 1]

    @property
    def own(self) -> bool:
        return self.turn <= len(self.prefix)

    @property
    def output(self) -> list[int]:
        return self.turns[-1].output


STEP = by_turns(lambda chapter, src: _drawn(chapter, src).turns)


@Section(
    "draw", settings=Sampling, cell="cell", reads=(Frame,), types=("src",), look="lead", step=STEP, inquires=(KEPT,)
)
def draw(chapter: Chapter[Sampling]) -> None:
    first, second, third = st.columns([3, 3, 2], vertical_alignment="bottom")
    above = chapter.figure_first()
    left, right = st.columns([5, 3])
    with left:
        src = sequence(chapter, "src")
    drawn = _drawn(chapter, src) if len(src) > 1 else None
    with first:
        if drawn:
            drawn = drawn._replace(turn=controls.slider(chapter, "turn", 1, len(drawn.turns)))
    with second:
        controls.slider(chapter, "temperature", step=0.1)
    with third:
        _next_seed(chapter)
    with right, st.container(horizontal=True, gap="small"):
        with st.popover(chapter.say("more"), width="stretch"):
            controls.number(chapter, "top_k")
            controls.slider(chapter, "top_p", step=0.05)
            if drawn:
                prefix_field(chapter, drawn.src)
        unsure_sentence(chapter)
    if drawn:
        with above.there:
            st.html(_written(chapter, drawn))
        _figure(above, drawn)
        _said(chapter, drawn)
        of = SamplingSetup(chapter.at_hand, drawn.src, min(chapter.settings.top_k, len(chapter.at_hand.target)))
        inquire(chapter, KEPT, lambda: of)
    elif src is not None:
        st.warning(chapter.say("too_short"))


@Section("reading")
def reading(chapter: AnyChapter) -> None:
    chapter.write("formula", "why")


def _drawn(chapter: Chapter[Sampling], src: Tokens) -> SampledOutput:
    settings, prefix = chapter.settings, prefix_of(chapter, src)
    how = How(settings.temperature, settings.top_k, settings.top_p, settings.seed)
    return SampledOutput(src, how, prefix, draws_of(chapter.at_hand, src, how, prefix))


def _next_seed(chapter: Chapter[Sampling]) -> None:
    seed = chapter.settings.seed
    if not chapter.hides("seed"):
        st.button(
            chapter.say("again", seed=seed),
            icon=":material/casino:",
            key="ways.seed",
            on_click=chapter.put,
            args=("seed", (seed + 1) % 10_000),
        )


def _figure(chapter: Chapter[Sampling], drawn: SampledOutput) -> None:
    at_hand, say, now, how = chapter.at_hand, chapter.say, drawn.now, drawn.how
    named = at_hand.target.every
    order = np.argsort(-now.steps[0], kind="stable")
    place = int(np.flatnonzero(order == now.written)[0])
    few = Few.largest(now.steps[0][order], SHOWN, [place])
    names = few.names([named[token] for token in order], say("others"))
    names[few.shown.index(place)] += f" {OWN if drawn.own else DRAWN}"
    vocab = len(order)
    nucleus = max(1, int((now.steps[3] > 0).sum())) if how.top_p < 1 else vocab
    cut = Cut(how.temperature, min(how.top_k, vocab), nucleus)
    values = {"temperature": f"{how.temperature:g}", "k": cut.top_k, "p": f"{how.top_p:g}"}
    rows = [say(f"row.{name}", **values) for name in STEPS]
    labels = {name: say(f"label.{name}") for name in LABELS}
    labels["draws"] = say("label.draws", turn=drawn.turn, count=min(SHOWN, vocab), of=vocab)
    figure = Figure(
        "draw",
        draws_board(now.logits[order], now.steps[:, order], few, cut, (rows, names), labels),
        at_hand.provenance("generator.logits", vocab),
        numbers=now.steps,
        columns=named,
        code=[sampling_steps, sampled_turns, Outputs],
        program=draws_program(at_hand, drawn.src, how, drawn.prefix, drawn.turn),
        alt=say("alt", turn=drawn.turn, token=named[now.written]),
    )
    tokens = order[list(few.shown)].tolist()
    on_label = at_a_press(chapter, tokens, now.given[1:], lambda: draws_of(at_hand, drawn.src, how)[-1].output[1:])
    show(chapter, figure, on_label=on_label)


def _written(chapter: AnyChapter, drawn: SampledOutput) -> Markup:
    boxes = []
    for at, name in enumerate(chapter.at_hand.target.labels(drawn.output)):
        own, rim = 0 < at <= len(drawn.prefix), " chosen" if at == drawn.turn else ""
        kind = f"token{' own' if own else ''}{rim}"
        boxes.append(element("span", f"{OWN} " if own else "", glossed(name, chapter.glosses), class_=kind))
    return row("dec", chapter.say("output"), boxes)


def _said(chapter: Chapter[Sampling], drawn: SampledOutput) -> None:
    """How the number draws the token, what is special about these settings, and what the output has become."""
    at_hand, say, now, how = chapter.at_hand, chapter.say, drawn.now, drawn.how
    named, vocab = at_hand.target.every, len(at_hand.target)
    order = np.argsort(-now.steps[3], kind="stable")
    ends = now.steps[3][order].cumsum()
    place = int(np.flatnonzero(order == now.choice)[0])
    values = {"token": named[now.choice], "number": f"{now.number:.3f}", "turn": drawn.turn}
    values |= {"start": number(float(ends[place - 1]) if place else 0.0, 3), "end": number(float(ends[place]), 3)}
    lines = [chapter.markdown("forced" if drawn.own else "drawn", **values)]
    if how.temperature == 0:
        lines.append(say("cold"))
    if how.top_p == 0:
        lines.append(say("no_nucleus"))
    if how.top_k > vocab:
        lines.append(say("all_kept", k=how.top_k, vocab=vocab))
    if now.steps[0].max() > SURE:
        surest, share = named[int(now.steps[0].argmax())], percent(float(now.steps[0].max()))
        lines.append(chapter.markdown("sure", token=surest, share=share))
    st.markdown(" ".join(lines), unsafe_allow_html=True)
    alone, output = greedy_of(at_hand, drawn.src, drawn.prefix), drawn.output
    key = "result_same" if output == alone else "result"
    chapter.write(key, output=reads(at_hand, output), greedy=reads(at_hand, alone), seed=how.seed)
    chapter.write("see", "pick")
