"""The model at hand, one for the whole page, and in the menu the choice of it."""

from functools import partial

import streamlit as st

from transformer_core.training.config import TrainConfig
from ui import state
from ui.frame.fragment import fragment
from ui.frame.notices import and_wait
from ui.inputs.sequence import example
from ui.model.current_model import ModelAtHand, model_at_hand, source_of
from ui.model.run_link import config_of
from ui.session import session
from ui.settings.frame import Frame
from ui.text import Words

KINDS = [
    "translate",
    "spanish",
    "translate_deep",
    "spanish_deep",
    "fresh_translate",
    "trained",
    "fresh",
    "notes",
]  # as the menu has them


def chosen(frame: Frame, lang: str) -> ModelAtHand:
    """The one that the frame names; from here on what is typed is for its words. A run may take a moment."""
    if frame.model != "run":
        at_hand = model_at_hand(frame)
    else:
        with st.spinner(Words("shell", lang)("model_awaited")):
            at_hand = model_at_hand(frame)
    if at_hand.trouble not in ("config", "pairs"):
        config = config_of(frame.run) if frame.model == "run" else at_hand.config  # also while it is awaited
        task = state.NUMBERS if config.words is None else config.words.name
        numbers = Frame.default().src
        if at_hand.fault:
            read = source_of(at_hand.fault, at_hand.run, lang)
            state.speak_words(task, read, read)
        else:
            state.speak_words(task, example(config, numbers), example(config, numbers, lang))
    return at_hand


def choice(frame: Frame, at_hand: ModelAtHand, lang: str) -> None:
    """The control, and below it what the model is."""
    shell = Words("shell", lang)
    kinds = [*KINDS, *(["run"] if frame.run else []), *(["own"] if session().own else [])]
    kinds += [] if frame.model in kinds else [frame.model]
    key = state.prepare_widget(state.FRAME, "model", frame.model)
    st.selectbox(
        shell("model"),
        kinds,
        kinds.index(frame.model),
        lambda kind: shell(f"model_kind.{kind}"),
        key,
        filter_mode=None,  # so few need no search, whose "No results" is English in every language
    )
    config = at_hand.config
    missing(frame, at_hand, lang)
    st.caption(
        shell(
            "model_sizes" if at_hand.own is None else "model_sizes_file" if at_hand.step is None else "model_sizes_own",
            file=at_hand.own.file if at_hand.own else "",
            N=config.N,
            d_model=config.d_model,
            h=config.h,
            vocab=config.vocab if config.vocab == config.tgt_vocab else f"{config.vocab} / {config.tgt_vocab}",
            step=at_hand.step,
            seed=at_hand.seed,
        )
    )

    if isinstance(config, TrainConfig):
        for name in ("positions", "look_ahead"):
            if not getattr(config, name):
                st.caption(shell(f"model_without.{name}"))
    if config.learned_positions:
        st.caption(shell("model_learned_positions"))
    if config.shape.tied:
        st.caption(shell("model_tied"))


def missing(frame: Frame, at_hand: ModelAtHand, lang: str) -> None:
    """Why another model stands in for the one that the frame names, where one does."""
    if at_hand.awaited:
        _look_again(frame, lang)
    elif at_hand.trouble:
        st.warning(Words("shell", lang)(f"model_missing.{at_hand.trouble}"))


@partial(fragment, run_every=2)
def _look_again(frame: Frame, lang: str) -> None:
    """Until the run is trained: say that the shipped model stands in for it."""
    at_hand = model_at_hand(frame, 0)
    if not at_hand.awaited:
        state.run_again()
    shell = Words("shell", lang)
    said = shell("model_lost" if at_hand.trouble == "lost" else "model_awaited")
    st.info(and_wait(said, at_hand.eta, lang))
