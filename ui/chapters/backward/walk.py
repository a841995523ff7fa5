"""The walk back: from the wrong word to the tables, each gradient with the operands that it is made of."""

from dataclasses import replace

import streamlit as st

from transformer_core.backward import covers
from ui.chapters.backward.board import board, window
from ui.chapters.backward.stops import route
from ui.chapters.backward.values import back_values
from ui.chapters.shared.forward.stops import Stop
from ui.chapters.shared.forward.values import Values
from ui.chapters.shared.model_program import config_source, model_snippet
from ui.chapters.shared.tensors import grid
from ui.figures.figure import Figure
from ui.figures.number import number
from ui.frame.chapter import Chapter
from ui.model.answer import answer
from ui.model.at_hand import ModelAtHand
from ui.page import controls
from ui.page.section import Section
from ui.page.typed import sequence
from ui.settings.fields import Settings, cell, whole
from ui.settings.fields import window as windowed
from ui.settings.frame import Frame
from ui.showing.show import show


class Walk(Settings):
    word: int = whole(99, 0, 99)  # of the answer; its last one where there is no such
    place: int = whole(0, 0, 9999)  # of the stop on the route
    head: int = whole(0, 0, 63)
    first_row: int = windowed(9999)
    first_column: int = windowed(9999)
    cell: tuple[str, int, int] | None = cell()


def walk(chapter: Chapter[Walk]) -> None:
    at_hand, say = chapter.at_hand, chapter.say
    above = chapter.figure_first()
    src = sequence(chapter, "src")
    if src is None:
        return
    if not covers(at_hand.model):
        st.info(say("unknown"))
        return
    words = at_hand.target.labels(answer(at_hand, src))[1:]
    if not words:
        st.info(say("too_short"))
        return
    at = controls.one_of(chapter, "word", words[:-1] or words)
    stops, values = route(at_hand.model), back_values(at_hand, src, at)
    stop = stops[_steer(chapter, stops)]
    _blocks(chapter, stops, stop)
    with above.there:
        _stop(chapter, stop, values, at)
    loss = -float(values["generator.log_probs"][0, at, int(values["right"])])
    chapter.write("loss" if at_hand.step is None else "early_loss", right=words[at], loss=number(loss, 3))
    chapter.write(f"at.{stop.what}.text")


def step(chapter: Chapter[Walk], by: int) -> bool:
    """On or back by a stop; False at either end of the way."""
    model = chapter.at_hand.model
    to = chapter.settings.place + by
    there = covers(model) and 0 <= to < len(route(model))
    if there:
        chapter.put("place", to)
    return there


def _steer(chapter: Chapter[Walk], stops: list[Stop]) -> int:
    left, right = st.columns([2, 5], vertical_alignment="bottom")
    with right:
        at: int = controls.slider(chapter, "place", 0, len(stops) - 1)
    with left, st.container(horizontal=True, gap="small"):
        for name, key, to in (("back", "B", at - 1), ("forward", "N", at + 1)):
            if not chapter.hides(name):
                st.button(
                    chapter.say(name),
                    key=f"backward.{name}",
                    shortcut=key,
                    on_click=chapter.put,
                    args=("place", to),
                    disabled=not 0 <= to < len(stops),
                    type="primary" if name == "forward" else "secondary",
                )
    return at


def _blocks(chapter: Chapter[Walk], stops: list[Stop], here: Stop) -> None:
    """A button that leads to the first stop of each block."""
    firsts: dict[str, int] = {}
    for index, stop in enumerate(stops):
        firsts.setdefault(stop.block, index)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for block, first in firsts.items():
            name, _, n = block.partition(".layers.")
            label = chapter.say(f"block.{name}", n=n)
            st.button(
                f"**{label}**" if block == here.block else label, key=f"backward.block.{block}",
                on_click=chapter.put, args=("place", first), type="tertiary",
            )  # fmt: skip


def _stop(chapter: Chapter[Walk], stop: Stop, values: Values, at: int) -> None:
    say, at_hand, tensor = chapter.say, chapter.at_hand, values[stop.path]
    title, inside = say(f"at.{stop.what}.title"), f"{say(f'sublayer.{stop.sublayer}')} ·" if stop.sublayer else ""
    st.html(f"{inside} <b>{title}</b>")
    head = controls.number_of(chapter, "head", grid(tensor).shape[0]) if tensor.dim() == 4 else 0
    last_row, last_column = window(stop, values)
    first_row = controls.slider(chapter, "first_row", 0, last_row, 32) if last_row else 0
    first_column = controls.slider(chapter, "first_column", 0, last_column, 64) if last_column else 0
    picture = board(stop, values, at_hand.model, at_hand.config.vocabularies, say, head, (first_row, first_column))
    figure = Figure(
        "gradient",
        picture,
        say("alt", title=title, tensor=stop.path, shape=tuple(tensor.shape)),
        origin(at_hand).provenance(stop.path, *tensor.shape),
        code=[stop.code],
        program=program(at_hand, stop, values, at, head),
    )
    show(chapter, figure)


def origin(at_hand: ModelAtHand) -> ModelAtHand:
    """The moment that the gradients are of."""
    return at_hand if at_hand.step is None else replace(at_hand, step=0)


def program(at_hand: ModelAtHand, stop: Stop, values: Values, at: int, head: int) -> str:
    """Leaves the gradient in `shown`."""
    shown = f"found['{stop.path.removeprefix('∂')}']"
    if values[stop.path].dim() > 2:
        shown += f"[0, {head}]" if values[stop.path].dim() == 4 else "[0]"
    return f"{backward_program(at_hand, values, at)}shown = {shown}\nprint(shown)\n"


def backward_program(at_hand: ModelAtHand, values: Values, at: int) -> str:
    """Leaves all gradients in `found`."""
    src, given, right = values["src"].tolist(), values["ys"].tolist(), int(values["right"])
    model = model_snippet(at_hand)
    if at_hand.step is not None:
        model = (
            "import torch\nfrom transformer_core.training.config import TrainConfig\n"
            "from transformer_core.training.models import fresh_model\n\n"
            f"model = fresh_model({config_source(at_hand.run)}).eval()\n"
        )
    return (
        f"{model}from transformer_core import padding_mask, record, target_mask\n"
        "from transformer_core.backward import backward\n\n"
        f"src, given = torch.tensor({src}), torch.tensor({given})\n"
        "masks = padding_mask(src), target_mask(given)\n"
        "with torch.no_grad(), record(model) as trace:\n"
        "    log_probs = model.generator(model(src, given, *masks))\n"
        "    gradient = torch.zeros_like(log_probs)\n"
        f"    gradient[0, {at}] = log_probs[0, {at}].exp()\n"
        f"    gradient[0, {at}, {right}] -= 1\n"
        "    found = backward(model, trace, src, given, *masks, gradient)\n"
    )


def word_of(chapter: Chapter[Walk], target: tuple[int, ...]) -> int:
    """The place of the word whose loss it is."""
    return min(chapter.settings.word, max(0, len(target) - 3))


WALK = Section("walk", walk, settings=Walk, reads=(Frame,), types=("src",), look="lead", step=step)
