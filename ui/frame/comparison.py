"""The other model, beside the one at hand: what can be compared with, and in the menu the choice of it."""

from functools import cache, partial

import streamlit as st

from transformer_core.training.config import TrainConfig
from ui import state
from ui.figures.number import number
from ui.frame.fragment import fragment
from ui.frame.notices import and_wait
from ui.model.current_model import ModelAtHand
from ui.model.current_model import compared as other_of
from ui.model.run_link import config_of
from ui.model.shipped import FILES
from ui.settings.fields import OneOf
from ui.settings.frame import END, Frame
from ui.text import Words

OF_A_RUN = ("step", "run")  # a moment of it, whose step can be chosen


@cache
def name_of(kind: str, lang: str) -> str:
    """What is compared with, in words."""
    shell = Words("shell", lang)
    if kind in FILES:
        return shell(f"model_kind.{kind}")
    if f"compare_kind.{kind}" in shell:
        return shell(f"compare_kind.{kind}")
    return shell("compare_broken", how=Words("verify", lang)(f"broken_option.{kind}"))


def compared(frame: Frame, at_hand: ModelAtHand, lang: str) -> ModelAtHand | None:
    """The model that the frame compares with, if any. A moment of a run may take its time."""
    if frame.compare not in OF_A_RUN:
        return other_of(frame, at_hand)
    with st.spinner(Words("shell", lang)("compare_awaited")):
        return other_of(frame, at_hand)


def choice(frame: Frame, at_hand: ModelAtHand, other: ModelAtHand | None, lang: str, *, shown: bool) -> None:
    """The control, and below it which step it is; `shown` is whether the page has a section on the difference."""
    shell, kinds = Words("shell", lang), _offered(frame, at_hand)
    st.selectbox(
        shell("compare"),
        kinds,
        kinds.index(frame.compare),
        partial(name_of, lang=lang),
        state.prepare_widget(state.FRAME, "compare", frame.compare),
        on_change=_begin,
        args=(at_hand,),
        filter_mode=None,
    )
    if other is None:
        return
    if frame.compare in OF_A_RUN and other.trouble not in ("config", "pairs", "elsewhere"):
        _step(shell, at_hand.run if frame.compare == "step" else config_of(frame.other))
    missing(frame, at_hand, other, lang)
    if not shown:
        st.caption(shell("compare_elsewhere"))


def missing(frame: Frame, at_hand: ModelAtHand, other: ModelAtHand | None, lang: str) -> None:
    """Why there is nothing to compare with, where there is not."""
    if other and other.awaited:
        _look_again(frame, at_hand, lang)
    elif other and other.trouble:
        st.warning(Words("shell", lang)(f"compare_missing.{other.trouble}"))


def _offered(frame: Frame, at_hand: ModelAtHand) -> list[str]:
    """All there is, but for the model at hand itself; what the link says is among it, whatever it is."""
    kind = Frame.kinds()["compare"]
    assert isinstance(kind, OneOf)
    has = {"untrained": bool(at_hand.step), "step": at_hand.step is not None, "run": frame.other != ""}
    has |= {file: file != at_hand.kind or bool(at_hand.fault) for file in FILES}
    missing = {one for one, there in has.items() if not there}
    return [one for one in kind.options if one == frame.compare or one not in missing]


def _begin(at_hand: ModelAtHand) -> None:
    frame = state.current(state.FRAME, Frame)
    if frame.compare == "step" and frame.other_step == END:
        state.put(state.FRAME, "other_step", at_hand.run.steps // 2)


def _step(shell: Words, config: TrainConfig) -> None:
    """Which step of the run it is; one that no run has is refused in words."""
    refused, label, steps = state.refused(state.FRAME, "other_step"), shell("other_step"), config.steps
    step = state.fit(state.FRAME, "other_step", 0, steps)
    st.number_input(label, None, None, step, key=state.prepare_widget(state.FRAME, "other_step", step))
    if refused is None:
        sizes = {name: getattr(config, name) for name in ("N", "d_model", "h", "seed")}
        st.caption(shell("other_run", steps=steps, **sizes))
    else:
        st.warning(shell("out_of_range", label=label, low=0, high=steps, given=number(refused), kept=step))


@partial(fragment, run_every=2)
def _look_again(frame: Frame, at_hand: ModelAtHand, lang: str) -> None:
    """Until the moment of the run is trained."""
    other = other_of(frame, at_hand, 0)
    if other is None or not other.awaited:
        state.run_again()
    st.info(and_wait(Words("shell", lang)("compare_awaited"), other.eta, lang))
