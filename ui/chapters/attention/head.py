"""Which head it is: on that depends all that follows."""

import streamlit as st

from ui import state
from ui.inputs.direction import way
from ui.sections import Chapter, controls
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
    sentence = None if words is None else SHORT.get(way(words, chapter.frame.src))
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
