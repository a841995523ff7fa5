"""The map's figure 1, with the sizes of the model at hand; a block opens its chapter."""

import numpy as np
import streamlit as st

from transformer_core import START, EncoderDecoder
from ui import address
from ui.answer import answer
from ui.chapters.map.parameters import blocks_table
from ui.chapters.shared.model_program import model_snippet
from ui.chapters.shared.stops import stops
from ui.figures.figure import Figure
from ui.figures.figure_one import Block, blocks, figure_one
from ui.map import figure_one_map
from ui.sequence import NotASequence, example, parse
from ui.session import ModelAtHand
from ui.settings.chapters import page
from ui.settings.frame import Frame
from ui.shell import Chapter
from ui.show import close
from ui.typed import LONGEST, typed

BEGIN = ("attention", "training", "walkthrough", "scaling")


def the_map(chapter: Chapter) -> None:
    at_hand = chapter.at_hand
    config = at_hand.config
    counts = {name: sum(part.numel() for part in child.parameters()) for name, child in at_hand.model.named_children()}
    src, tgt = typed(chapter, "src") or example_of(at_hand), typed(chapter, "tgt")
    S, T = len(src), max(1, len(tgt or answer(at_hand, src)) - 1)  # the decoder reads all but the last token
    at = {stop.path: index for index, stop in enumerate(stops(at_hand.model))}
    drawn = blocks(config.d_model, config.d_ff, config.h, config.vocab, config.N, S, T, at)
    left, right = st.columns([3, 2], gap="large")
    with left:
        chosen = figure_one_map(figure_one(drawn, _texts(chapter, drawn, S, T), chapter.mode), len(drawn))
    with right:
        chapter.write("read", S=S, T=T, d_model=config.d_model, parameters=f"{sum(counts.values()):,}")
        chapter.write("pre_norm" if config.norm_first else "post_norm")
        chapter.write("own_matrices")
        st.markdown(f"#### {chapter.say('begin')}")
        for name in BEGIN:
            st.page_link(page(name), label=chapter.say(f"begin_{name}"), query_params=address.query(name))
        blocks_table(chapter)
    figure = Figure(
        "figure_one",
        (),
        "",
        at_hand.provenance("EncoderDecoder", S, T),
        numbers=np.array([list(counts.values())]),
        columns=[chapter.say("parameters", part=name) for name in counts],
        code=[EncoderDecoder],
        program=f"{model_snippet(at_hand)}print(model)\n"
        "shown = [[sum(weight.numel() for weight in part.parameters()) for part in model.children()]]\nprint(shown)\n",
    )
    close(chapter, figure)
    if chosen is not None:
        block = drawn[chosen]
        st.switch_page(page(block.chapter), query_params=address.query(block.chapter, **dict(block.query)))


def example_of(at_hand: ModelAtHand) -> tuple[int, ...]:
    """What the model reads where the reader's sequence is none."""
    try:
        return parse(example(at_hand.config, Frame.default().src), at_hand.source, LONGEST)
    except NotASequence:  # a vocabulary with fewer numbers
        return (START, len(at_hand.source) - 1)


def _texts(chapter: Chapter, drawn: list[Block], S: int, T: int) -> dict[str, str]:
    labels = ("times", "inputs", "outputs", "probabilities", "alt", *(block.key for block in drawn))
    return {label: chapter.say(f"block.{label}", N=chapter.at_hand.config.N, S=S, T=T) for label in labels}
