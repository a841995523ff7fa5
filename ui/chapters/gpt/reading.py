"""What a reader types for a model of one stack, and what that computes at one place of the row."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from transformer_core.tasks.vocabulary import END
from ui.figures import Board, Operand, Panel
from ui.figures.board import Few
from ui.figures.formula import I, J, Matrix, by_column
from ui.figures.paper import share, softmax
from ui.inputs.sequence import NotASequence, tokens
from ui.inputs.typed_numbers import Mistyped
from ui.model.rows import Row, row_example, row_recorded, task_of
from ui.model.shipped import one_stack
from ui.sections import AnyChapter, controls, provenance
from ui.sections.sequence_fields import field, offer_near

SHOWN = 8  # words that are named, the most probable ones


def longest_prompt(kind: str) -> int:
    """Words, so that start symbol and one more word have room."""
    return task_of(kind).longest - 2


def typed_row(text: str, kind: str) -> Row:
    """The words that a reader has typed, no more than have room, without symbols. NotASequence if they are none."""
    vocabulary = task_of(kind).vocabulary
    read = tuple(token for token in tokens(text, vocabulary, longest_prompt(kind)) if token > END)
    if not read:
        raise NotASequence("sequence.no_words", count=len(vocabulary.words))
    return read


def words_of(chapter: AnyChapter, setting: str, kind: str) -> Row:
    """The words in a section's field; of an empty one the reader's language's example, of one that cannot be read what
    it said last."""
    controls.text(chapter, setting, row_example(chapter.say, f"{setting}.example", kind))
    found, problem = read_words(chapter, setting, kind)
    if problem:
        st.warning(chapter.shell(problem.key, **problem.values))
        offer_near(chapter, setting, task_of(kind).vocabulary)
    return found


def read_words(chapter: AnyChapter, setting: str, kind: str) -> tuple[Row, Mistyped | None]:
    """The same without the field, and what is wrong."""
    example = row_example(chapter.say, f"{setting}.example", kind)

    def read(said: str) -> Row:
        return typed_row(said if said.strip() else example, kind)

    found, problem = field(chapter, setting, read)
    return found or read(example), problem


def layer_of(chapter: AnyChapter, setting: str, kind: str) -> int:
    return controls.number_of(chapter, setting, one_stack(kind).model.shape.N)


def place_board(chapter: AnyChapter, kind: str, row: Row, at: int, layer: int, title: str) -> Board:
    """What the model predicts at a place of the row, and what each head of a layer attends to there."""
    say, trace, names = chapter.say, row_recorded(kind, row), task_of(kind).vocabulary.names
    stack = one_stack(kind).model.shape.kind
    path = f"{stack}.layers.{layer}.self_attn"
    seen = len(row) if stack == "encoder" else at + 1
    logits = trace["generator.logits"][0, at : at + 1].numpy()
    chances = probabilities(kind, row)[at : at + 1]
    few = Few.largest(chances[0], SHOWN)
    scores, weights = (trace[f"{path}.{name}"][0, :, at, :seen].numpy() for name in ("masked", "weights"))
    whose = say("fill.heads" if stack == "encoder" else "heads", layer=layer)
    one = softmax(Matrix("logits"), few.size, few.at(J))
    rest = share(lambda k: Matrix("logits")[I, k], few.size, few.others)
    panels = [
        Panel(
            "next", few.of(chances), title, col_labels=few.names(names, say("others")), col_axis=say("word_axis"),
            borders=few.borders, scale="probability", symbol="p", print_values=True, meaning="decoder",
            made=by_column(*[one] * len(few.shown), rest), place=(0, 0),
        ),
        Panel(
            "heads", weights, whose, [say("head_row", head=head) for head in range(len(weights))],
            labels(kind, row[:seen]), col_axis=say("key_axis"), scale="probability", symbol="α", meaning="attention",
            made=softmax(Matrix("scores"), seen), place=(0, 1),
        ),
    ]  # fmt: skip
    return Board(panels, [Operand("logits", logits, "logit"), Operand("scores", scores, "s")], result="next")


def probabilities(kind: str, row: Row) -> np.ndarray:
    """Of every token at every place: (length, vocab)."""
    return np.exp(row_recorded(kind, row)["generator.log_probs"][0].numpy())


def labels(kind: str, row: Sequence[int]) -> list[str]:
    return task_of(kind).vocabulary.names_of(row)


def origin(kind: str, name: str, *shape: int) -> str:
    checkpoint = one_stack(kind)
    assert checkpoint.config is not None
    return f"{kind} · {provenance(name, *shape)} · step {checkpoint.step} · seed {checkpoint.config.seed}"
