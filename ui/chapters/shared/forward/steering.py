"""Along a route of stops: back and forward, a slider for everything, and a button for each block."""

from collections.abc import Callable, Sequence

import streamlit as st

from ui.chapters.shared.forward.stops import ForwardStop
from ui.sections import Chapter, controls
from ui.settings.fields import Settings, whole

To = tuple[int, ...]  # where to, as `go` is told


class OfRoute(Settings):
    place: int = whole(0, 0, 9999)  # of the stop on the route


def steer(
    chapter: Chapter[OfRoute], stops: Sequence[ForwardStop], beyond: Callable[[int], To | None], go: Callable[..., None]
) -> int:
    """Gives the stop. `beyond` says where a step of −1 or 1 leads to, None at either end; `go` leads there."""
    left, right = st.columns([2, 5], vertical_alignment="bottom")
    with right:
        at: int = controls.slider(chapter, "place", 0, len(stops) - 1)
    with left, st.container(horizontal=True, gap="small"):
        for name, key, by in (("back", "B", -1), ("forward", "N", 1)):
            to = beyond(by)
            if not chapter.hides(name):
                st.button(
                    chapter.say(name),
                    key=f"{chapter.name}.{name}",
                    shortcut=key,
                    on_click=go,
                    args=to or (),
                    disabled=to is None,
                    type="primary" if by > 0 else "secondary",
                )
    return at


def blocks(
    chapter: Chapter[OfRoute], stops: Sequence[ForwardStop], here: ForwardStop, go: Callable[[int], None]
) -> None:
    """A button that leads to the first stop of each block."""
    firsts: dict[str, int] = {}
    for index, stop in enumerate(stops):
        firsts.setdefault(stop.block, index)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for block, first in firsts.items():
            name, _, n = block.partition(".layers.")
            label = chapter.say(f"block.{name}", n=n)
            label = f"**{label}**" if block == here.block else label
            st.button(label, key=f"{chapter.name}.block.{block}", on_click=go, args=(first,), type="tertiary")


def title(chapter: Chapter[OfRoute], stop: ForwardStop) -> str:
    inside = f"{chapter.say(f'sublayer.{stop.sublayer}')} ·" if stop.sublayer else ""
    return f"{inside} <b>{chapter.say(f'at.{stop.what}.title')}</b>"
