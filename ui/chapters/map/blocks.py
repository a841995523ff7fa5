"""The map's figure 1, which plays with the values of the model at hand; a block opens its chapter."""

from functools import partial

import numpy as np
import streamlit as st

from transformer_core import EncoderDecoder, greedy_steps
from ui import state
from ui.chapters.map.asked import READ_ONCE
from ui.chapters.map.drawing import blocks_of, empty, playing
from ui.chapters.map.figures.figure_one_blocks import Block
from ui.chapters.map.parameters import blocks_table
from ui.chapters.map.play import play, written_by
from ui.chapters.shared.model_program import model_snippet
from ui.figures import Figure
from ui.frame.fragment import run_page
from ui.inputs.sequence import pieces
from ui.sections import AnyChapter, Frame, Section, sequence, show
from ui.sections.inquiry import inquire
from ui.sections.sequence_fields import reading
from ui.settings.chapters import STORIES

DOORS = {"head": "attention", "train": "training", "notes": "tokens"}


@Section("figure_one", reads=(Frame,), types=("src",), look="lead", inquires=(READ_ONCE,))
def the_map(chapter: AnyChapter) -> None:
    at_hand, config = chapter.at_hand, chapter.at_hand.config
    counts = {name: sum(part.numel() for part in child.parameters()) for name, child in at_hand.load().named_children()}
    src = _source(chapter)
    sizes: tuple[int, ...] = ()
    if not reading(chapter, "src")[1]:
        S, T = len(src), len(written_by(at_hand, src))
        drawn = blocks_of(at_hand, S, T)
        drawing, sizes = playing(chapter, drawn, play(at_hand, src, drawn), src), (S, T)
    else:
        drawn = blocks_of(at_hand, "S", "T")
        drawing = empty(chapter, pieces(chapter.frame.src, at_hand.source))
    figure = Figure(
        "figure_one",
        drawing,
        at_hand.provenance("EncoderDecoder", *sizes),
        numbers=np.array([list(counts.values())]),
        columns=[chapter.say("parameters", part=name) for name in counts],
        code=[EncoderDecoder, greedy_steps],
        program=f"{model_snippet(at_hand)}print(model)\n"
        "shown = [[sum(weight.numel() for weight in part.parameters()) for part in model.children()]]\nprint(shown)\n",
    )
    show(chapter, figure, on_pick=partial(_enter, drawn))
    if sizes:
        inquire(chapter, READ_ONCE, lambda: chapter)
    _doors(chapter)
    if sizes:
        chapter.write("read", parameters=f"{sum(counts.values()):,}", d_model=config.d_model, S=sizes[0], T=sizes[1])
    chapter.write("pre_norm" if config.norm_first else "post_norm", "own_matrices")
    blocks_table(chapter)


def _source(chapter: AnyChapter) -> tuple[int, ...]:
    with st.container(key="map-source"):
        field, others = st.columns([3, 2], gap="small")
        with field:
            return sequence(chapter, "src", below=others, kept=False)


def _enter(drawn: list[Block], chosen: int) -> None:
    """Go to the story of a block's chapter, with the settings that are about the block for who takes over."""
    if chosen < len(drawn):
        block = drawn[chosen]
        story = {"scene": 1} if block.chapter in STORIES else {}
        _go(block.chapter, **dict(block.query), **story)


def _doors(chapter: AnyChapter) -> None:
    for place, name in zip(st.columns(len(DOORS), gap="medium"), DOORS):
        with place, st.container(border=True, height="stretch", gap="xsmall", key=f"way-{name}"):
            label, icon = f"**{chapter.say(f'door.{name}')}**", ":material/arrow_forward:"
            st.button(label, type="tertiary", icon=icon, on_click=_open, args=(name,))
            st.caption(chapter.say(f"door.{name}_what"))


def _open(door: str) -> None:
    """Between chapters a link does not change the model; a button may, and keeps what was typed for the other one."""
    if door == "notes":
        state.take_model("trained", state.NUMBERS, Frame.default().src)
    _go(DOORS[door])


def _go(chapter: str, **settings: object) -> None:
    state.go_to(chapter, state.query(chapter, **settings))
    run_page()
