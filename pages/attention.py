"""One head of scaled dot-product attention, stage by stage (paper, section 3.2.1)."""

import numpy as np
import streamlit as st

from transformer_core import attention_steps
from ui import controls, session
from ui.caption import caption
from ui.drawing import board
from ui.figures import stages
from ui.labs.attention_values import Sequences, head_of, names_of, path, typed
from ui.settings.attention import STAGES, Attention
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("attention", Attention)
say = chapter.say


def move(by: int = 0) -> None:
    """Go on or back by some stages; the same query and key stay chosen, in the result of the stage."""
    stage = STAGES[min(max(STAGES.index(chapter.settings.stage) + by, 0), len(STAGES) - 1)]
    chapter.put("stage", stage)
    chapter.put("cell", stages.arrive(chapter.settings.cell, stage))


def stage_controls() -> str:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(say("back"), icon=":material/arrow_back:", shortcut="B", on_click=move, args=[-1])
        stage = controls.choose(chapter, "stage", on_change=move)
        st.button(say("forward"), icon=":material/arrow_forward:", shortcut="N", on_click=move, args=[1])
    return stage


@st.fragment
def one_head(sequences: Sequences) -> None:
    settings, at_hand = chapter.settings, chapter.at_hand
    _, trace = session.forward(at_hand.model, sequences.src, sequences.given)
    head = head_of(trace, settings.kind, settings.layer, settings.head, sequences)
    stage = stage_controls()
    titles = {name: say(f"panel.{name}") for line in stages.LINES[stage] for name in line}
    panels = stages.board(head, names_of(say, settings.kind, sequences, titles), stage)
    chapter.put("cell", stages.follow(settings.cell, stage, head))
    pointed = board(chapter, "stages", panels, alt=say(f"alt.{stage}"))
    st.html(stages.arithmetic_of(head, pointed.chosen) if pointed.chosen else say("nothing_chosen"))
    st.markdown(say(f"stage_text.{stage}", d_k=head.q.shape[1]))
    off = float(np.abs(head.weights.sum(-1) - 1).max())
    st.badge(say("rows_sum", off=f"{off:.1e}"), icon=":material/check:" if off < 1e-5 else ":material/close:")
    shown = getattr(head, stages.result(stage))
    origin = at_hand.provenance(
        f"{path(settings.kind, settings.layer)}.{tap_of(stage)}", *shown.shape, head=settings.head
    )
    caption(chapter, "stages", origin, numbers=shown, code=[attention_steps])


def tap_of(stage: str) -> str:
    return "heads" if stage in ("output", "all") else stage


sequences = typed(chapter)
with st.container(horizontal=True):
    kind = controls.choose(chapter, "kind")
    controls.number_of(chapter, "layer", chapter.at_hand.config.N)
    controls.number_of(chapter, "head", chapter.at_hand.config.h)
if sequences:
    one_head(sequences)
st.markdown(say(f"kind_text.{kind}"))
st.markdown(say("text"))
close_chapter(chapter)
