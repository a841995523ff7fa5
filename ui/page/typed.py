"""The reader's sequences, which all chapters read: their fields, what is wrong with them, and other ones to take."""

import random
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import streamlit as st

from transformer_core.tasks import OwnPairs, Vocabulary
from transformer_core.tasks.grammar import english_chinese
from transformer_core.training.state_dict import ModelConfig
from ui import address
from ui.figures.markup import glossed
from ui.frame.chapter import Chapter
from ui.model.answer import answer
from ui.reading.gloss import glosses_for
from ui.reading.sequence import NotASequence, example, parse, tokens
from ui.reading.sequences import Sequences, shifted
from ui.settings.frame import LETTERS, Frame
from ui.text import LITERAL, is_han

LONGEST = 40  # tokens a reader may type: a figure of 40 × 40 can still be read
OFFERED = 200  # sentences that "another one" is taken from; none of them is ever trained on


def source_or_example(chapter: Chapter[Any], longest: int) -> tuple[int, ...]:
    """The source that the link has, or where the model at hand cannot read that, the model's example."""
    at_hand = chapter.at_hand
    try:
        return parse(chapter.frame.src, at_hand.source, longest)
    except NotASequence:
        return parse(example(at_hand.config, Frame().src, chapter.lang), at_hand.source, longest)


def sequence(
    chapter: Chapter[Any],
    name: str,
    config: ModelConfig | None = None,
    longest: int = LONGEST,
    below: AbstractContextManager[object] | None = None,
) -> tuple[int, ...] | None:
    """The source (`src`) or target (`tgt`), for the model at hand or one of `config`; None after saying what is wrong.

    An empty target is what the task makes of the source, and gives (). Symbols that were not typed are put around it,
    which a sentence says. Other sentences to take are offered under the field, or in `below`.
    """
    config = config or chapter.at_hand.config
    shell = chapter.shell
    vocabulary = _vocabulary(config, name)
    value = getattr(chapter.frame, name)
    if not chapter.hides(name):
        key = address.prepare_widget(address.FRAME, name, value)
        numbers = "" if config.words is None else "_words"
        pairs = isinstance(config.words, OwnPairs)
        value = st.text_input(
            shell(name),
            value,
            LETTERS,
            key,
            help=shell("start_symbol_pairs" if pairs else f"start_symbol{numbers}"),
            placeholder="" if pairs else shell(f"{name}_placeholder{numbers}"),
            on_change=chapter.then(setting=f"frame.{name}"),
        )
    try:
        read = _parsed(name, value, vocabulary, longest)
        if config.words is None and len(read) > (len(tokens(value, vocabulary, longest)) if read else 0):
            st.caption(shell("started", read=" ".join(vocabulary.labels(read))))
    except NotASequence as problem:
        st.warning(shell(problem.key, **problem.values))
        read = None
    if config.words is not None and name == "src" and not chapter.hides(name):
        with below or nullcontext():
            _others(chapter, config, vocabulary, read or (), in_one_row=below is not None)
        if read and config.words.answer(read) is None and isinstance(config.words, OwnPairs):
            st.caption(shell("outside_pairs"))
        elif read and config.words.answer(read) is None:
            english, chinese = english_chinese().longest
            st.caption(shell("outside", english=english, chinese=chinese))
    return read


def typed(chapter: Chapter[Any], name: str, config: ModelConfig | None = None) -> tuple[int, ...]:
    """What `sequence` reads, without its field and its words: () for what is no sequence."""
    try:
        vocabulary = _vocabulary(config or chapter.at_hand.config, name)
        return parse(getattr(chapter.frame, name), vocabulary, LONGEST)
    except NotASequence:
        return ()


def sequences(chapter: Chapter[Any]) -> Sequences | None:
    """Source and target as they are typed, wherever their fields are; None where one of them is no sequence."""
    config = chapter.at_hand.config
    try:
        src, tgt = (
            _parsed(name, getattr(chapter.frame, name), _vocabulary(config, name), LONGEST) for name in ("src", "tgt")
        )
    except NotASequence:
        return None
    return shifted(src, tgt or answer(chapter.at_hand, src), config.vocabularies)


def _parsed(name: str, value: str, vocabulary: Vocabulary, longest: int) -> tuple[int, ...]:
    return () if name == "tgt" and not value.strip() else parse(value, vocabulary, longest)


def _vocabulary(config: ModelConfig, name: str) -> Vocabulary:
    return config.vocabularies[name == "tgt"]


def _others(
    chapter: Chapter[Any], config: ModelConfig, vocabulary: Vocabulary, read: tuple[int, ...], in_one_row: bool
) -> None:
    """How the sentence is read, its symbols included; one click to another one, and one to all words."""
    shell, glosses = chapter.shell, glosses_for(chapter.lang, vocabulary)
    named = " ".join(glossed(name, glosses).translate(LITERAL) for name in vocabulary.labels(read))
    framed = shell("framed", read=named) if read else ""
    if framed and not in_one_row:
        st.caption(framed, unsafe_allow_html=True)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if framed and in_one_row:
            st.caption(framed, width="content", unsafe_allow_html=True)
        st.button(
            shell("another"),
            icon=":material/shuffle:",
            type="tertiary",
            key="another",
            on_click=chapter.then(partial(_another, config, chapter.lang)),
        )
        words = st.popover(
            shell("words"), icon=":material/list:", type="tertiary", key="words", on_change="rerun", width=88
        )
    if words.open:
        with words:
            listed = " · ".join(glossed(word, glosses).translate(LITERAL) for word in vocabulary.words)
            own = "&#8203;" if isinstance(config.words, OwnPairs) else ""  # else a first word of + would begin a list
            st.markdown(f"{own}{listed}", unsafe_allow_html=True)
            st.caption(shell("words_hint", count=len(vocabulary.words)))


def _another(config: ModelConfig, lang: str) -> None:
    """A sentence that no run has been trained on, other than the one that stands there and in its language; where none
    stands, in the reader's."""
    assert config.words is not None
    vocabulary = config.vocabularies[0]
    offered = {vocabulary.text(row) for row in config.words.held_out(OFFERED).src.tolist()}
    here = address.current(address.FRAME, Frame).src
    chinese = is_han(here.strip()) if here.strip() else lang == "zh"
    alike = {text for text in offered if is_han(text) == chinese}
    address.put(address.FRAME, "src", random.choice(sorted((alike or offered) - {here}) or [here]))
    address.put(address.FRAME, "tgt", "")
