"""What the chapter on tokens looks up: a sequence in the model at hand, or the notes' batches in new tables."""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st
import torch
from torch import Tensor

from transformer_core import Embeddings
from transformer_core.random_seed import Seeded
from transformer_core.tasks import Vocabulary
from transformer_core.tasks.padding import pad_sequences, random_sequences
from ui.chapters.shared.model_program import model_snippet
from ui.inputs.sequence import tokens as read
from ui.inputs.typed_numbers import NotNumbers, whole_numbers
from ui.model import ModelAtHand
from ui.sections import Chapter, controls, provenance, sequence
from ui.sections.sequence_fields import LONGEST, reading
from ui.settings.fields import Settings, choice, text, whole

FIVE = (4, 5, 8, 8, 1)
MOST_SEQUENCES = 6
WIDEST = 20  # tokens per row of a batch
SHOWN_DIMENSIONS = 24
SIDES = ("src", "tgt")


class OfExamples(Settings):
    example: str = choice("typed", "typed", "lengths", "five")
    width: int = whole(12, 1, 40)  # tokens per padded row of the typed sequence
    src_lengths: str = text("2 4", 40)  # the notes' batch, and the sizes that go with it
    tgt_lengths: str = text("4 3", 40)
    batch_width: int = whole(5, 1, WIDEST)
    vocab: int = whole(8, 2, 32)
    d_model: int = whole(16, 1, 24)
    seed: int = whole(0, 0, 99)
    side: str = choice("src", *SIDES)
    row: int = whole(0, 0, 7)  # the sequence of the batch that is looked up
    first: int = whole(0, 0, 488)  # first dimension shown of a wide model


class LookupTable(NamedTuple):
    """Where tokens are looked up: the source table of the model at hand, or a new one."""

    embeddings: Embeddings
    name: str  # of what it gives
    origin: Callable[..., str]  # the provenance line, from an expression and a shape
    made_by: str  # lines of Python that make `table`


class Example(NamedTuple):
    """Padded ids of one or two sides, (batch, width) each, and the table in which a row of one side is looked up."""

    ids: dict[str, Tensor]
    side: str
    row: int
    table: LookupTable
    first: int = 0  # dimension on screen
    words: Vocabulary | None = None  # the names of the tokens, where they have any but their ids

    @property
    def sequence(self) -> Tensor:
        """The row that is looked up: (width,)."""
        return self.ids[self.side][self.row]

    def labels(self, tokens: list[int]) -> list[str]:
        return list(map(str, tokens)) if self.words is None else self.words.labels(tokens, ids=True)

    @property
    def names(self) -> list[str]:
        """The words of the row that is looked up; none where its tokens are called by their ids."""
        if self.words is None or self.words.of_numbers_alone:
            return []
        return self.words.labels(self.sequence.tolist())

    @property
    def rows(self) -> list[str]:
        ids = [str(token) for token in range(len(self.table.embeddings.lut.weight))]
        if self.words is None or self.words.of_numbers_alone:
            return ids
        return [f"{name} {token}" for name, token in zip(self.words.every, ids)]


def seeded_embeddings(d_model: int, vocab: int, seed: int, padding_idx: int | None = None) -> Embeddings:
    """An untrained table as `nn.Embedding` starts it: normal, mean 0, variance 1. Torch's own seed stays as it was."""
    with Seeded(seed):
        return Embeddings(d_model, vocab, padding_idx)


def own_table(at_hand: ModelAtHand) -> LookupTable:
    embeddings = at_hand.load().get_submodule("src_embed.0")
    assert isinstance(embeddings, Embeddings)
    made_by = f"{model_snippet(at_hand)}\ntable = model.src_embed[0].lut\n"
    return LookupTable(embeddings, "src_embed.0.output", at_hand.provenance, made_by)


def new_table(d_model: int, vocab: int, seed: int) -> LookupTable:
    def origin(what: str, *shape: int) -> str:
        return provenance(what, *shape) + f" · seed {seed}"

    made_by = f"import torch\n\ntorch.manual_seed({seed})\ntable = torch.nn.Embedding({vocab}, {d_model})\n"
    return LookupTable(seeded_embeddings(d_model, vocab, seed), f"Embeddings({d_model}, {vocab})", origin, made_by)


def typed(chapter: Chapter[OfExamples]) -> Example | None:
    """The reader's source, padded, in the source table of the model at hand."""
    at_hand = chapter.at_hand
    columns = st.columns([3, 2, 2])
    with columns[0]:
        tokens = sequence(chapter, "src")
    with columns[1]:
        width = controls.slider(chapter, "width")
    with columns[2]:
        first = controls.slider(chapter, "first", 0, max(0, at_hand.config.d_model - SHOWN_DIMENSIONS))
    written = len(tokens) if reading(chapter, "src")[1] else len(read(chapter.frame.src, at_hand.source, LONGEST))
    if written < len(tokens) > width:
        st.warning(chapter.say("too_narrow_started", typed=written, width=width))
        return None
    ids = _padded(chapter, [torch.tensor(tokens)], width)
    if ids is None:
        return None
    return Example({"src": ids}, "src", 0, own_table(at_hand), first, at_hand.source)


def lengths(chapter: Chapter[OfExamples]) -> Example | None:
    """A batch of random sequences of the lengths typed, sources and targets, each side with a table of its own."""
    columns = st.columns([2, 2, 3, 2, 3, 2], vertical_alignment="bottom")
    texts = []
    for side, column in zip(SIDES, columns):
        with column:
            texts.append(controls.text(chapter, f"{side}_lengths"))
    with columns[2]:
        width = controls.slider(chapter, "batch_width")
    with columns[3], st.popover(chapter.say("more"), width="stretch"):
        vocab = controls.slider(chapter, "vocab")
        d_model = controls.slider(chapter, "d_model")
        seed = controls.slider(chapter, "seed")
    lengths_of = [_typed_numbers(chapter, text) for text in texts]
    generator = torch.Generator().manual_seed(seed)
    ids = {}
    for side, drawn in zip(SIDES, lengths_of):
        if drawn is None:
            return None
        batch = _padded(chapter, random_sequences(drawn, vocab, generator), width)
        if batch is None:
            return None
        ids[side] = batch
    with columns[4]:
        side = controls.choose(chapter, "side")
    with columns[5]:
        row = controls.number_of(chapter, "row", len(ids[side]))
    return Example(ids, side, row, new_table(d_model, vocab, seed + SIDES.index(side)))


def five(chapter: Chapter[OfExamples]) -> Example:
    """The five tokens of the overview, one of them twice, in a table of ten rows."""
    return Example({"src": torch.tensor([FIVE])}, "src", 0, new_table(16, 10, chapter.settings.seed))


def _typed_numbers(chapter: Chapter[OfExamples], text: str) -> tuple[int, ...] | None:
    try:
        return whole_numbers(text, 1, WIDEST, MOST_SEQUENCES)
    except NotNumbers as problem:
        st.warning(chapter.say(f"numbers.{problem.key}", **problem.values))
        return None


def _padded(chapter: Chapter[OfExamples], sequences: list[Tensor], width: int) -> Tensor | None:
    longest = max(len(sequence) for sequence in sequences)
    if longest > width:
        st.warning(chapter.say("too_narrow", longest=longest, width=width))
        return None
    return pad_sequences(sequences, width)
