"""Which steps the reader has done; kept as long as the tab is open."""

from collections.abc import Iterable

from ui import state
from ui.frame.fragment import run_page
from ui.settings.route import RouteStep

DONE = "route.done"


def done() -> frozenset[str]:
    return state.recall(DONE) or frozenset()


def count(steps: Iterable[RouteStep]) -> int:
    """How many of these are done."""
    return len(done() & {step.name for step in steps})


def turn(name: str) -> None:
    """From what a tick calls: the step is done, or not done any more. The whole page counts."""
    state.remember(DONE, done() ^ {name})
    run_page()
