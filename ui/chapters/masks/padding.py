"""Paddings block keys, the look-ahead blocks the future, and both together are a broadcast."""

from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import PAD, START, padding_mask, subsequent_mask, target_mask
from transformer_core.tasks import WordTask
from transformer_core.tasks.padding import pad_sequences, random_sequences
from ui.chapters.masks.scores import LOOK_AHEAD, written
from ui.chapters.shared.attention_values import pairs
from ui.components.matrix import LabelClick
from ui.figures import Board, Figure, Panel
from ui.figures.formula import I, J, Matrix
from ui.inputs.typed_numbers import NotNumbers, whole_numbers
from ui.sections import AnyChapter, Chapter, Choice, Section, controls, kept, provenance, show
from ui.sections.sequence_fields import OFFERED
from ui.settings.fields import Settings, by_click, flag, text, whole

VOCAB = 8  # the notes' vocabulary: tokens 1…7 and the padding
MOST_SEQUENCES = 4

ASK_PADDED = Choice("ask_padded", ("row", "cell", "column"), right="column")


class Both(Settings):
    lengths: str = text("2 4", 40)  # the notes' batch
    width: int = whole(5, 1, 12)
    drawn: int = by_click(whole(0, 0, 9999))  # seed of the tokens
    which: int = whole(1, 0, MOST_SEQUENCES - 1)
    padded: str = by_click(text("", 200))  # tokens turned into paddings, `sequence.position`
    stretched: bool = flag(False)


class SequenceBatch(NamedTuple):
    tokens: Tensor  # (batch, width)
    which: int  # the one that the figure takes apart


def chosen_sequences(chapter: Chapter[Both]) -> SequenceBatch:
    """The batch as set, without its controls; NotNumbers while the lengths make no sense."""
    settings = chapter.settings
    lengths = whole_numbers(settings.lengths, 0, settings.width, MOST_SEQUENCES)
    at_hand = chapter.at_hand
    if at_hand.words is None:
        vocab = min(VOCAB, at_hand.config.vocab, at_hand.config.tgt_vocab)  # both sides of the model are to read them
        drawn = numbers(len(lengths), settings.width, settings.drawn, vocab)
    else:
        drawn = words(at_hand.words, len(lengths), settings.width, settings.drawn)
    tokens = batch(drawn, lengths, clicked(settings.padded))
    return SequenceBatch(tokens, min(settings.which, len(lengths) - 1))


def numbers(count: int, width: int, seed: int, vocab: int = VOCAB) -> Tensor:
    """Random tokens of the notes' vocabulary: (count, width). A token stays itself while lengths change."""
    generator = torch.Generator().manual_seed(seed)
    return torch.stack(random_sequences([width] * count, vocab, generator))


def words(task: WordTask, count: int, width: int, seed: int) -> Tensor:
    """Words of answers that no run is trained on, a sentence a row, begun anew where it ends: (count, width)."""
    answers = task.held_out(OFFERED).tgt.tolist()
    chosen = [answers[(seed + row) % len(answers)] for row in range(count)]
    sentences = [[token for token in answer if token not in (PAD, START, task.target.end)] for answer in chosen]
    return torch.tensor([(sentence * width)[:width] for sentence in sentences])


def batch(drawn: Tensor, lengths: tuple[int, ...], padded: frozenset[tuple[int, int]]) -> Tensor:
    """The first tokens of each row drawn, filled up to its width, those at `padded` (sequence, position) paddings."""
    width = drawn.size(1)
    tokens = pad_sequences([sequence[:length] for sequence, length in zip(drawn, lengths)], width, PAD)
    for sequence, position in padded:
        if sequence < len(lengths) and position < width:
            tokens[sequence, position] = PAD
    return tokens


def clicked(padded: str) -> frozenset[tuple[int, int]]:
    """The setting `padded` read: "1.0 1.3" -> {(1, 0), (1, 3)}; what is no such pair is passed over."""
    pairs = (word.split(".") for word in padded.split())
    return frozenset(
        (int(pair[0]), int(pair[1]))
        for pair in pairs
        if len(pair) == 2 and all(part.isascii() and part.isdigit() and len(part) < 4 for part in pair)
    )


def toggled(padded: str, sequence: int, position: int) -> str:
    """The setting `padded` after a click on a token: a padding made by a click becomes a token again."""
    pairs = clicked(padded) ^ {(sequence, position)}
    return " ".join(f"{sequence}.{position}" for sequence, position in sorted(pairs))


@Section("both", settings=Both, cell="both_cell", look="open", text="text", why="why", lesson=(ASK_PADDED,))
def both(chapter: Chapter[Both]) -> None:
    say, settings, above = chapter.say, chapter.settings, chapter.figure_first()
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    with left:
        controls.text(chapter, "lengths")
    with middle:
        controls.slider(chapter, "width")
    try:
        tokens, _ = chosen_sequences(chapter)
    except NotNumbers as problem:
        st.warning(say(f"lengths_problem.{problem.key}", **problem.values))
        return
    with right:
        which = controls.number_of(chapter, "which", len(tokens))
    with st.container(horizontal=True, vertical_alignment="center"):
        stretched = controls.toggle(chapter, "stretched")
        if not chapter.hides("drawn"):
            redraw = partial(chapter.put, "drawn", (settings.drawn + 1) % 10_000)
            st.button(say("redraw"), icon=":material/casino:", on_click=chapter.then(redraw))
    batch = SequenceBatch(tokens, which)
    about = tuple(map(tuple, tokens.tolist())), which, stretched
    figure = kept(chapter, partial(_figure, chapter, batch, stretched), *about)

    def turn(label: LabelClick) -> None:
        if label.panel != "tokens":
            chapter.put("padded", toggled(chapter.settings.padded, which, label.index))

    show(above, figure, on_label=chapter.then(turn))
    if not (tokens[which] != PAD).any():
        st.info(say("both.all_padding"))


def _figure(chapter: Chapter[Both], batch: SequenceBatch, stretched: bool) -> Figure:
    tokens, which = batch
    return Figure(
        "both",
        Board(panels(chapter, batch, stretched)),
        provenance("target_mask(tokens)", len(tokens), tokens.size(1), tokens.size(1)),
        code=[padding_mask, subsequent_mask, target_mask],
        program=program(tokens, which),
    )


def names_of(chapter: AnyChapter, tokens: Tensor) -> list[str]:
    return [chapter.at_hand.target.every[token] for token in tokens.tolist()]


def panels(chapter: Chapter[Both], sequences: SequenceBatch, stretched: bool) -> list[Panel]:
    say = chapter.say
    tokens, which = sequences
    B, T = tokens.shape
    names = names_of(chapter, tokens[which])
    paddings = (tokens[which] == PAD).nonzero().flatten().tolist()
    square = partial(pairs(chapter, names, paddings=paddings), scale="mask", label_events=True)
    row = square if stretched else partial(square, row_labels=(), row_axis="", padded_rows=())
    rows = T if stretched else 1
    padding, ahead = Matrix("padding"), Matrix("ahead")
    return [
        Panel(
            "tokens",
            tokens.numpy(),
            say("tokens", shape=f"({B}, {T})"),
            [say("sequence", number=number) for number in range(B)],
            col_axis=say("position_axis"),
            vacant=(tokens == PAD).numpy(),
            scale="plain",
            symbol="token",
            print_values=True,
        ),
        row(
            "padding",
            np.broadcast_to(padding_mask(tokens)[which].int().numpy(), (rows, T)),
            say("padding_stretched" if stretched else "padding", shape=f"({B}, {rows}, {T})"),
            place=(1, 0),
            made=Matrix("tokens")[which, J].differs_from(PAD),
        ),
        square(
            "ahead",
            subsequent_mask(T)[0].int().numpy(),
            say("ahead", shape=f"({B if stretched else 1}, {T}, {T})"),
            place=(1, 1),
            made=LOOK_AHEAD,
        ),
        square(
            "both",
            target_mask(tokens)[which].int().numpy(),
            say("both.panel", shape=f"({B}, {T}, {T})"),
            place=(1, 2),
            made=padding[I if stretched else 0, J] * ahead[I, J],
        ),
    ]


def program(tokens: Tensor, which: int) -> str:
    width = tokens.size(1)
    return f"""import torch

tokens = torch.tensor({written(tokens.tolist())})
padding = (tokens != 0).unsqueeze(1)  # (batch, 1, {width})
look_ahead = torch.ones(1, {width}, {width}, dtype=torch.bool).tril()
both = padding & look_ahead  # (batch, {width}, {width}), True = may attend
shown = both[{which}].int()
print(shown)"""
