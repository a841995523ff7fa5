"""What if a part of the model did something else: one change, then decode again, before and after side by side."""

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from transformer_core import PAD, greedy_decode, intervene
from transformer_core.experiments import interventions
from ui import controls
from ui.answer import said
from ui.chapters.heads.questions import HURTS
from ui.chapters.heads.what_if_change import chosen_change
from ui.chapters.heads.what_if_values import WhatIf, decoded, exact, logits_snippet, looks_snippet
from ui.chapters.shared.attention_values import Sequences, path, shifted
from ui.chapters.shared.gold import task_of
from ui.chapters.shared.output import reads, row
from ui.figures.figure import Figure
from ui.figures.number import number
from ui.figures.what_if import Look, Written, logits_board, looks_board
from ui.predict import predict
from ui.shell import Chapter
from ui.show import show
from ui.text import Words

NEW = "≠"


def what_if(chapter: Chapter, sequences: Sequences) -> None:
    if not predict(chapter, HURTS):
        return
    at_hand = chapter.at_hand
    plain = WhatIf(sequences.src)
    output = said(at_hand, plain.src)
    if len(output) < 2:
        st.info(chapter.say("what_if.nothing"))
        return
    written = shifted(plain.src, output, at_hand.config.vocabularies)
    what = chosen_change(chapter, written)
    if what is None:
        return
    now = tuple(decoded(at_hand, what, written.given)["ids"].tolist())
    _sentences(chapter, output, now, what)
    _held_out(chapter, what)
    _logits(chapter, plain, what, written)
    _looks(chapter, plain, what, written)


def _sentences(chapter: Chapter, before: tuple[int, ...], after: tuple[int, ...], what: WhatIf) -> None:
    """The source as it is read, what was written, and what is now: what is gone is struck, what is new marked."""
    say, at_hand = chapter.say, chapter.at_hand
    names, (stays, stayed) = at_hand.target.labels, _in_both(before, after)
    gone = [escape(name) if at in stays else f"<s>{escape(name)}</s>" for at, name in enumerate(names(before))]
    new = [escape(name) if at in stayed else f"<b>{NEW} {escape(name)}</b>" for at, name in enumerate(names(after))]
    rows = {"reads": [*map(escape, at_hand.source.labels(what.src))], "before": gone, "after": new}
    boxes = {name: [f'<span class="token">{token}</span>' for token in of] for name, of in rows.items()}
    st.html("".join(row("enc" if name == "reads" else "dec", say(f"what_if.{name}"), boxes[name]) for name in rows))
    chapter.write("what_if.same" if after == before else "what_if.another")
    answer = at_hand.config.answer(what.src)
    if answer is not None:
        key = "what_if.is_right" if list(after) == answer else "what_if.is_wrong"
        chapter.write(key, answer=reads(at_hand, answer))


def _in_both(before: Sequence[int], after: Sequence[int]) -> tuple[set[int], set[int]]:
    """Where the tokens stand that both have in the same order, in each."""
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    pairs = [(block.a + at, block.b + at) for block in blocks for at in range(block.size)]
    return {old for old, _ in pairs}, {new for _, new in pairs}


def _held_out(chapter: Chapter, what: WhatIf) -> None:
    """How many held-out sequences come out whole, before and with the change."""
    if not what.function or what.function == "row_by_hand":
        chapter.write("what_if.one")
        return
    task = task_of(chapter.at_hand)
    if task is None:
        st.info(Words("shell", chapter.lang)("task_unasked"))
        return
    (before, count), (after, _) = (exact(chapter.at_hand, task, one) for one in (WhatIf(what.src), what))
    chapter.write("what_if.exact", before=before, after=after, count=count)


def _logits(chapter: Chapter, plain: WhatIf, what: WhatIf, written: Sequences) -> None:
    """Of the tokens that the model writes as it is, each after those before it: the same prefix on both sides."""
    say, at_hand = chapter.say, chapter.at_hand
    tokens = np.array(written.predicted)
    proj = at_hand.model.generator.proj
    weight, bias = proj.weight.detach().numpy(), proj.bias.detach().numpy()

    def of(one: WhatIf) -> Written:
        found = decoded(at_hand, one, written.given)
        return Written(found["states"].numpy(), found["logits"].numpy()[np.arange(len(tokens)), tokens])

    before, after = of(plain), of(what)
    words = {name: say(f"what_if.{name}") for name in ("before", "after", "logits", "delta", "token")}
    board = logits_board(before, after, weight[tokens], bias[tokens], written.answers, words)
    delta = after.logits - before.logits
    figure = Figure(
        "what_if_logits",
        board,
        say("what_if.logits_alt"),
        at_hand.provenance("generator.logits", *before.states.shape[:1]),
        numbers=np.stack([before.logits, after.logits, delta]),
        code=[intervene, *_functions(what)],
        program=logits_snippet(at_hand, plain, what, written.given, written.predicted),
    )
    show(chapter, figure)
    most = int(np.abs(delta).argmax())
    chapter.write("what_if.moves", token=written.answers[most], delta=number(float(delta[most]), 3))


def _looks(chapter: Chapter, plain: WhatIf, what: WhatIf, written: Sequences) -> None:
    """One head of cross-attention, while each wrote its own output: the one that changes, or one that is chosen."""
    say, at_hand, config = chapter.say, chapter.at_hand, chapter.at_hand.config
    crossed = _crossed(what, config.N)
    chapter.write("what_if.look")
    if crossed:
        layer, head = crossed
    else:
        with st.container(horizontal=True):
            layer = controls.number_of(chapter, "if_look_layer", config.N)
            head = controls.number_of(chapter, "if_look_head", config.h)

    def of(one: WhatIf) -> Look:
        found = decoded(at_hand, one, written.given)
        output = at_hand.target.labels(found["ids"].tolist())[1:]
        masked, weights = (found[name][layer, head].numpy() for name in ("masked", "weights"))
        return Look(masked, weights, output, at_hand.source.labels(one.src))

    before, after = of(plain), of(what)
    words = {name: say(f"what_if.{name}") for name in ("before", "after", "written", "source")}
    padded = [at for at, token in enumerate(plain.src) if token == PAD]
    figure = Figure(
        "what_if_looks",
        looks_board(before, after, _hand(what) if crossed else None, words, padded),
        say("what_if.looks_alt"),
        at_hand.provenance(f"{path('cross', layer)}.weights", *after.weights.shape, head=head),
        code=[greedy_decode, intervene, *_functions(what)],
        program=looks_snippet(at_hand, what, layer, head),
    )
    show(chapter, figure)
    if what.function == "head_off" and crossed:
        chapter.write("what_if.off_look")


def _crossed(what: WhatIf, layers: int) -> tuple[int, int] | None:
    """Layer and head of the cross-attention that changes; None if it is no cross-attention."""
    if what.head is None:
        return None
    return next(((layer, what.head) for layer in range(layers) if what.where == path("cross", layer)), None)


def _hand(what: WhatIf) -> tuple[int, np.ndarray] | None:
    """The row that was written by hand, as wide as the source."""
    if what.query is None:
        return None
    typed = np.zeros(len(what.src))
    typed[: len(what.row)] = what.row
    return what.query, typed


def _functions(what: WhatIf) -> list[Callable[..., Any]]:
    return [getattr(interventions, what.function)] if what.function else []
