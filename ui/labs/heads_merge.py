"""From h heads to one vector: side by side, times W_O; whose share is how large (paper, section 3.2.2)."""

from functools import partial

import numpy as np
import streamlit as st
import torch
from torch import nn

from transformer_core import MultiHeadedAttention
from transformer_core.head_merge import merge_steps
from ui import controls
from ui.caption import caption
from ui.drawing import board, keep_inside, write_sums
from ui.figures import merge as figure
from ui.figures.merge import Merge
from ui.figures.stages import Names
from ui.labs.attention_values import SHOWN, Sequences, names_of, path, window
from ui.labs.heads_snippets import merge_snippet
from ui.predict import predict_number
from ui.recorded import recorded
from ui.shell import Chapter
from ui.text import Words

PER_HEAD, FULL, ALL_FULL = 64, 512, 4096  # the question is about the paper's base model: 512 numbers, 8 heads
WORDS = ("head", "merged", "W_O", "output", "values", "weights", "shares", "sizes", "position_axis")


def merged_heads(chapter: Chapter, sequences: Sequences) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    if not predict_number(chapter, "size", PER_HEAD, {"size.full": FULL, "size.all_full": ALL_FULL}):
        return
    with st.container(horizontal=True):
        kind = controls.choose(chapter, "merge_kind")
        layer = controls.number_of(chapter, "merge_layer", at_hand.config.N)
    width = at_hand.config.d_model
    first = controls.slider(chapter, "merge_first", 0, max(0, width - SHOWN), step=8)
    merge = _merge(chapter, sequences, path(kind, layer))
    names = names_of(Words("attention", chapter.lang), kind, sequences, {})
    words = {word: say(f"merge.{word}") for word in WORDS}
    in_model = window(first, width)
    panels = figure.concat_board(merge, names, words, window(first, merge.d_k), in_model)
    keep_inside(chapter, panels, "merge_cell")
    chosen = board(chapter, "concat", panels, cell="merge_cell", alt=say("concat.alt")).chosen
    if chosen:
        name, t, column = chosen
        write_sums(chapter, figure.concat_arithmetic(merge, name, t, in_model.start + column))
    if width > SHOWN:
        st.markdown(say("merge.window", shown=SHOWN, all=width))
    where = path(kind, layer)
    made_by = partial(caption, chapter, code=[merge_steps], snippet=merge_snippet(at_hand, sequences, kind, layer))
    made_by("concat", at_hand.provenance(f"{where}.output", *merge.output.shape), numbers=merge.output)
    t, c = _output_cell(chapter, in_model.start)
    _shares(chapter, merge, t, c, names, words)
    origin = at_hand.provenance(f"merge_steps({where}.heads).shares[:, {t}, {c}]", len(merge.heads))
    made_by("shares", origin, numbers=merge.shares[:, t, c : c + 1])
    _sizes(chapter, merge, names, words)
    sizes = np.linalg.norm(merge.shares, axis=-1)
    made_by("sizes", at_hand.provenance(f"|merge_steps({where}.heads).shares|", *sizes.shape), numbers=sizes)


def _shares(chapter: Chapter, merge: Merge, t: int, c: int, names: Names, words: dict[str, str]) -> None:
    """The chosen number of the output, head by head."""
    say = chapter.say
    st.markdown(say("shares.text", t=t, c=c))
    panels = figure.share_board(merge, t, c, names, words)
    keep_inside(chapter, panels, "share_cell")
    chosen = board(chapter, "shares", panels, cell="share_cell", alt=say("shares.alt")).chosen
    if chosen:
        write_sums(chapter, figure.share_arithmetic(merge, t, c, chosen))


def _sizes(chapter: Chapter, merge: Merge, names: Names, words: dict[str, str]) -> None:
    """How much each head adds at every position."""
    say = chapter.say
    st.markdown(say("sizes.text"))
    sizes = figure.size_panel(merge, names, words)
    keep_inside(chapter, [sizes], "size_cell")
    chosen = board(chapter, "sizes", [sizes], cell="size_cell", alt=say("sizes.alt")).chosen
    if chosen:
        write_sums(chapter, figure.size_arithmetic(merge, chosen))


def _output_cell(chapter: Chapter, first: int) -> tuple[int, int]:
    """The number of the output that the reader has chosen: the first one of the row if it is another matrix's cell, and
    of a cell of W_O the one that its row makes."""
    name, row, column = chapter.settings.merge_cell or ("output", 0, 0)
    if name == "weight":
        return 0, first + row
    return row, first + (column if name == "output" else 0)


def _merge(chapter: Chapter, sequences: Sequences, where: str) -> Merge:
    trace = recorded(chapter.at_hand, sequences.src, sequences.given)
    module = chapter.at_hand.model.get_submodule(where)
    assert isinstance(module, MultiHeadedAttention)
    to_output = module.linears[3]
    assert isinstance(to_output, nn.Linear)
    with torch.no_grad():
        heads = trace[f"{where}.heads"][0]
        steps = merge_steps(heads, to_output.weight, to_output.bias)
    weight, bias = to_output.weight.detach().numpy(), to_output.bias.detach().numpy()
    return Merge(heads.numpy(), steps.merged.numpy(), weight, bias, steps.shares.numpy(), steps.output.numpy())
