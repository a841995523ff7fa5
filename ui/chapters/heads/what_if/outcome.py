"""What if a part of the model did something else: one change, then decode again, before and after side by side."""

from difflib import SequenceMatcher

import numpy as np
import streamlit as st

from transformer_core import intervene
from transformer_core.tasks import Vocabulary
from ui.chapters.heads.what_if.board import TokenLogits, logits_board
from ui.chapters.heads.what_if.change import Change, chosen_change
from ui.chapters.heads.what_if.looks import OfLooks, looks
from ui.chapters.heads.what_if.values import Tokens, WhatIf, decoded, exact, logits_snippet
from ui.chapters.shared.look_lines import task_of
from ui.chapters.shared.output import reads, row
from ui.figures import Figure, number
from ui.figures.markup import Markup, element, glossed, joined
from ui.inputs.sequence import TypedSequences, shifted
from ui.model import output_of
from ui.sections import Chapter, Choice, Section, show
from ui.settings.fields import CellSetting, cell
from ui.settings.shared import KINDS

NEW = "≠"
ROUNDING = 1e-4  # a difference of logits below it is that of sums in single precision


HURTS = Choice("hurts", KINDS, right="decoder")  # in the model that is shipped to translate


class WhatIfSettings(Change, OfLooks):
    if_cell: CellSetting = cell("delta", 0, 3)


@Section("what_if", settings=WhatIfSettings, text="text", why="why", first=HURTS)
def what_if(chapter: Chapter[WhatIfSettings]) -> None:
    at_hand = chapter.at_hand
    plain = WhatIf(chapter.typed.src)
    output = output_of(at_hand, plain.src)
    if len(output) < 2:
        st.info(chapter.say("what_if.nothing"))
        return
    written = shifted(plain.src, output, at_hand.config.vocabularies)
    what = chosen_change(chapter, written)
    if what is None:
        return
    now = tuple(decoded(at_hand, what, written.given)["ids"].tolist())
    _sentences(chapter, output, now, plain.src, what.src)
    _held_out(chapter, what)
    moved = _logits(chapter, plain, what, written)
    looks(chapter, plain, what, written, moved)


def _sentences(
    chapter: Chapter[WhatIfSettings], before: Tokens, after: Tokens, read: Tokens, reads_now: Tokens
) -> None:
    at_hand, (stays, stayed) = chapter.at_hand, in_both(before, after)

    def named(vocabulary: Vocabulary, tokens: Tokens) -> list[Markup]:
        return [glossed(name, chapter.glosses) for name in vocabulary.labels(tokens)]

    gone = [name if at in stays else element("s", name) for at, name in enumerate(named(at_hand.target, before))]
    new = [
        name if at in stayed else element("b", f"{NEW} ", name) for at, name in enumerate(named(at_hand.target, after))
    ]
    rows = [("enc", "reads", named(at_hand.source, read)), ("dec", "before", gone)]
    rows += [("enc", "reads", named(at_hand.source, reads_now))] if reads_now != read else []
    rows.append(("dec", "after", new))
    shown = []
    for kind, name, tokens in rows:
        boxes = [element("span", token, class_="token") for token in tokens]
        shown.append(row(kind, chapter.say(f"what_if.{name}"), boxes))
    st.html(joined(shown))
    chapter.write("what_if.same" if after == before else "what_if.another")
    answer = at_hand.config.answer(reads_now)
    if answer is not None:
        key = "what_if.is_right" if list(after) == answer else "what_if.is_wrong"
        chapter.write(key, answer=reads(at_hand, answer))


def in_both(before: Tokens, after: Tokens) -> tuple[set[int], set[int]]:
    """Where the tokens stand that both have in the same order, in each."""
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    pairs = [(block.a + at, block.b + at) for block in blocks for at in range(block.size)]
    return {old for old, _ in pairs}, {new for _, new in pairs}


def _held_out(chapter: Chapter[WhatIfSettings], what: WhatIf) -> None:
    """How many held-out sequences come out whole, before and with the change."""
    if not what.function or what.function == "row_by_hand":
        chapter.write("what_if.one")
        return
    task = task_of(chapter.at_hand)
    if task is None:
        st.info(chapter.shell("task_unasked"))
        return
    (before, count), (after, _) = (exact(chapter.at_hand, task, one) for one in (WhatIf(what.src), what))
    chapter.write("what_if.exact", before=before, after=after, count=count)


def _logits(chapter: Chapter[WhatIfSettings], plain: WhatIf, what: WhatIf, written: TypedSequences) -> int:
    """Of the tokens that the model writes as it is, each after those before it: the same prefix on both sides. The
    column that moves most."""
    say, at_hand = chapter.say, chapter.at_hand
    tokens = np.array(written.predicted)
    proj = at_hand.load().generator.proj
    weight, bias = proj.weight.detach().numpy(), proj.bias.detach().numpy()

    def of(one: WhatIf) -> TokenLogits:
        found = decoded(at_hand, one, written.given)
        return TokenLogits(found["states"].numpy(), found["logits"].numpy()[np.arange(len(tokens)), tokens])

    before, after = of(plain), of(what)
    words = {name: say(f"what_if.{name}") for name in ("before", "after", "logits", "delta", "token")}
    board = logits_board(before, after, weight[tokens], bias[tokens], written.answers, words)
    delta = after.logits - before.logits
    figure = Figure(
        "what_if_logits",
        board,
        at_hand.provenance("generator.logits", *before.states.shape[:1]),
        numbers=np.stack([before.logits, after.logits, delta]),
        code=[intervene, *what.functions],
        program=logits_snippet(at_hand, plain, what, written.given, written.predicted),
        alt=say("what_if.logits_alt"),
    )
    show(chapter, figure)
    most = int(np.abs(delta).argmax())
    key = "what_if.moves" if abs(delta[most]) > ROUNDING else "what_if.still"
    chapter.write(key, token=written.answers[most], delta=number(float(delta[most]), 3))
    return most
