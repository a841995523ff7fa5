"""All heads of all layers (paper, section 3.2.2)."""

from functools import partial

import numpy as np
import streamlit as st

from transformer_core import MultiHeadedAttention, Trace, attention_steps, softmax_steps
from transformer_core.softmax import masked_softmax
from ui import address, controls
from ui.caption import caption
from ui.drawing import board, keep_inside
from ui.figures import stages
from ui.figures.arithmetic import number
from ui.figures.figure import Figure
from ui.figures.wall import HeadName, named, wall
from ui.fragment import fragment
from ui.labs.attention_snippet import attention_snippet
from ui.labs.attention_values import Sequences, head_of, mask_of, names_of, path, typed
from ui.labs.heads_merge import merged_heads
from ui.labs.heads_numbers import numbers
from ui.labs.heads_snippets import wall_snippet
from ui.labs.heads_values import MEASURES, every_head, mean, measured, values_of
from ui.labs.heads_view import view_lab
from ui.recorded import recorded
from ui.section import section
from ui.settings.attention import KINDS
from ui.settings.chapters import page
from ui.settings.heads import Heads
from ui.shell import close_chapter, open_chapter
from ui.show import show
from ui.text import Words

OF_THE_MERGE = "size merge_kind merge_layer merge_first merge_cell share_cell size_cell"

chapter = open_chapter("heads", Heads)
say = chapter.say


@fragment
def all_heads(sequences: Sequences) -> None:
    at_hand, config = chapter.at_hand, chapter.at_hand.config
    trace = recorded(at_hand, sequences.src, sequences.given)
    heads = every_head(config)
    shown = controls.choose(chapter, "shown")
    values = {name: values_of(trace, name, shown) for name in heads}
    blocked = {kind: ~mask_of(kind, sequences).numpy() for kind in KINDS}
    titles = {kind: say(f"short.{kind}") for kind in KINDS}
    panels = wall(values, blocked, titles, "probability" if shown == "weights" else "signed")
    st.html(say("wall.legend"))
    before = keep_inside(chapter, panels)
    chosen = board(chapter, "wall", panels, alt=say("wall.alt", count=len(heads))).chosen
    if chosen and chosen != before:
        chapter.put("opened", ("weights", *chosen[1:]))  # another head, or another cell of this one
    caption(
        chapter,
        "wall",
        at_hand.provenance(f"*.layers.*.*_attn.{shown}", len(KINDS), config.N, config.h),
        code=[MultiHeadedAttention],
        snippet=wall_snippet(at_hand, sequences, shown),
    )
    open_head(named(chosen[0]) if chosen else heads[0], sequences, trace)


def open_head(name: HeadName, sequences: Sequences, trace: Trace) -> None:
    """The head of the chosen cell, large, with its sum, its numbers and the way into its stages."""
    words, at_hand = Words("attention", chapter.lang), chapter.at_hand
    chapter.heading("open", kind=say(f"kind.{name.kind}"), layer=name.layer, head=name.head)
    head = head_of(trace, *name, sequences, at_hand.config.scale)
    titles = {panel: words(f"panel.{panel}") for line in stages.LINES["weights"] for panel in line}
    names = names_of(words, name.kind, sequences, titles)
    chapter.put("opened", stages.follow(chapter.settings.opened, "weights"))
    show(
        chapter,
        Figure(
            "open",
            stages.board(head, names, "weights", cell="opened"),
            words("alt.weights"),
            at_hand.provenance(f"{path(name.kind, name.layer)}.weights", *head.weights.shape, head=name.head),
            code=(attention_steps, masked_softmax, softmax_steps),
            program=attention_snippet(at_hand, sequences, *name),
        ),
    )
    averages = {measure: number(mean(measured(trace, name, measure)), 3) for measure in MEASURES}
    st.markdown(say("open.measures", **averages, most=number(float(np.log(head.mask.shape[1])), 3)))
    st.page_link(
        page("attention"),
        label=say("open.link"),
        icon=":material/zoom_in:",
        query_params=address.query("attention", kind=name.kind, layer=name.layer, head=name.head),
    )


sequences = typed(chapter)
if sequences:
    all_heads(sequences)
st.markdown(say("text"))
if sequences:
    section(chapter, "numbers", partial(numbers, chapter, sequences), owns="never number_cell")
    section(chapter, "merge", partial(merged_heads, chapter, sequences), owns=OF_THE_MERGE)
section(chapter, "view", partial(view_lab, chapter), text="text", why="why", owns="view_cell")
close_chapter(chapter)
