"""Above every chapter: that a fault is hidden in the model at hand, with the way back to whoever asks for its name, and
to the healthy model."""

import streamlit as st

from ui import state
from ui.frame.embed import embedded
from ui.model.at_hand import ModelAtHand
from ui.model.hidden import seed_of
from ui.settings.chapters import page
from ui.settings.frame import Frame
from ui.text import Typed, Words

PRACTICE, SECTION = "practice", "fault"
BEFORE_TRAINING = ("backward",)  # the chapters about the model before its first update


def banner(here: str, frame: Frame, at_hand: ModelAtHand, lang: str) -> None:
    """Nothing where no link or reader has asked for a fault. What names none is refused in words."""
    said = frame.fault.strip()
    if not said:
        return
    shell = Words("shell", lang)
    with st.container(key="fault-banner", gap="xsmall"):
        if not at_hand.fault:
            seed = seed_of(said)
            st.warning(shell("fault.elsewhere", seed=seed) if seed else shell("fault.bad", given=Typed(said)))
        else:
            st.info(shell("fault.banner", seed=at_hand.fault), icon=":material/bug_report:")
            if here in BEFORE_TRAINING:
                st.caption(shell("fault.before_training"))
        with st.container(horizontal=True, vertical_alignment="center"):
            if here == PRACTICE:
                st.markdown(f"[{shell('fault.name_it')}](#{SECTION})")
            elif not embedded():
                st.page_link(
                    page(PRACTICE), label=shell("fault.name_it"), icon=":material/arrow_back:",
                    query_params=state.query(PRACTICE, open=SECTION),
                )  # fmt: skip
            st.button(
                shell("fault.healthy"), icon=":material/healing:", type="tertiary", key="fault.healthy", on_click=heal
            )


def heal() -> None:
    """From what a click calls: the model with nothing hidden in it."""
    state.put(state.FRAME, "fault", "")
