"""What a story, a lesson or a class lends: settings to explore from, after which the reader's own come back."""

from dataclasses import replace
from typing import Any

from ui.settings.fields import Settings
from ui.settings.frame import SCREEN, Frame
from ui.state.store import FRAME, session_value, session_values, store
from ui.state.widgets import current, put

Loan = dict[tuple[str, str], tuple[Any, Any]]  # (owner, setting): the reader's own value, and the one that is lent


def lend(owner: str, name: str, value: Any) -> None:
    """Set one setting until the reader leaves the chapter, or sets it otherwise."""
    _note(owner, name, getattr(current(owner, type(store()[owner])), name), value)
    put(owner, name, value)
    if (owner, name) == (FRAME, "src"):
        own = _loan()[FRAME, "src"][0]
        put(FRAME, "own", own if own != value else "")  # so that the page can be loaded anew


def take_up(frame: Frame) -> None:
    """A link is opened in which a story has lent a source."""
    if frame.own:
        _loan().update({(FRAME, "src"): (frame.own, frame.src), (FRAME, "tgt"): ("", frame.tgt)})


def put_lent(owner: str, name: str, value: Any) -> None:
    """Set what belongs to the other settings of a link: it is lent as far as these are."""
    (lend if _is_lent(owner, name, store()[owner]) else put)(owner, name, value)


def note_lent(owner: str, own: Settings, lent: Settings) -> None:
    """The same of all settings of a link that takes the reader along, but for what the screen shows of a chapter."""
    if type(own) is type(lent):
        for name in lent.kinds():
            if name != "scene" and not (owner == FRAME and name in SCREEN):
                _note(owner, name, getattr(own, name), getattr(lent, name))


def give_back(*names: str) -> None:
    """The reader's own settings are there again, or of the frame those of these names, but for what was set otherwise
    since."""
    over = [one for one in _loan() if not names or (one[0] == FRAME and one[1] in names)]
    back = [one for one in over if one[0] in store() and _is_lent(*one, store()[one[0]])]
    for owner, name in back:
        put(owner, name, _loan()[owner, name][0])
    if (FRAME, "model") in back:
        session_values().pop("task", None)  # the sequences for it have come back, too
    for one in over:
        del _loan()[one]
    if (FRAME, "src") in over:
        put(FRAME, "own", "")


def of_the_reader(frame: Frame) -> Frame:
    """The frame with the reader's own in the place of what is lent."""
    named = (name for owner, name in _loan() if owner == FRAME and _is_lent(FRAME, name, frame))
    own = {name: _loan()[FRAME, name][0] for name in named}
    return replace(frame, own="", **own) if own or frame.own else frame


def _is_lent(owner: str, name: str, settings: Settings) -> bool:
    """Whether a setting still has the value that was lent; a target has it for the source that was lent with it."""
    loan = _loan()
    if (owner, name) == (FRAME, "tgt") and (FRAME, "src") in loan and not _is_lent(FRAME, "src", settings):
        return False
    return (owner, name) in loan and bool(getattr(settings, name, None) == loan[owner, name][1])


def _note(owner: str, name: str, own: Any, lent: Any) -> None:
    before = _loan().get((owner, name))
    if before and before[1] == own:  # lent already: by the scene before
        own = before[0]
    _loan()[owner, name] = own, lent


def _loan() -> Loan:
    return session_value("loan", {})
