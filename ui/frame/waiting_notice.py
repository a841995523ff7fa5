"""What a reader who waits for a run is told: the place in line, and the time that it is expected to take."""

import math

from ui.text import Words
from ui.training_service.eta import Eta

MINUTE = 60
STEP = 5  # seconds: a number that changes at every look says more than anybody knows


def and_wait(said: str, eta: Eta | None, lang: str) -> str:
    """What is said, and the wait after it. A Chinese full stop brings its own space along."""
    line = waiting(eta, lang)
    return said + ("" if said.endswith("。") or not line else " ") + line


def waiting(eta: Eta | None, lang: str) -> str:
    """A sentence; empty where nothing is waited for, or nothing is known."""
    shell = Words("shell", lang)
    if eta is None:
        return ""
    wait = "" if eta.seconds is None else _about(eta.seconds, shell)
    if eta.place is None:
        return shell("wait.time", wait=wait) if wait else ""
    return shell("wait.both", place=eta.place, wait=wait) if wait else shell("wait.place", place=eta.place)


def _about(seconds: float, shell: Words) -> str:
    if seconds > MINUTE:
        return shell("wait.minutes", count=math.ceil(seconds / MINUTE))
    return shell("wait.seconds", count=STEP * max(1, math.ceil(seconds / STEP)))
