"""The attention that the reader asked for: sequences as typed, values as the model at hand computed them."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st
import torch

from transformer_core import PAD, Trace, padding_mask, softmax_steps, target_mask
from transformer_core.attention import BLOCKED
from ui.chapters.shared.model_program import model_snippet
from ui.figures import Board, Panel, stages
from ui.figures.stages import HeadValues, Names
from ui.inputs.sequence import TypedSequences
from ui.model import ModelAtHand
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


_MASKS = {"encoder": "padding_mask(src)[0]", "decoder": "target_mask(tgt)[0]", "cross": "padding_mask(src)[0]"}


def recording(at_hand: ModelAtHand, sequences: TypedSequences) -> str:
    """Runs the model on the sequences, to the logits; every value is then in `trace`."""
    return (
        f"{model_snippet(at_hand)}from transformer_core import padding_mask, record, target_mask\n\n"
        f"src, tgt = torch.tensor([{list(sequences.src)}]), torch.tensor([{list(sequences.given)}])\n"
        "with torch.no_grad(), record(model.eval()) as trace:\n"
        "    model.generator(model(src, tgt, padding_mask(src), target_mask(tgt)))\n\n"
    )


def attention_snippet(
    at_hand: ModelAtHand, sequences: TypedSequences, kind: str, layer: int, head: int, shown: str = "weights"
) -> str:
    """Recomputes every stage from the model's q, k and v, and prints the one that is `shown`: (T, S) or (T, d_k)."""
    root = " / q.size(-1) ** 0.5" if at_hand.config.scale else ""
    return (
        f"{recording(at_hand, sequences)}"
        f"path, head = '{path(kind, layer)}', {head}\n"
        "q, k, v = (trace[f'{path}.{name}'][0, head] for name in ('query', 'key', 'value'))\n"
        "products = q @ k.T\n"
        f"scores = products{root}\n"
        f"masked = scores.masked_fill(~{_MASKS[kind]}, -1e9)\n"
        "weights = masked.softmax(-1)\n"
        "output = weights @ v\n"
        f"shown = {shown}\nprint(shown)\n"
    )


def projection_snippet(
    at_hand: ModelAtHand, sequences: TypedSequences, where: str, given: str, index: int, head: int
) -> str:
    """One head's queries, keys or values, (length, d_k), from the vectors that are given."""
    return (
        f"{recording(at_hand, sequences)}"
        f"attention, head = model.get_submodule('{where}'), {head}\n"
        f"x, linear = trace['{given}'][0], attention.linears[{index}]\n"
        "own = slice(head * attention.d_k, (head + 1) * attention.d_k)\n"
        "shown = (x @ linear.weight[own].T + linear.bias[own]).detach()\n"
        "print(shown)\n"
    )
