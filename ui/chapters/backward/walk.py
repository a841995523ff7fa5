"""The walk back: from the wrong word to the tables, each gradient with the operands that it is made of."""

from functools import partial

import streamlit as st

from transformer_core.backward import covers
from ui.chapters.backward.board import board, window
from ui.chapters.backward.stops import LEARNED, route
from ui.chapters.backward.values import ChosenParameter, OfWord, back_values, held, no_numbers, origin, program
from ui.chapters.shared.forward.steering import OfRoute, blocks, steer, title
from ui.chapters.shared.forward.stops import ForwardStop
from ui.chapters.shared.forward.values import TurnTensors
from ui.chapters.shared.tensors import grid
from ui.figures import Figure, number
from ui.figures.board import Cell
from ui.model import answer
from ui.sections import Chapter, Frame, Section, alone, controls, sequence, show
from ui.settings.fields import whole
from ui.settings.fields import window as windowed


class BackwardWalkSettings(OfRoute, OfWord):
    head: int = whole(0, 0, 63)
    first_row: int = windowed(9999)
    first_column: int = windowed(9999)


def step(chapter: Chapter[BackwardWalkSettings], by: int) -> bool:
    """On or back by a stop; False at either end of the way."""
    model = chapter.at_hand.load()
    to = _beyond(chapter, len(route(model)), by) if covers(model) else None
    if to:
        chapter.put("place", *to)
    return to is not None


@Section(
    "walk",
    settings=BackwardWalkSettings,
    cell="cell",
    reads=(Frame, ChosenParameter),
    types=("src",),
    look="lead",
    step=step,
)
def walk(chapter: Chapter[BackwardWalkSettings]) -> None:
    at_hand, say = chapter.at_hand, chapter.say
    above = chapter.figure_first()
    src = sequence(chapter, "src")
    if not covers(at_hand.load()):
        st.info(say("unknown"))
        return
    words = at_hand.target.labels(answer(at_hand, src))[1:]
    if not words:
        st.info(say("too_short"))
        return
    at = controls.one_of(chapter, "word", words[:-1] or words)
    stops, values = route(at_hand.load()), back_values(at_hand, src, at)
    overflown = no_numbers(at_hand, src, at)
    if overflown:
        first = overflown[0]
        title_ = say(f"at.{first.what}.title")
        st.warning(say("no_number", tensor=first.path, title=title_, count=len(overflown), of=len(stops)))
        return
    go = partial(chapter.put, "place")
    stop = stops[steer(chapter, stops, partial(_beyond, chapter, len(stops)), go)]
    blocks(chapter, stops, stop, go)
    with above.there:
        _stop(chapter, stop, values, at)
        furthest, largest = held(at_hand, src, at)[stop.path], float(values[stop.path].abs().max())
        chapter.write("held", count=values[stop.path].numel(), most=number(furthest, 2), largest=number(largest, 3))
        if stop.what in LEARNED:
            _way_on(chapter, stop)
    loss = -float(values["generator.log_probs"][0, at, int(values["right"])])
    key = "loss" if at_hand.step is None else "early_loss"
    if at_hand.config.answer(src) is None:
        chapter.write("no_answer")
        key = "own_loss"
    chapter.write(key, right=words[at], loss=number(loss, 3))
    chapter.write(f"at.{stop.what}.text")


def _beyond(chapter: Chapter[BackwardWalkSettings], count: int, by: int) -> tuple[int] | None:
    to = min(chapter.settings.place, count - 1) + by
    return (to,) if 0 <= to < count else None


def _stop(chapter: Chapter[BackwardWalkSettings], stop: ForwardStop, values: TurnTensors, at: int) -> None:
    say, at_hand, tensor = chapter.say, chapter.at_hand, values[stop.path]
    st.html(title(chapter, stop))
    head = controls.number_of(chapter, "head", grid(tensor).shape[0]) if tensor.dim() == 4 else 0
    last_row, last_column = window(stop, values)
    first_row = controls.slider(chapter, "first_row", 0, last_row, 32) if last_row else 0
    first_column = controls.slider(chapter, "first_column", 0, last_column, 64) if last_column else 0
    picture = board(stop, values, at_hand.load(), at_hand.config.vocabularies, say, head, (first_row, first_column))
    figure = Figure(
        "gradient",
        picture,
        origin(at_hand).provenance(stop.path, *tensor.shape),
        code=[stop.code],
        program=program(at_hand, stop, values, at, head),
        alt=say("alt", title=say(f"at.{stop.what}.title"), tensor=stop.path, shape=tuple(tensor.shape)),
    )
    choose = partial(_choose, chapter, stop, (first_row, first_column))
    show(chapter, figure, on_cell=choose if stop.what in LEARNED else None)


def _choose(
    chapter: Chapter[BackwardWalkSettings], stop: ForwardStop, first: tuple[int, int], chosen: Cell | None
) -> None:
    """The weight at a cell of a gradient is the one that is looked at below."""
    if chosen and chosen[0] == "result":
        weight = chapter.of(ChosenParameter)
        weight.put("matrix", stop.path.removeprefix("∂"))
        weight.put("out", first[0] + chosen[1])
        weight.put("into", first[1] + chosen[2])


def _way_on(chapter: Chapter[BackwardWalkSettings], stop: ForwardStop) -> None:
    weight = chapter.of(ChosenParameter).settings
    if weight.matrix != stop.path.removeprefix("∂"):
        chapter.write("choose")
    else:
        chapter.write("chosen_alone" if alone(chapter) else "chosen", out=weight.out, into=weight.into)
