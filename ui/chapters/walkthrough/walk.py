"""The walk through the forward pass: from stop to stop, each with its tensor and its line of source."""

from functools import partial

import streamlit as st

from ui import state
from ui.chapters.shared.forward import board
from ui.chapters.shared.forward.board import one_head
from ui.chapters.shared.forward.steering import OfRoute, blocks, steer, title
from ui.chapters.shared.forward.stops import ForwardStop, place_of, source_of, stops
from ui.chapters.shared.forward.values import TurnTensors, turn_values
from ui.chapters.shared.model_program import model_snippet
from ui.chapters.shared.tensors import grid
from ui.chapters.walkthrough.figures.source import marked_lines
from ui.figures import Figure
from ui.model import ModelAtHand, made, output_of
from ui.sections import Chapter, Choice, Frame, Quantity, Section, controls, kept, predict, sequence, show
from ui.sections.sequence_fields import typed
from ui.settings.fields import Settings, by_click, whole, window

# Of the values of the loop itself, those that are not simply called by their names.
OWN = {
    "src_mask": "src_mask[0]",
    "tgt_mask": "tgt_mask[0]",
    "next": "torch.cat([ys, choice.unsqueeze(1)], dim=1)",
}


def walk_snippet(at_hand: ModelAtHand, stop: ForwardStop, values: TurnTensors, head: int) -> str:
    """Leaves the tensor in `shown`, without the batch of one: all its heads side by side, or the one that is shown."""
    return (
        f"{model_snippet(at_hand)}"
        "from transformer_core import padding_mask, record, subsequent_mask\n\n"
        f"src, ys = torch.tensor({values['src'].tolist()}), torch.tensor({values['ys'].tolist()})\n"
        "src_mask, tgt_mask = padding_mask(src), subsequent_mask(ys.size(1))\n"
        "with torch.no_grad(), record(model) as trace:\n"
        "    memory = model.encode(src, src_mask)\n"
        "    last = model.decode(memory, src_mask, ys, tgt_mask)[:, -1]\n"
        "    choice = model.generator(last).argmax(-1)\n"
        f"shown = {_shown(stop, values, head)}\n"
        "print(shown)\n"
    )


def _shown(stop: ForwardStop, values: TurnTensors, head: int) -> str:
    tensor, traced = values[stop.path], f"trace['{stop.path}']"
    if stop.path.endswith((".weight", ".bias")):
        return f"model.get_parameter('{stop.path}').detach()"
    if tensor.dim() == 4:
        return f"{traced}[0, {head}]" if one_head(tensor) else f"torch.cat(list({traced}[0]), dim=1)"
    if "." not in stop.path:
        return OWN.get(stop.path, stop.path)
    return f"{traced}[0]" if tensor.dim() == 3 else traced


NOTES = "1 2 3 4 5 6 7 8 9 10"  # what the lecture notes' model reads


class WalkSettings(OfRoute):
    stop: int = by_click(whole(0, 0, 9999))  # the same in an early link, which does not count all of them
    turn: int = whole(1, 1, 99)  # of the decoding loop
    head: int = whole(0, 0, 63)
    first_row: int = window(9999)
    first_column: int = window(9999)


def step(chapter: Chapter[WalkSettings], by: int) -> bool:
    """On or back by a stop, as the buttons lead; False at either end of the way."""
    settings, at_hand = chapter.settings, chapter.at_hand
    src = typed(chapter, "src")
    turns = len(output_of(at_hand, src)) - 1 if len(src) > 1 else 0
    to = _beyond(stops(at_hand.load()), settings.place, min(settings.turn, turns), turns, by) if turns > 0 else None
    if to:
        _go(chapter, *to)
    return to is not None


@Section("walk", settings=WalkSettings, cell="cell", reads=(Frame,), types=("src",), look="lead", step=step)
def walk(chapter: Chapter[WalkSettings]) -> None:
    at_hand, say = chapter.at_hand, chapter.say
    row, above = st.container(), chapter.figure_first()
    tall = at_hand.words is not None  # the field for the source, with what stands below it
    left, middle, right = st.columns([4, 3, 2], vertical_alignment="top" if tall else "bottom")
    with left:
        src = sequence(chapter, "src")
    with right:
        take = chapter.then(partial(_take_notes, chapter))
        st.button(say("preset"), icon=":material/history_edu:", type="tertiary", on_click=take, help=say("preset_help"))
    if len(src) < 2:
        st.warning(say("too_short"))
        return
    turns = len(output_of(at_hand, src)) - 1
    with middle:
        turn = controls.slider(chapter, "turn", 1, turns)
    route = made(at_hand, ("route", turn), lambda model: stops(model, turn))
    if chapter.settings.stop:
        chapter.put("place", place_of(chapter.settings.stop, route))
        chapter.put("stop", 0)
    settings, go = chapter.settings, partial(_go, chapter)
    with row:
        stop = route[steer(chapter, route, partial(_beyond, route, settings.place, settings.turn, turns), go)]
    blocks(chapter, route, stop, lambda first: go(first, turn))
    values = turn_values(at_hand, src, turn)
    with above.there:
        _stop(chapter, stop, values)
    chapter.write(f"at.{stop.what}.text", choice=at_hand.target.every[int(values["choice"])])
    if stop.what == "weights" and stop.per_turn and turn == 1:
        st.info(say("first_turn"))
    if stop.what in ("choice", "log_probs") and at_hand.step == 0:
        st.info(say("untrained"))
    source = source_of(stop)
    lines = marked_lines(source.lines, source.first, source.at)
    st.html(f'<div class="provenance">{source.file}</div>{lines}')


def _take_notes(chapter: Chapter[WalkSettings]) -> None:
    state.take_model("notes", state.NUMBERS, NOTES)
    _go(chapter, 0, 1)


def _go(chapter: Chapter[WalkSettings], at: int, turn: int) -> None:
    chapter.put("place", at)
    chapter.put("turn", turn)


def _beyond(route: list[ForwardStop], at: int, turn: int, turns: int, by: int) -> tuple[int, int] | None:
    """The stop after this one or before it, and its turn: the end leads into the next turn of the decoding loop."""
    last, at = len(route) - 1, min(at, len(route) - 1)
    loop = next(index for index, stop in enumerate(route) if stop.per_turn)
    if by > 0:
        return (at + 1, turn) if at < last else (loop, turn + 1) if turn < turns else None
    return (last, turn - 1) if at == loop and turn > 1 else (at - 1, turn) if at else None


def _stop(chapter: Chapter[WalkSettings], stop: ForwardStop, values: TurnTensors) -> None:
    """The tensor of a stop, under where we are and the shapes of what it is made of."""
    say, tensor = chapter.say, values[stop.path]
    made = ", ".join(_shape(path, values) for path in stop.inputs) or say("given")
    st.html(f'{title(chapter, stop)}<div class="provenance">{made} → {_shape(stop.path, values)}</div>')
    head = controls.number_of(chapter, "head", grid(tensor).shape[0]) if board.one_head(tensor) else 0
    last_row, last_column = board.window(stop, values)
    first_row = controls.slider(chapter, "first_row", 0, last_row, 32) if last_row else 0
    first_column = controls.slider(chapter, "first_column", 0, last_column, 128) if last_column else 0
    shown = head, first_row, first_column
    read = tuple(values["src"].flatten().tolist()), tuple(values["ys"].flatten().tolist())
    about = stop.path, stop.what, stop.block, stop.sublayer, *read, *shown
    show(chapter, kept(chapter, partial(_figure, chapter, stop, values, *shown), *about))


def _figure(
    chapter: Chapter[WalkSettings], stop: ForwardStop, values: TurnTensors, head: int, first_row: int, first_column: int
) -> Figure:
    say, at_hand, tensor = chapter.say, chapter.at_hand, values[stop.path]
    picture = board.board(stop, values, at_hand.load(), at_hand.config.vocabularies, say, head, first_row, first_column)
    numbers, columns = board.beside(picture)
    return Figure(
        "tensor",
        picture,
        at_hand.provenance(stop.path, *tensor.shape),
        numbers=numbers,
        columns=columns,
        code=[stop.code],
        program=walk_snippet(at_hand, stop, values, head),
        alt=say("alt", title=say(f"at.{stop.what}.title"), tensor=stop.path, shape=tuple(tensor.shape)),
    )


def _shape(path: str, values: TurnTensors) -> str:
    """`self_attn.query (1, 4, 10, 16)`."""
    parts = path.split(".")
    name = parts[-3:] if parts[-2:-1] and parts[-2].isdigit() else parts[-2:]
    return f"{'.'.join(name)} {tuple(values[path].shape)}"


# Two questions about what passes by, and how to read it.

SHAPE = Quantity(
    "ask_shape",
    10 * 10,
    {"ask_shape.wrong.one_row": 10, "ask_shape.wrong.all_heads": 8 * 10 * 10, "ask_shape.wrong.with_vectors": 10 * 512},
)
MASK = Choice("ask_mask", ("itself", "both", "nothing"), right="itself")


@Section("reading", look="open", asks=(SHAPE, MASK))
def reading(chapter: Chapter[Settings]) -> None:
    predict(chapter, SHAPE)
    predict(chapter, MASK)
    chapter.write(*(f"words.{paragraph}" for paragraph in ("see", "name", "shapes", "why")))
