"""The whole forward pass, one tensor at a time (paper, figure 1)."""

from typing import Literal

import streamlit as st

from ui import address, controls
from ui.caption import caption
from ui.drawing import board, write_sums
from ui.figures.source import marked_lines
from ui.fragment import fragment
from ui.labs.walkthrough_arithmetic import written
from ui.labs.walkthrough_board import grid, one_head, shown, window
from ui.labs.walkthrough_snippet import walk_snippet
from ui.labs.walkthrough_stops import Stop, place_of, source_of, stops
from ui.labs.walkthrough_values import Values, turn_values
from ui.predict import predict_choice, predict_number
from ui.session import LONGEST
from ui.settings.walkthrough import Walkthrough
from ui.shell import close_chapter, open_chapter

NOTES = {"model": "notes", "src": "1 2 3 4 5 6 7 8 9 10", "tgt": ""}  # what the lecture notes run

chapter = open_chapter("walkthrough", Walkthrough)
say = chapter.say


def take_notes() -> None:
    for name, value in NOTES.items():
        address.put(address.FRAME, name, value)
    go(0, 1)


@fragment
def walk() -> None:
    at_hand = chapter.at_hand
    left, middle, right = st.columns([4, 3, 2], vertical_alignment="bottom")
    with left:
        src = controls.sequence(chapter, "src", at_hand.config.vocab, LONGEST)
    with right:
        if st.button(say("preset"), icon=":material/history_edu:", type="tertiary", on_click=take_notes):
            address.run_again()  # the model is the whole page's
    if src is None:
        return
    if len(src) < 2:
        st.warning(say("too_short"))
        return
    with middle:
        turn = controls.slider(chapter, "turn", 1, len(src) - 1)
    route = stops(at_hand.model, turn)
    if chapter.settings.stop:
        chapter.put("place", place_of(chapter.settings.stop, route))
        chapter.put("stop", 0)
    stop = route[steer(route, len(src) - 1)]
    values = turn_values(at_hand, src, turn)
    show(stop, values, turn)


def steer(route: list[Stop], turns: int) -> int:
    """Back and forward, past the end into the next turn of the loop; and a slider for everything. Gives the stop."""
    settings = chapter.settings
    at = min(settings.place, len(route) - 1)
    loop = next(index for index, stop in enumerate(route) if stop.per_turn)
    before = (at - 1, settings.turn) if at != loop or settings.turn == 1 else (len(route) - 1, settings.turn - 1)
    after = (at + 1, settings.turn) if at < len(route) - 1 else (loop, settings.turn + 1)
    at = controls.slider(chapter, "place", 0, len(route) - 1)
    firsts: dict[str, int] = {}
    for index, stop in enumerate(route):
        firsts.setdefault(stop.block, index)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        button("back", "B", before, disabled=at == 0)
        button("forward", "N", after, disabled=after[1] > turns)
        for block, first in firsts.items():
            label = f"**{block_name(block)}**" if block == route[at].block else block_name(block)
            st.button(
                label, key=f"walkthrough.block.{block}", on_click=go, args=(first, settings.turn), type="tertiary"
            )
    return at


def button(name: str, key: str, to: tuple[int, int], disabled: bool) -> None:
    kind: Literal["primary", "secondary"] = "primary" if name == "forward" else "secondary"
    if not chapter.hides(name):
        st.button(
            say(name), key=f"walkthrough.{name}", shortcut=key, on_click=go, args=to, disabled=disabled, type=kind
        )


def go(at: int, turn: int) -> None:
    chapter.put("place", at)
    chapter.put("turn", turn)


def show(stop: Stop, values: Values, turn: int) -> None:
    at_hand, tensor = chapter.at_hand, values[stop.path]
    title = say(f"at.{stop.what}.title")
    st.html(f'{place(stop)} <b>{title}</b><div class="provenance">{shapes(stop, values)}</div>')
    head = controls.number_of(chapter, "head", grid(tensor).shape[0]) if one_head(tensor) else 0
    last_row, last_column = window(tensor)
    first_row = controls.slider(chapter, "first_row", 0, last_row, 32) if last_row else 0
    first_column = controls.slider(chapter, "first_column", 0, last_column, 128) if last_column else 0
    picture = shown(stop, values, say, head, first_row, first_column)
    pointed = board(
        chapter, "tensor", picture.panels, alt=say("alt", title=title, tensor=stop.path, shape=tuple(tensor.shape))
    )
    if pointed.chosen:
        write_sums(chapter, written(stop, values, at_hand.model, *picture.place(pointed.chosen)))
    chapter.write(f"at.{stop.what}.text", choice=int(values["choice"]))
    if stop.what == "weights" and stop.per_turn and turn == 1:
        st.info(say("first_turn"))
    if stop.what in ("choice", "log_probs") and at_hand.step == 0:
        st.info(say("untrained"))
    source = source_of(stop)
    lines = marked_lines(source.lines, source.first, source.at, chapter.mode)
    st.html(f'<div class="provenance">{source.file}</div>{lines}')
    origin = at_hand.provenance(stop.path, *tensor.shape)
    snippet = walk_snippet(at_hand, stop, values)
    caption(chapter, "tensor", origin, numbers=grid(tensor)[head], code=[stop.code], snippet=snippet)


def block_name(block: str) -> str:
    name, _, n = block.partition(".layers.")
    return say(f"block.{name}", n=n)


def place(stop: Stop) -> str:
    """`self-attention ·` inside of a layer."""
    return f"{say(f'sublayer.{stop.sublayer}')} ·" if stop.sublayer else ""


def shapes(stop: Stop, values: Values) -> str:
    """`self_attn.query (1, 4, 10, 16), self_attn.key (1, 4, 10, 16) → self_attn.scores (1, 4, 10, 10)`."""
    before, after = ([shape(path, values) for path in paths] for paths in (stop.inputs, [stop.path]))
    return f"{', '.join(before) or say('given')} → {after[0]}"


def shape(path: str, values: Values) -> str:
    parts = path.split(".")
    name = parts[-3:] if parts[-2:-1] and parts[-2].isdigit() else parts[-2:]
    return f"{'.'.join(name)} {tuple(values[path].shape)}"


walk()
slips = {"ask_shape.one_row": 10, "ask_shape.all_heads": 8 * 10 * 10, "ask_shape.with_vectors": 10 * 512}
predict_number(chapter, "ask_shape", 10 * 10, slips)
predict_choice(chapter, "ask_mask", ("itself", "both", "nothing"), "itself")
chapter.write(*(f"words.{paragraph}" for paragraph in ("see", "name", "shapes", "why")))
close_chapter(chapter)
