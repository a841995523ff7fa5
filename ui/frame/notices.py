"""What a page says above its contents: how long the run takes that is waited for, and that the model hides a fault."""

import math

import streamlit as st

from ui import state
from ui.frame.embed import embedded
from ui.model.current_model import ModelAtHand, seed_of
from ui.settings.chapters import page
from ui.settings.frame import Frame
from ui.text import Typed, Words
from ui.training_service.eta import Eta

MINUTE = 60
STEP = 5  # seconds: a number that changes at every look says more than anybody knows


def and_wait(said: str, eta: Eta | None, lang: str) -> str:
    """What is said, and the wait after it. A Chinese full stop brings its own space along."""
    line = waiting(eta, lang)
    return said + ("" if said.endswith("。") or not line else " ") + line


def waiting(eta: Eta | None, lang: str) -> str:
    """A sentence; empty where nothing is waited for, or nothing is known."""
    shell = Words("shell", lang)
    if eta is None:
        return ""
    wait = "" if eta.seconds is None else _about(eta.seconds, shell)
    if eta.place is None:
        return shell("wait.time", wait=wait) if wait else ""
    return shell("wait.both", place=eta.place, wait=wait) if wait else shell("wait.place", place=eta.place)


def _about(seconds: float, shell: Words) -> str:
    if seconds > MINUTE:
        return shell("wait.minutes", count=math.ceil(seconds / MINUTE))
    return shell("wait.seconds", count=STEP * max(1, math.ceil(seconds / STEP)))


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
    state.put(state.FRAME, "fault", "")
