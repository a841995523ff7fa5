"""The attention that the reader asked for: sequences as typed, values as the model at hand computed them."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st
import torch

from transformer_core import PAD, Trace, padding_mask, softmax_steps, target_mask
from transformer_core.attention import BLOCKED
from ui.figures import Board, Panel, stages
from ui.figures.stages import HeadValues, Names
from ui.inputs.sequences import TypedSequences
from ui.sections import AnyChapter, sequence
from ui.text import Words

# Panels with a row for each query and a column for each key.


def pairs(
    chapter: AnyChapter, keys: Sequence[str], queries: Sequence[str] | None = None, paddings: Sequence[int] = ()
) -> Callable[..., Panel]:
    """Makes panels with a row for each query and a column for each key; the queries are the keys unless named."""
    return partial(
        Panel,
        row_labels=keys if queries is None else queries,
        col_labels=keys,
        row_axis=chapter.say("query_axis"),
        col_axis=chapter.say("key_axis"),
        padded_rows=paddings,
        padded_cols=paddings,
    )


def numbered(size: int) -> list[str]:
    return [str(position) for position in range(size)]


MODULES = {
    "encoder": "encoder.layers.{}.self_attn",
    "decoder": "decoder.layers.{}.self_attn",
    "cross": "decoder.layers.{}.src_attn",
}
SHOWN = 64  # dimensions of a wide model that fit side by side


def fields(chapter: AnyChapter) -> None:
    """Those for the reader's sequences, and what is wrong with one of them."""
    left, right = st.columns(2)
    below = None if chapter.at_hand.words is None else st.container()  # the width of a phone is too little for two
    with left:
        sequence(chapter, "src", below=below)
    with right:
        sequence(chapter, "tgt")


def path(kind: str, layer: int) -> str:
    """Where in the model an attention is: `decoder.layers.0.src_attn`."""
    return MODULES[kind].format(layer)


def mask_of(kind: str, sequences: TypedSequences) -> torch.Tensor:
    """True where a query may attend: (T, S) bool."""
    if kind == "decoder":
        return target_mask(torch.tensor([sequences.given]), PAD)[0]
    queries = sequences.src if kind == "encoder" else sequences.given
    return padding_mask(torch.tensor([sequences.src]), PAD)[0].expand(len(queries), -1)


def window(first: int, size: int) -> slice:
    """Which of `size` dimensions are shown: SHOWN of them from `first` on, or the last ones."""
    start = min(first, max(0, size - SHOWN))
    return slice(start, min(start + SHOWN, size))


def head_of(
    trace: Trace, kind: str, layer: int, head: int, sequences: TypedSequences, scale: bool = True
) -> HeadValues:
    """One head out of a recording. The weights are those before dropout; `scale` is the model's setting."""
    names = {"q": "query", "k": "key", "v": "value", "output": "heads"}
    names |= {name: name for name in ("products", "scores", "masked", "weights")}
    values = {name: trace[f"{path(kind, layer)}.{tap}"][0, head] for name, tap in names.items()}
    exponentials = softmax_steps(values["masked"]).exponentials
    arrays = {name: value.numpy() for name, value in values.items()}
    mask = mask_of(kind, sequences).numpy()
    return HeadValues(**arrays, exponentials=exponentials.numpy(), mask=mask, blocked=BLOCKED, scale=scale)


def names_of(say: Words, kind: str, sequences: TypedSequences, titles: dict[str, str]) -> Names:
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


def weights_board(chapter: AnyChapter, values: HeadValues, kind: str, cell: str = "cell") -> Board:
    """How the weights of one head are made, in the words of the chapter on that."""
    words = Words("attention", chapter.lang)
    titles = {panel: words(f"panel.{panel}") for line in stages.LINES["weights"] for panel in line}
    return stages.board(values, names_of(words, kind, chapter.typed, titles), "weights", cell=cell)
