"""Chapter training: the reader's own sequence through the model as it is."""

from functools import partial

import streamlit as st
import torch
from torch import Tensor

from transformer_core import PAD, START, EncoderDecoder, greedy_decode, padding_mask
from transformer_core.training.config import TrainConfig
from ui import controls, session
from ui.chapters.training.controls import shown_run
from ui.chapters.training.values import pace
from ui.figures.tokens import named
from ui.figures.training import verdict
from ui.fragment import fragment
from ui.recorded import measured
from ui.server.places import Refused
from ui.server.seat import seat
from ui.shell import Chapter

SELDOM = 2.5  # looks at the run to one here, so that they seldom fall together


def decoded(chapter: Chapter) -> None:
    config, seen = shown_run(chapter), seat().seen
    typed = controls.sequence(chapter, "src", config.vocab, session.LONGEST)
    if typed and len(typed) < 2:
        st.warning(chapter.say("too_short"))
    elif typed:
        running = seen is not None and seen.state == "running"
        fragment(decode, run_every=SELDOM * pace(config) if running else None)(chapter, config, typed)


def decode(chapter: Chapter, config: TrainConfig, src: tuple[int, ...]) -> None:
    """The reader's own sequence through the model as it is."""
    say, mine = chapter.say, seat()
    try:
        model, step = mine.latest() or (mine.runs.model(config, 0), 0)
    except Refused:
        model, step = None, 0
    if model is None:  # it had to make room for other readers' and is trained again, or the worker is
        st.info(say("model_again"))
        return
    here = session.ModelAtHand("run", config, step, config.seed)
    output = measured(here, ("greedy", src), partial(copy_of, model, src))["ids"].tolist()
    st.html(verdict(say("output"), named(output), named(src), say("label.mistake")))
    right = sum(given == token for given, token in zip(output[1:], src[1:]))
    st.markdown(say("output_of", step=step, right=right, of=len(src) - 1))


def copy_of(model: EncoderDecoder, src: tuple[int, ...]) -> dict[str, Tensor]:
    sources = torch.tensor([src])
    with torch.inference_mode():
        return {"ids": greedy_decode(model, sources, padding_mask(sources, PAD), len(src), START)[0]}
