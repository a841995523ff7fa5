"""The reader's own sequence through the model as it is."""

import streamlit as st

from transformer_core.training.config import TrainConfig
from transformer_core.training.probing import probe_of
from ui.chapters.training.controls import described, shown_run
from ui.chapters.training.figures.run import verdict
from ui.chapters.training.recipe import Recipe
from ui.chapters.training.values import pace
from ui.inputs.gloss import glosses_for
from ui.inputs.sequence import example, parse
from ui.model import ModelAtHand, output_of
from ui.sections import AnyChapter, Frame, Section, fragment, sequence
from ui.sections.sequence_fields import LONGEST, reading
from ui.session import session
from ui.training_service.queue import Refused

SELDOM = 2.5  # looks at the run to one here, so that they seldom fall together


@Section("decode", reads=(Recipe, Frame), types=("src",), look="open", text="text")
def decoded(chapter: AnyChapter) -> None:
    seen = session().seen
    if not seen and described(chapter.of(Recipe))[0] is None:
        st.info(chapter.say("decode.nothing"))
        return
    config = shown_run(chapter.of(Recipe))
    source = sequence(chapter, "src", config) if readable(chapter, config) else example_of(chapter, config)
    if source and len(source) < 2:
        st.warning(chapter.say("too_short"))
    elif source:
        going = seen is not None and seen.going
        fragment(decode, run_every=SELDOM * pace(config) if going else None)(chapter, config, source)


def readable(chapter: AnyChapter, config: TrainConfig) -> bool:
    """Whether the field of the sequence is for this run: it belongs to the model at hand, maybe of another task."""
    at_hand = chapter.at_hand.config
    alike = (at_hand.words is None) == (config.words is None)
    return at_hand.words == config.words or (alike and reading(chapter, "src", config)[1] is None)


def example_of(chapter: AnyChapter, config: TrainConfig) -> tuple[int, ...]:
    """What the run reads as long as the field is another model's."""
    source = probe_of(config) if config.words is None else parse(example(config, ""), config.vocabularies[0], LONGEST)
    chapter.write("decode.example", read=config.vocabularies[0].text(source))
    return source


def decode(chapter: AnyChapter, config: TrainConfig, src: tuple[int, ...]) -> None:
    """The reader's own sequence through the model as it is."""
    say, mine = chapter.say, session()
    try:
        model, step = mine.latest() or (mine.runs.model(config, 0), 0)
    except Refused:
        model, step = None, 0
    if model is None:  # it had to make room for other readers' and is trained again, or the worker is
        st.info(say("model_again"))
        return
    here = ModelAtHand("run", config, step, config.seed)
    output, wanted = output_of(here, src), config.answer(src) or ()
    names, glosses = config.vocabularies[1].labels, glosses_for(chapter.lang, *config.vocabularies)
    st.html(verdict(say("output"), names(output), names(wanted), say("label.mistake"), glosses))
    if wanted:
        right = sum(given == token for given, token in zip(output[1:], wanted[1:]))
        st.markdown(say("output_of", step=step, right=right, of=len(wanted) - 1))
