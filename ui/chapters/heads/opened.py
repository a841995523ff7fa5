"""The head of the wall's chosen cell, large, with its sum, its numbers and the way into its stages."""

import numpy as np
import streamlit as st

from transformer_core import SoftmaxSteps, attention_steps, softmax_steps
from transformer_core.softmax import masked_softmax
from ui import state
from ui.chapters.heads.values import every_head, mean, measured
from ui.chapters.heads.wall import Opened, Wall
from ui.chapters.shared.attention_programs import attention_snippet
from ui.chapters.shared.attention_values import head_of, path, weights_board
from ui.figures import Figure, number, stages
from ui.figures.wall import HeadName
from ui.model import recorded
from ui.sections import Chapter, Section, show
from ui.settings.chapters import page
from ui.text import Words


@Section("opened", settings=Opened, reads=(Wall,))
def opened_head(chapter: Chapter[Opened]) -> None:
    say, words, at_hand, sequences = chapter.say, Words("attention", chapter.lang), chapter.at_hand, chapter.typed
    name = _chosen(chapter)
    trace = recorded(at_hand, sequences.src, sequences.given)
    chapter.write("opened.which", kind=say(f"kind.{name.kind}"), layer=name.layer, head=name.head)
    head = head_of(trace, *name, sequences, at_hand.config.scale)
    chapter.put("opened", stages.follow(chapter.settings.opened, "weights"))
    figure = Figure(
        "open",
        weights_board(chapter, head, name.kind, cell="opened"),
        at_hand.provenance(f"{path(name.kind, name.layer)}.weights", *head.weights.shape, head=name.head),
        code=(attention_steps, masked_softmax, softmax_steps, SoftmaxSteps),
        program=attention_snippet(at_hand, sequences, *name),
        alt=words("alt.weights"),
    )
    show(chapter, figure)
    averages = {measure: number(mean(of), 3) for measure, of in measured(trace, name).items()}
    chapter.write("opened.measures", **averages, most=number(float(np.log(head.mask.shape[1])), 3))
    st.page_link(
        page("attention"),
        label=say("opened.link"),
        icon=":material/zoom_in:",
        query_params=state.query("attention", kind=name.kind, layer=name.layer, head=name.head),
    )


def _chosen(chapter: Chapter[Opened]) -> HeadName:
    """The head that the wall has chosen; its first one if it is of another model."""
    every = every_head(chapter.at_hand.config)
    cell = chapter.of(Wall).settings.cell
    return next((name for name in every if cell and name.key == cell[0]), every[0])
