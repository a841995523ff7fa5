"""All heads of all layers (paper, section 3.2.2)."""

import numpy as np
import streamlit as st

from transformer_core import Trace, entropy
from transformer_core.head_measures import attention_distance, offset_share
from ui import address, controls, session
from ui.caption import caption
from ui.drawing import board
from ui.figures import stages
from ui.figures.wall import HeadName, named, wall
from ui.labs.attention_values import Sequences, head_of, mask_of, names_of, path, typed
from ui.labs.heads_values import Measures, every_head, measures_of, values_of
from ui.settings.attention import KINDS
from ui.settings.chapters import page
from ui.settings.heads import Heads
from ui.shell import close_chapter, open_chapter
from ui.text import Words

chapter = open_chapter("heads", Heads)
say = chapter.say


@st.fragment
def all_heads(sequences: Sequences) -> None:
    at_hand, config = chapter.at_hand, chapter.at_hand.config
    _, trace = session.forward(at_hand.model, sequences.src, sequences.given)
    heads = every_head(config)
    shown = controls.choose(chapter, "shown")
    values = {name: values_of(trace, name, shown) for name in heads}
    blocked = {kind: ~mask_of(kind, sequences).numpy() for kind in KINDS}
    titles = {kind: say(f"short.{kind}") for kind in KINDS}
    panels = wall(values, blocked, titles, "probability" if shown == "weights" else "signed")
    st.html(say("wall.legend"))
    before = chapter.settings.cell
    chosen = board(chapter, "wall", panels, alt=say("wall.alt", count=len(heads))).chosen
    measures = np.array([measures_of(trace, name) for name in heads])
    origin = at_hand.provenance(f"*.layers.*.*_attn.{shown}", len(KINDS), config.N, config.h)
    columns = [say(f"measure.{name}") for name in Measures._fields]
    caption(
        chapter, "wall", origin, numbers=measures, columns=columns, code=[entropy, attention_distance, offset_share]
    )
    name = named(chosen[0]) if chosen else heads[0]
    if chosen and chosen != before:
        chapter.put("opened", ("weights", *chosen[1:]))
    open_head(name, sequences, trace)


def open_head(name: HeadName, sequences: Sequences, trace: Trace) -> None:
    say_stage = Words("attention", chapter.lang)
    st.subheader(say("open.title", kind=say(f"kind.{name.kind}"), layer=name.layer, head=name.head), anchor=False)
    measures = measures_of(trace, name)
    head = head_of(trace, *name, sequences)
    numbers = {field: f"{value:.3f}" for field, value in measures._asdict().items()}
    st.markdown(say("open.measures", **numbers, most=f"{np.log(head.mask.shape[1]):.3f}"))
    titles = {panel: say_stage(f"panel.{panel}") for line in stages.LINES["weights"] for panel in line}
    panels = stages.board(head, names_of(say_stage, name.kind, sequences, titles), "weights")
    chosen = board(chapter, "open", panels, cell="opened", alt=say_stage("alt.weights")).chosen
    if chosen:
        st.html(stages.arithmetic_of(head, chosen))
    st.page_link(
        page("attention"),
        label=say("open.link"),
        icon=":material/zoom_in:",
        query_params=address.query("attention", kind=name.kind, layer=name.layer, head=name.head),
    )
    tensor = f"{path(name.kind, name.layer)}.weights"
    origin = chapter.at_hand.provenance(tensor, *head.weights.shape, head=name.head)
    caption(chapter, "open", origin, numbers=head.weights)


sequences = typed(chapter)
if sequences:
    all_heads(sequences)
st.markdown(say("text"))
close_chapter(chapter)
