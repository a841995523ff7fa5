"""The map: the paper's figure 1, whose blocks lead to the chapters."""

import streamlit as st

from ui import address
from ui.caption import caption
from ui.figures.figure_one import blocks, figure_one
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


config = chapter.at_hand.config
S = tokens(chapter.frame.src)
T = tokens(chapter.frame.tgt or chapter.frame.src) - 1  # the decoder reads all but the last token
drawn = blocks(config.d_model, config.d_ff, config.h, config.vocab, S, T)
labels = ("times", "inputs", "outputs", "probabilities", "alt", *{block.key for block in drawn})
texts = {label: say(f"block.{label}", N=config.N, S=S, T=T) for label in labels}

left, right = st.columns([3, 2], gap="large")
with left:
    chosen = figure_one_map(figure_one(drawn, texts, chapter.mode), len(drawn))
    caption(chapter, "figure_one", chapter.at_hand.provenance("EncoderDecoder", S, T))
with right:
    chapter.write("read", S=S, T=T, d_model=config.d_model)
    chapter.write("pre_norm" if config.norm_first else "post_norm")
    st.markdown(f"#### {say('begin')}")
    for name in ("attention", "training", "walkthrough", "scaling"):
        st.page_link(page(name), label=say(f"begin_{name}"), query_params=address.query(name))

if chosen is not None:
    block = drawn[chosen]
    st.switch_page(page(block.chapter), query_params=address.query(block.chapter, **dict(block.query)))
close_chapter(chapter)
