"""One matrix of the model at hand, the same of the model it is compared with, and their difference."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import streamlit as st
from torch import Tensor

from transformer_core.verify.broken import BROKEN
from ui.cache import cached
from ui.chapters.shared.difference.board import Pair, board, window
from ui.chapters.shared.model_program import model_snippet
from ui.chapters.shared.tensors import chosen, grid
from ui.figures import Figure, number
from ui.frame.comparison import name_of
from ui.inputs.sequence import TypedSequences, shifted
from ui.model import ModelAtHand, answer, recorded
from ui.sections import Chapter, Frame, Section, controls, show
from ui.sections.sequence_fields import typed
from ui.settings.composed import redefined
from ui.settings.shared import Compared
from ui.text import Words
from ui.training_service.memory_budget import MB

# The lines of Python that compute the difference of two models in one matrix again.


def difference_snippet(
    a: ModelAtHand, b: ModelAtHand, sequences: TypedSequences | None, tensor: str, head: int | None
) -> str:
    """Of a value that is recorded while both read the `sequences`, in one head if it has some; or of a parameter."""
    models = f"{model_snippet(a)}first = model\n\n{model_snippet(b)}second = model\n\n"
    if sequences is None:
        values = f"    return model.get_parameter('{tensor}').detach().double()\n\n"
        return f"{models}def values(model):\n{values}{_SHOWN}"
    part = "[0]" if head is None else f"[0, {head}]"
    return (
        f"{models}from transformer_core import padding_mask, record, target_mask\n\n"
        f"src, tgt = torch.tensor([{list(sequences.src)}]), torch.tensor([{list(sequences.given)}])\n\n"
        "def values(model):\n"
        "    with torch.no_grad(), record(model.eval()) as trace:\n"
        "        model.generator(model(src, tgt, padding_mask(src), target_mask(tgt)))\n"
        f"    return trace['{tensor}']{part}.double()\n\n"
        f"{_SHOWN}"
    )


_SHOWN = "shown = values(first) - values(second)\nprint(shown)\nprint(shown.abs().max(), shown.abs().mean())\n"


OF_WORDS = ("0.lut.weight", "proj.weight", "proj.bias")  # parameters with a row per word


class Models(NamedTuple):
    a: ModelAtHand
    b: ModelAtHand

    @property
    def bytes(self) -> int:
        """Of the parameters of both; a broken model has those of the whole one."""
        models = {(one.config, one.step) for one in self}
        return 4 * sum(config.parameters for config, _ in models)

    def read(self, sequences: TypedSequences) -> bool:
        """Whether both models can read the sequences, and mean the same words by them."""
        if self.a.config.vocabularies == self.b.config.vocabularies:
            return True
        numbers = all(side.of_numbers_alone for one in self for side in one.config.vocabularies)
        return numbers and max(*sequences.src, *sequences.given) < min(one.config.vocab for one in self)


def difference_from(tensor: str) -> Section[Compared]:
    """The section of a chapter on the difference from another model, while the frame names one. It compares `tensor`
    first: a recorded value or a parameter, by its name in the model."""
    return Section(
        "difference",
        _draw,
        settings=redefined(Compared, delta=tensor),
        reads=(Frame,),
        look="open",
        words="shell",
        when=lambda chapter: chapter.compared is not None,
    )


def _draw(chapter: Chapter[Compared]) -> None:
    assert chapter.compared is not None
    pair = Models(chapter.at_hand, chapter.compared)
    shell, (a, b) = chapter.shell, pair
    if b.awaited or b.trouble:
        st.info(shell("compare_awaited" if b.awaited else f"compare_missing.{b.trouble}"))
        return
    names = shell(f"model_kind.{a.kind}"), name_of(chapter.frame.compare, chapter.lang)
    st.markdown(shell("difference.models", a=_named(shell, names[0], a), b=_named(shell, names[1], b)))
    if pair.bytes > cached.budget:
        limit = cached.budget // MB
        st.warning(shell("difference.too_large", need=-(-pair.bytes // MB), limit=limit))
        return
    src, vocabularies = typed(chapter, "src"), a.config.vocabularies
    sequences = shifted(src, typed(chapter, "tgt") or answer(a, src), vocabularies)
    trace = recorded(a, sequences.src, sequences.given)
    values = trace | _parameters(a)
    where, tensor = chosen(chapter, "delta", values)
    is_recorded = tensor in trace
    if (is_recorded or where.what in OF_WORDS) and not pair.read(sequences):
        st.warning(shell("difference.other_words"))
        return
    others = recorded(b, sequences.src, sequences.given) if is_recorded else _parameters(b)
    if tensor not in others:
        st.warning(shell("difference.not_there", tensor=tensor, layers=b.config.N))
        return
    first, second = grid(values[tensor]), grid(others[tensor])
    if first.shape != second.shape:
        shapes = {name: _shape(value) for name, value in (("a", first), ("b", second))}
        st.warning(shell("difference.shapes", tensor=tensor, **shapes))
        return
    heads = len(first)
    head = controls.number_of(chapter, "delta_head", heads) if heads > 1 else 0
    masked = tensor.removesuffix(where.what) + "masked"
    both = Pair.of(where, first[head], second[head], *(_of_head(one, masked, head) for one in (values, others)))
    _figure(chapter, pair, sequences, both, tensor, head if heads > 1 else None, is_recorded)


def _figure(
    chapter: Chapter[Compared],
    pair: Models,
    sequences: TypedSequences,
    both: Pair,
    tensor: str,
    head: int | None,
    is_recorded: bool,
) -> None:
    shell, (a, b) = chapter.shell, pair
    rows, columns = both.shape
    last_row, last_column = window(both.shape)
    first_row = controls.slider(chapter, "delta_row", 0, last_row, 8) if last_row else 0
    first_column = controls.slider(chapter, "delta_column", 0, last_column, 8) if last_column else 0
    titles = [_title(shell, "A", a), _title(shell, "B", b), "A − B"]
    if b.how != "none":
        titles[1] = shell("difference.panel_broken", how=Words("verify", chapter.lang)(f"broken_option.{b.how}"))
    picture = board(both, sequences, titles, Words("walkthrough", chapter.lang), first_row, first_column)
    origins = (one.provenance(_written(tensor, one), rows, columns, head=head) for one in pair)
    figure = Figure(
        "difference",
        picture,
        "; ".join(f"{letter}: {origin}" for letter, origin in zip("AB", origins)),
        code=[BROKEN[b.how]] if b.how != "none" else [],
        program=difference_snippet(a, b, sequences if is_recorded else None, tensor, head),
        alt=shell("difference.alt", tensor=tensor, rows=rows, columns=columns),
    )
    _found(shell, both, sequences)
    show(chapter, figure)
    _left_out(shell, both, picture.subject.window, sequences if is_recorded else None)


def _found(shell: Words, both: Pair, sequences: TypedSequences) -> None:
    if both.largest == 0:
        st.markdown(shell("difference.same"))
        return
    names = zip(both.labels(sequences), both.at)
    row, column = (f"{index} “{labels[index]}”" if labels else index for labels, index in names)
    sizes = {"largest": number(both.largest), "mean": number(both.mean)}
    st.markdown(shell("difference.found", **sizes, row=row, column=column))


def _left_out(shell: Words, both: Pair, shown: tuple[slice, slice], read: TypedSequences | None) -> None:
    sentences = []
    if read:
        sentences.append(shell("difference.read", src=" ".join(read.sources), tgt=" ".join(read.targets)))
    if both.left_out is not None and both.left_out.any():
        sentences.append(shell("difference.masked", count=int(both.left_out.sum()), all=both.left_out.size))
    if window(both.shape) != (0, 0):
        rows, columns = shown
        ends = {"first_row": rows.start, "last_row": rows.stop - 1}
        ends |= {"first_column": columns.start, "last_column": columns.stop - 1}
        sentences.append(shell("difference.slice", rows=both.shape[0], columns=both.shape[1], **ends))
    if sentences:
        st.markdown("\n\n".join(sentences))


def _named(shell: Words, name: str, one: ModelAtHand) -> str:
    if one.own and one.step is None:
        return shell("difference.model_file", name=name, file=one.own.file)
    return shell("difference.model", name=name, step=one.step, seed=one.seed)


def _title(shell: Words, letter: str, one: ModelAtHand) -> str:
    if one.own and one.step is None:
        return shell("difference.panel_file", letter=letter, file=one.own.file)
    return shell("difference.panel", letter=letter, step=one.step)


def _parameters(at_hand: ModelAtHand) -> dict[str, Tensor]:
    return {name: value.detach() for name, value in at_hand.load().named_parameters()}


def _of_head(values: Mapping[str, Tensor], tensor: str, head: int) -> np.ndarray | None:
    return grid(values[tensor])[head] if tensor in values else None


def _written(tensor: str, at_hand: ModelAtHand) -> str:
    return tensor if at_hand.how == "none" else f"broken(model, '{at_hand.how}') · {tensor}"


def _shape(value: np.ndarray) -> str:
    return " × ".join(str(size) for axis, size in enumerate(value.shape) if axis or size > 1)
