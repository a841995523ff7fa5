"""The attention that the reader asked for: sequences as typed, values as the model at hand computed them."""

from dataclasses import dataclass

import streamlit as st
import torch

from transformer_core import PAD, Trace, padding_mask, softmax_steps, target_mask
from transformer_core.attention import BLOCKED
from transformer_core.tasks import Vocabulary
from ui.answer import answer
from ui.figures.stages import Head, Names
from ui.shell import Chapter
from ui.text import Words
from ui.typed import sequence

MODULES = {
    "encoder": "encoder.layers.{}.self_attn",
    "decoder": "decoder.layers.{}.self_attn",
    "cross": "decoder.layers.{}.src_attn",
}
UNKNOWN = "?"
SHOWN = 64  # dimensions of a wide model that fit side by side


@dataclass(frozen=True)
class Sequences:
    """Source tokens, what the decoder is given, and what it has to predict at each of its positions."""

    src: tuple[int, ...]
    given: tuple[int, ...]
    predicted: tuple[int, ...]
    source: Vocabulary
    target: Vocabulary

    @property
    def sources(self) -> list[str]:
        """The source as labels."""
        return self.source.labels(self.src)

    @property
    def targets(self) -> list[str]:
        """What the decoder is given, as labels."""
        return self.target.labels(self.given)

    @property
    def answers(self) -> list[str]:
        """What each of the decoder's rows has to predict, as labels."""
        return self.target.labels((*self.given[:1], *self.predicted))[1:] or [UNKNOWN]

    @property
    def steps(self) -> list[str]:
        """The decoder's rows: `given → predicted`."""
        return [f"{token} → {next_one}" for token, next_one in zip(self.targets, self.answers)]


def shifted(src: tuple[int, ...], tgt: tuple[int, ...], vocabularies: tuple[Vocabulary, Vocabulary]) -> Sequences:
    """Teacher forcing: the decoder is given the target without its last token and predicts it without its first."""
    return Sequences(src, tgt[:-1] or tgt, tgt[1:], *vocabularies)


def typed(chapter: Chapter) -> Sequences | None:
    """The two fields for the reader's sequences; None after saying what is wrong with one of them."""
    left, right = st.columns(2)
    below = None if chapter.at_hand.words is None else st.container()  # the width of a phone is too little for two
    with left:
        src = sequence(chapter, "src", below=below)
    with right:
        tgt = sequence(chapter, "tgt")
    if src is None or tgt is None:
        return None
    return shifted(src, tgt or answer(chapter.at_hand, src), chapter.at_hand.config.vocabularies)


def path(kind: str, layer: int) -> str:
    """Where in the model an attention is: `decoder.layers.0.src_attn`."""
    return MODULES[kind].format(layer)


def mask_of(kind: str, sequences: Sequences) -> torch.Tensor:
    """True where a query may attend: (T, S) bool."""
    if kind == "decoder":
        return target_mask(torch.tensor([sequences.given]), PAD)[0]
    queries = sequences.src if kind == "encoder" else sequences.given
    return padding_mask(torch.tensor([sequences.src]), PAD)[0].expand(len(queries), -1)


def window(first: int, size: int) -> slice:
    """Which of `size` dimensions are shown: SHOWN of them from `first` on, or the last ones."""
    start = min(first, max(0, size - SHOWN))
    return slice(start, min(start + SHOWN, size))


def head_of(trace: Trace, kind: str, layer: int, head: int, sequences: Sequences, scale: bool = True) -> Head:
    """One head out of a recording. The weights are those before dropout; `scale` is the model's setting."""
    names = {"q": "query", "k": "key", "v": "value", "output": "heads"}
    names |= {name: name for name in ("products", "scores", "masked", "weights")}
    values = {name: trace[f"{path(kind, layer)}.{tap}"][0, head] for name, tap in names.items()}
    exponentials = softmax_steps(values["masked"]).exponentials
    arrays = {name: value.numpy() for name, value in values.items()}
    mask = mask_of(kind, sequences).numpy()
    return Head(**arrays, exponentials=exponentials.numpy(), mask=mask, blocked=BLOCKED, scale=scale)


def names_of(say: Words, kind: str, sequences: Sequences, titles: dict[str, str]) -> Names:
    """Tokens as labels. A decoder row is named by the token it is given and the one it has to predict."""
    queries = sequences.src if kind == "encoder" else sequences.given
    keys = sequences.given if kind == "decoder" else sequences.src
    return Names(
        titles=titles,
        query_axis=say("query_axis"),
        key_axis=say("key_axis"),
        key_row_axis=say("key_row_axis"),
        dimension_axis=say("dimension_axis"),
        queries=sequences.sources if kind == "encoder" else sequences.steps,
        keys=sequences.targets if kind == "decoder" else sequences.sources,
        padded_queries=[at for at, token in enumerate(queries) if token == PAD],
        padded_keys=[at for at, token in enumerate(keys) if token == PAD],
    )
