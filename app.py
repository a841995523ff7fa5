"""The map: the paper's figure 1, whose blocks lead to the chapters."""

import numpy as np
import streamlit as st

from transformer_core import EncoderDecoder
from ui import address
from ui.caption import caption
from ui.figures.figure_one import blocks, figure_one
from ui.labs.map_parameters import blocks_table, scale_section, tree_section
from ui.labs.model_snippet import model_snippet
from ui.labs.walkthrough_stops import stops
from ui.map import figure_one_map
from ui.sequence import NotASequence, parse
from ui.session import LONGEST
from ui.settings.chapters import MAP, page
from ui.settings.frame import Frame
from ui.shell import close_chapter, open_chapter

chapter = open_chapter(MAP)
say = chapter.say


def tokens(text: str) -> int:
    """How many tokens the reader's sequence has; the default's, where it is none."""
    try:
        return len(parse(text, chapter.at_hand.config.vocab, LONGEST))
    except NotASequence:
        return len(Frame().src.split())


at_hand = chapter.at_hand
config = at_hand.config
counts = {name: sum(weight.numel() for weight in part.parameters()) for name, part in at_hand.model.named_children()}
S = tokens(chapter.frame.src)
T = max(1, tokens(chapter.frame.tgt or chapter.frame.src) - 1)  # the decoder reads all but the last token
at = {stop.path: index for index, stop in enumerate(stops(at_hand.model))}
drawn = blocks(config.d_model, config.d_ff, config.h, config.vocab, config.N, S, T, at)
labels = ("times", "inputs", "outputs", "probabilities", "alt", *{block.key for block in drawn})
texts = {label: say(f"block.{label}", N=config.N, S=S, T=T) for label in labels}

left, right = st.columns([3, 2], gap="large")
with left:
    chosen = figure_one_map(figure_one(drawn, texts, chapter.mode), len(drawn))
with right:
    chapter.write("read", S=S, T=T, d_model=config.d_model, parameters=f"{sum(counts.values()):,}")
    chapter.write("pre_norm" if config.norm_first else "post_norm")
    chapter.write("own_matrices")
    st.markdown(f"#### {say('begin')}")
    for name in ("attention", "training", "walkthrough", "scaling"):
        st.page_link(page(name), label=say(f"begin_{name}"), query_params=address.query(name))
    blocks_table(chapter)

caption(
    chapter,
    "figure_one",
    at_hand.provenance("EncoderDecoder", S, T),
    numbers=np.array([list(counts.values())]),
    columns=[say("parameters", part=name) for name in counts],
    code=[EncoderDecoder],
    snippet=f"{model_snippet(at_hand)}print(model)\n",
)

scale_section(chapter)
tree_section(chapter)
if chosen is not None:
    block = drawn[chosen]
    st.switch_page(page(block.chapter), query_params=address.query(block.chapter, **dict(block.query)))
close_chapter(chapter)
