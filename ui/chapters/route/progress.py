"""Which steps the reader has done; kept as long as the tab is open."""

from collections.abc import Iterable

from ui import state
from ui.frame.fragment import run_page
from ui.settings.route import RouteStep

DONE = "route.done"


def done() -> frozenset[str]:
    return state.recall(DONE) or frozenset()


def count(steps: Iterable[RouteStep]) -> int:
    return len(done() & {step.name for step in steps})


def turn(name: str) -> None:
    state.remember(DONE, done() ^ {name})
    run_page()
