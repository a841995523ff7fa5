"""The map's figure 1, which plays with the values of the model at hand; a block opens its chapter."""

from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from transformer_core import START, EncoderDecoder, greedy_steps
from ui import address
from ui.chapters.map.figures.figure_one import figure_one
from ui.chapters.map.figures.figure_one_blocks import Block, arrows, blocks
from ui.chapters.map.figures.playing import message
from ui.chapters.map.figures.written import written
from ui.chapters.map.parameters import blocks_table
from ui.chapters.map.play import Play, play, written_by
from ui.chapters.shared.forward.stops import stops
from ui.chapters.shared.model_program import model_snippet
from ui.figures.figure import Drawing, Figure
from ui.frame.chapter import Chapter
from ui.frame.fragment import run_page
from ui.model.at_hand import ModelAtHand
from ui.page.section import Section
from ui.page.typed import LONGEST, sequence, typed
from ui.reading.sequence import NotASequence, example, parse
from ui.settings.frame import Frame
from ui.showing.show import show

DOORS = {"head": "attention", "train": "training", "notes": "tokens"}
SEEN = 0.005  # a probability below this is not listed beside the likeliest
LABELS = ("times", "inputs", "outputs", "probabilities", "alt")
WORDS = ("play", "pause", "back", "on", "speed", "place", "player", "turn", "encoder", "rest")


def the_map(chapter: Chapter[Any]) -> None:
    at_hand = chapter.at_hand
    counts = {name: sum(part.numel() for part in child.parameters()) for name, child in at_hand.model.named_children()}
    src = typed(chapter, "src") or example_of(at_hand)
    S, T = len(src), len(written_by(at_hand, src))
    drawn = _blocks(at_hand, S, T)
    figure = Figure(
        "figure_one",
        _drawing(chapter, drawn, play(at_hand, src, drawn), src),
        "",
        at_hand.provenance("EncoderDecoder", S, T),
        numbers=np.array([list(counts.values())]),
        columns=[chapter.say("parameters", part=name) for name in counts],
        code=[EncoderDecoder, greedy_steps],
        program=f"{model_snippet(at_hand)}print(model)\n"
        "shown = [[sum(weight.numel() for weight in part.parameters()) for part in model.children()]]\nprint(shown)\n",
    )
    show(chapter, figure, on_pick=partial(_enter, drawn))
    _doors(chapter)
    left, right = st.columns([2, 3], gap="large")
    with left:
        if sequence(chapter, "src") is None:
            st.caption(chapter.say("stands_in", read=" ".join(at_hand.source.labels(src))))
    with right:
        sizes = {"S": S, "T": T, "d_model": at_hand.config.d_model}
        chapter.write("read", parameters=f"{sum(counts.values()):,}", **sizes)
        chapter.write("pre_norm" if at_hand.config.norm_first else "post_norm", "own_matrices")
        blocks_table(chapter)


def _enter(drawn: list[Block], chosen: int) -> None:
    """Go to the chapter of a block."""
    if chosen < len(drawn):
        block = drawn[chosen]
        _go(block.chapter, **dict(block.query))


def _doors(chapter: Chapter[Any]) -> None:
    for place, name in zip(st.columns(len(DOORS), gap="medium"), DOORS):
        with place, st.container(border=True, height="stretch", gap="xsmall", key=f"way-{name}"):
            label, icon = f"**{chapter.say(f'door.{name}')}**", ":material/arrow_forward:"
            st.button(label, type="tertiary", icon=icon, on_click=_open, args=(name,))
            st.caption(chapter.say(f"door.{name}_what"))


def _open(door: str) -> None:
    """Between chapters a link does not change the model; a button may, and keeps what was typed for the other one."""
    if door == "notes":
        address.take_model("trained", address.NUMBERS, Frame.default().src)
    _go(DOORS[door])


def _go(chapter: str, **settings: object) -> None:
    address.go_to(chapter, address.query(chapter, **settings))
    run_page()


def example_of(at_hand: ModelAtHand) -> tuple[int, ...]:
    """What the model reads where the reader's sequence is none."""
    try:
        return parse(example(at_hand.config, Frame.default().src), at_hand.source, LONGEST)
    except NotASequence:  # a vocabulary with fewer numbers
        return (START, len(at_hand.source) - 1)


def _blocks(at_hand: ModelAtHand, S: int, T: int | str) -> list[Block]:
    config = at_hand.config
    sizes = {name: getattr(config, name) for name in ("d_model", "d_ff", "h", "N")}
    at = {stop.path: index for index, stop in enumerate(stops(at_hand.model))}
    return blocks(sizes, config.vocab, config.tgt_vocab, S, T, at)


def _drawing(chapter: Chapter[Any], drawn: list[Block], played: Play, src: tuple[int, ...]) -> Drawing:
    say, at_hand = chapter.say, chapter.at_hand
    config, (S, T) = at_hand.config, (len(src), len(played.given))
    texts = {name: say(f"block.{name}", N=config.N, S=S, T=T) for name in (*LABELS, *(block.key for block in drawn))}
    told = _told(chapter, drawn, played, S, T, texts)
    sources, words = at_hand.source.labels(src), at_hand.target.labels((*played.given[:1], *played.written))[1:]
    sentence = written(
        sources,
        words,
        [_percent(chance) for chance in played.chances],
        played.looks,
        (say("play.reads"), say("play.writes")),
        say("play.alt", source=" ".join(sources), output=" ".join(words)),
    )
    every = at_hand.target.every
    turns = [
        " · ".join(f"{every[token]} {_percent(chance)}" for token, chance in zip(*turn) if chance >= SEEN)
        for turn in zip(played.likeliest, played.probabilities)
    ]
    named = {name: say(f"play.{name}", turn="{turn}", T=T) for name in WORDS}
    named["note"] = say("play.note" if config.N == 1 else "play.note_layers", h=config.h, layer=config.N - 1)
    later = _told(chapter, _blocks(at_hand, S, "{t}"), played, S, "{t}", texts)
    svg = figure_one(drawn, arrows(drawn, S, T), texts, [". ".join(lines) for lines in told])
    return Drawing(svg, "map", message(sentence, drawn, played.pictures, list(zip(words, turns)), later, named))


def _told(
    chapter: Chapter[Any], drawn: list[Block], played: Play, S: int, T: int | str, texts: dict[str, str]
) -> list[tuple[str, str, str]]:
    """Of each block its name, the shapes of what goes in and out, and what its picture shows."""
    say, ways, told = chapter.say, arrows(drawn, S, T), []
    for index, (block, picture) in enumerate(zip(drawn, played.pictures)):
        given = ", ".join(way.carries for way in ways if way.end == index and way.kind != "again")
        path = f"exp({block.path})" if block.key == "softmax" else block.path
        shown = f"{path} · {block.pictured}"
        if picture.every > 1:
            shown += f" · {say('play.every', every=picture.every)}"
        if len(picture.values) < chapter.at_hand.config.h and block.chapter == "attention":
            shown += f" · {say('play.heads', last=len(picture.values) - 1)}"
        told.append((texts[block.key], say("play.flow", given=given, leaves=block.leaves), shown))
    return told


def _percent(chance: float) -> str:
    return ">99.9%" if chance > 0.9995 else f"{chance:.1%}"


FIGURE_ONE = Section("figure_one", the_map, reads=(Frame,), types=("src",), look="lead")
