"""The map's figure 1, which plays with the model's values; a block opens its chapter; what the map asks."""

from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import PAD, START, EncoderDecoder, greedy_decode, greedy_steps, intervene, padding_mask
from ui import state
from ui.chapters.map.drawing import blocks_of, empty, playing
from ui.chapters.map.figures.figure_one import Block
from ui.chapters.map.parameters import blocks_table
from ui.chapters.map.tale import play, written_by
from ui.chapters.shared.look_lines import task_of
from ui.chapters.shared.model_program import model_snippet
from ui.figures import Figure
from ui.frame.fragment import run_page
from ui.inputs.direction import same_language
from ui.inputs.sequence import pieces
from ui.model import ModelAtHand, made
from ui.sections import AnyChapter, Choice, Frame, Section, sequence, show
from ui.sections.inquiry import Inquiry, Version, first_of, inquire
from ui.sections.sequence_fields import reading
from ui.settings.chapters import STORIES

ENCODER = Choice("ask_encoder", ("turns", "once", "words"), right="once")
SENTENCES = 12  # unseen ones, those in the language of what is typed
STACKS = "encoder", "decoder"


def of_another(chapter: AnyChapter, seed: int) -> Version | None:
    at_hand = chapter.at_hand
    task = task_of(at_hand)
    if task is None:
        return None
    rows = [tuple(token for token in row if token != PAD) for row in task.held_out(SENTENCES).src.tolist()]
    fits = [src for src in rows if same_language(at_hand.words, at_hand.source.text(src), chapter.frame.src)]
    return first_of(seed, fits or rows, lambda src: _of(at_hand, src))


def _of(at_hand: ModelAtHand, src: tuple[int, ...]) -> Version | None:
    encoder, decoder = made(at_hand, ("runs", src), partial(runs, src, at_hand.target.end, at_hand.most(src)))
    if len({1, len(src), decoder}) < 3:
        return None
    text = at_hand.source.text(src) if at_hand.words else " ".join(map(str, src))
    said = {"text": text, "words": len(src), "turns": decoder, "encoder": encoder}
    return Version({1: "once", decoder: "turns", len(src): "words"}[encoder], said)


def runs(src: tuple[int, ...], end: int | None, most: int, model: EncoderDecoder) -> tuple[int, int]:
    """How often each stack runs while the model writes its output: the encoder's and the decoder's, counted."""
    counts: Counter[str] = Counter()

    def counting(stack: str) -> Callable[[Tensor], Tensor]:
        def seen(x: Tensor) -> Tensor:
            counts[stack] += 1
            return x

        return seen

    source = torch.tensor([src])
    with torch.inference_mode(), intervene(model, {f"{stack}.output": counting(stack) for stack in STACKS}):
        greedy_decode(model, source, padding_mask(source, PAD), most, START, end)
    return counts["encoder"], counts["decoder"]


READ_ONCE = Inquiry(ENCODER, ("masked", "same", "trained"), "same", of_another)


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
