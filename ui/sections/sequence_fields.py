"""The reader's sequences, which all chapters read: their fields, what is wrong with them, and other ones to take."""

import random
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import Any, TypeVar

import streamlit as st

from transformer_core.tasks import OwnPairs, Translation, Vocabulary
from transformer_core.training.state_dict import ModelConfig
from ui import state
from ui.figures.markup import glossed
from ui.frame.chapter import Chapter
from ui.inputs.direction import same_language
from ui.inputs.gloss import glosses_for
from ui.inputs.nearest_sentence import nearest, nearest_words
from ui.inputs.sequence import NotASequence, TypedSequences, example, parse, shifted, tokens
from ui.inputs.typed_numbers import Mistyped
from ui.model.recorded import answer
from ui.settings.frame import LETTERS, Frame
from ui.text import LITERAL, Typed

T = TypeVar("T")
LONGEST = 40  # tokens a reader may type: a figure of 40 × 40 can still be read
OFFERED = 200  # sentences that "another one" is taken from; none of them is ever trained on


def reading(
    chapter: Chapter[Any], name: str, config: ModelConfig | None = None, longest: int = LONGEST
) -> tuple[tuple[int, ...], NotASequence | None]:
    """The source (`src`) or target (`tgt`) as it is typed; where that is no sequence, the last one that was, or else
    the model's example, and what is wrong."""
    config = config or chapter.at_hand.config
    vocabulary, text = _vocabulary(config, name), getattr(chapter.frame, name)
    try:
        read = _parsed(name, text, vocabulary, longest)
    except NotASequence as problem:
        last = state.recall(f"read.{name}") or ""
        if last:
            with suppress(NotASequence):
                return _parsed(name, last, vocabulary, longest), problem
        shown = example(config, Frame().src, chapter.lang) if name == "src" else ""
        return _parsed(name, shown, vocabulary, longest), problem
    state.remember(f"read.{name}", text)
    return read, None


def field(chapter: Chapter[Any], setting: str, read: Callable[[str], T]) -> tuple[T | None, Mistyped | None]:
    """What a section's own field says; where that cannot be read, what it said last, if that was anything, and what is
    wrong."""
    name, text = f"read.{chapter.name}.{setting}", getattr(chapter.settings, setting)
    try:
        found = read(text)
    except Mistyped as problem:
        last = state.recall(name)
        with suppress(Mistyped):
            return (None if last is None else read(last)), problem
        return None, problem
    state.remember(name, text)
    return found, None


def source_of(chapter: Chapter[Any], longest: int) -> tuple[int, ...]:
    """The source that is read, of at most so many tokens."""
    return reading(chapter, "src", longest=longest)[0]


def sequence(
    chapter: Chapter[Any],
    name: str,
    config: ModelConfig | None = None,
    longest: int = LONGEST,
    below: AbstractContextManager[object] | None = None,
    kept: bool = True,
) -> tuple[int, ...]:
    """The source (`src`) or target (`tgt`), for the model at hand or one of `config`. What cannot be read is said below
    the field, with the nearest that can; what was read last stays, and is named if figures have `kept` it.

    An empty target is what the task makes of the source, and gives (). Symbols that were not typed are put around it,
    which a sentence says. Other sentences to take are offered under the field, or in `below`.
    """
    config = config or chapter.at_hand.config
    shell = chapter.shell
    vocabulary = _vocabulary(config, name)
    value = getattr(chapter.frame, name)
    if not chapter.hides(name):
        key = state.prepare_widget(state.FRAME, name, value)
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
    own = state.of_the_reader(chapter.frame)
    if name == "src" and own.src == value:  # typed since, or the reader's all along
        state.put(state.FRAME, "own", "")
    if name == "src" and own.src != value and own.model == chapter.frame.model and not chapter.hides(name):
        st.button(
            shell("own_back", sentence=own.src.translate(LITERAL)), icon=":material/undo:", type="tertiary",
            key="src.own", on_click=chapter.then(partial(state.give_back, "src", "tgt")),
        )  # fmt: skip
    read, problem = reading(chapter, name, config, longest)
    if problem:
        _mistyped(chapter, name, config, longest, problem, read if kept else ())
    elif config.words is None and len(read) > (len(tokens(value, vocabulary, longest)) if read else 0):
        st.caption(shell("started", read=" ".join(vocabulary.labels(read))))
    if config.words is not None and name == "src" and not chapter.hides(name):
        with below or nullcontext():
            _others(chapter, config, vocabulary, () if problem else read, in_one_row=below is not None)
        if not problem and config.words.answer(read) is None and isinstance(config.words, OwnPairs):
            st.caption(shell("outside_pairs"))
        elif not problem and isinstance(config.words, Translation) and config.words.answer(read) is None:
            english, other = config.words.grammar.longest
            said = shell(f"language.{config.words.language}")
            st.caption(shell("outside", english=english, other=other, language=said))
    return read


def with_answer(chapter: Chapter[Any], longest: int) -> tuple[tuple[int, ...], dict[str, str]]:
    """The same, but for a sentence to which nobody knows the right answer: then the model's example, if it has one, and
    what a link says of that."""
    read, config = source_of(chapter, longest), chapter.at_hand.config
    if config.words is not None and config.answer(read) is None:
        text = example(config, Frame().src, chapter.lang)
        other = parse(text, chapter.at_hand.source, longest)
        if config.answer(other) is not None:
            return other, {"src": text}
    return read, {}


def typed(chapter: Chapter[Any], name: str, config: ModelConfig | None = None) -> tuple[int, ...]:
    """What `sequence` reads, without its field and its words."""
    return reading(chapter, name, config)[0]


def sequences(chapter: Chapter[Any]) -> TypedSequences:
    """Source and target as they are read, wherever their fields are."""
    src, tgt = (typed(chapter, name) for name in ("src", "tgt"))
    return shifted(src, tgt or answer(chapter.at_hand, src), chapter.at_hand.config.vocabularies)


def _mistyped(
    chapter: Chapter[Any],
    name: str,
    config: ModelConfig,
    longest: int,
    problem: NotASequence,
    read: tuple[int, ...],
) -> None:
    """What is wrong, what is shown meanwhile, and the nearest that can be read, which a press takes."""
    shell, vocabulary = chapter.shell, _vocabulary(config, name)
    still = shell("unread.still", read=Typed(_written(read, vocabulary))) if read else ""
    st.warning("\n\n".join(filter(None, (shell(problem.key, **problem.values), still))))
    if chapter.hides(name):
        return
    if name == "src":
        near = nearest(chapter.frame.src, config, Frame().src, longest, chapter.lang)
    else:
        near = _written(answer(chapter.at_hand, typed(chapter, "src")), vocabulary)
    _take_button(chapter, name, near, partial(state.put, state.FRAME, name, near))


def offer_near(chapter: Chapter[Any], setting: str, vocabulary: Vocabulary) -> None:
    """Below a section's own field that cannot be read: its text with the known words most like its own, which a press
    takes; nothing where none is like any, or the field is hidden."""
    typed = getattr(chapter.settings, setting)
    near = nearest_words(typed, vocabulary, LONGEST)
    if near not in ("", typed) and not chapter.hides(setting):
        _take_button(chapter, f"{chapter.name}.{setting}", near, partial(chapter.put, setting, near))


def _take_button(chapter: Chapter[Any], name: str, near: str, take: Callable[[], object]) -> None:
    st.button(
        chapter.shell("unread.take", sentence=near.translate(LITERAL)), icon=":material/subdirectory_arrow_left:",
        type="tertiary", key=f"{name}.nearest", on_click=chapter.then(take),
    )  # fmt: skip


def _written(tokens: tuple[int, ...], vocabulary: Vocabulary) -> str:
    return " ".join(map(str, tokens)) if vocabulary.of_numbers_alone else vocabulary.text(tokens)


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
    here = state.current(state.FRAME, Frame).src
    like = here if here.strip() else example(config, "", lang)
    fitting = {text for text in offered if same_language(config.words, text, like)}
    state.put(state.FRAME, "src", random.choice(sorted((fitting or offered) - {here}) or [here]))
    state.put(state.FRAME, "tgt", "")
