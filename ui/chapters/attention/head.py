"""Which head it is, on which all that follows depends; and where cross-attention looks."""

from dataclasses import replace

import streamlit as st
from torch import Tensor

from transformer_core import PAD
from transformer_core.experiments.alignment import chance, reference_alignment
from transformer_core.experiments.head_measures import neighbour_weights
from transformer_core.tasks import OwnPairs
from ui import state
from ui.chapters.shared.attention_values import path
from ui.chapters.shared.look_lines import task_of
from ui.figures import number
from ui.inputs.direction import direction_of
from ui.model import recorded
from ui.sections import AnyChapter, Chapter, Choice, controls, predict
from ui.settings.fields import Settings, choice, whole
from ui.settings.shared import KINDS

SHORT = {  # sentences so short that their numbers can be written into the cells
    "translate en-zh": "two white cats sleep",
    "translate zh-en": "白色的猫睡觉",
    "translate en-es": "two white cats sleep",
    "translate es-en": "dos gatos blancos duermen",
}


class OfHead(Settings):
    kind: str = choice("cross", *KINDS)
    layer: int = whole(0, 0, 5)
    head: int = whole(0, 0, 15)


def head_fields(chapter: Chapter[OfHead]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.choose(chapter, "kind")
        controls.number_of(chapter, "layer", chapter.at_hand.config.N)
        controls.number_of(chapter, "head", chapter.at_hand.config.h)
        _shorter(chapter)


def _shorter(chapter: Chapter[OfHead]) -> None:
    words = chapter.at_hand.words
    sentence = None if words is None else SHORT.get(direction_of(words, chapter.frame.src))
    if sentence and not chapter.hides("src"):
        st.button(
            chapter.say("short", sentence=sentence),
            icon=":material/short_text:",
            type="tertiary",
            key="short",
            on_click=chapter.then(_take),
            args=(sentence,),
        )


def _take(sentence: str) -> None:
    state.put(state.FRAME, "src", sentence)
    state.put(state.FRAME, "tgt", "")


# A copy keeps the order of its source; what is made of words or letters has another one.
LOOKS = Choice("looks", ("same", "next", "all"), right="next")
LOOKS_WORDS = Choice("looks_words", ("same", "aligned", "all"), right="aligned")


def where_it_looks(chapter: AnyChapter, layer: int, *, seen: bool) -> bool:
    """True once answered. Where nobody knows what the model has learned, nothing is claimed. To who has `seen` the
    weights it is no prediction."""
    words, sequences = chapter.at_hand.words, chapter.typed
    if task_of(chapter.at_hand) is None:
        return True
    if isinstance(words, OwnPairs):
        st.markdown(chapter.shell("pairs_unknown"))
        return True
    question = LOOKS if words is None else LOOKS_WORDS
    if not predict(chapter, replace(question, lead="find") if seen else question):
        return False
    weights = recorded(chapter.at_hand, sequences.src, sequences.given)[f"{path('cross', layer)}.weights"][0]
    if words is None:
        shares = _of_heads(neighbour_weights(weights, 1).mean(-1))
        st.markdown(chapter.say("looks.measured", layer=layer, shares=shares))
        return True
    reference = reference_alignment(words, sequences.src, (*sequences.given[:1], *sequences.predicted))
    if reference is None or not reference.any():
        st.markdown(chapter.say("looks_words.unknown"))
        return True
    rows, keys = reference.any(-1), sum(token != PAD for token in sequences.src)
    shares = _of_heads((weights * reference).sum(-1)[:, rows].mean(-1))
    by_chance = number(float(chance(reference, keys)[rows].mean()), 3)
    st.markdown(chapter.say("looks_words.measured", layer=layer, shares=shares, chance=by_chance))
    return True


def _of_heads(shares: Tensor) -> str:
    return " · ".join(number(float(share), 3) for share in shares)
