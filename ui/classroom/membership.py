"""The room of a class that a page is in: a student goes along with it, its teacher leads it."""

from collections.abc import Mapping

from ui import state
from ui.classroom.ballot import ClassQuestion, Phase, Result
from ui.classroom.rooms import RoomView
from ui.classroom.server_rooms import rooms
from ui.session import session
from ui.settings.chapters import CHAPTERS, MAP
from ui.settings.frame import Frame

LOOK, BEEN, GONE, RECEIPT, OPENED = "room.look", "room.been", "room.gone", "room.receipt", "room.opened"
TYPED = "room.letters"


def me() -> str:
    """This browser's own secret; where it has none, the session's."""
    return session().browser or session().name


def look(frame: Frame) -> RoomView | None:
    """The room that the link names, as it was at first in this run; None where there is none."""
    return state.once(LOOK, lambda: rooms().at(frame.room, me())) if frame.room else None


def asks(frame: Frame, chapter: str, question: str, said: Mapping[str, str] | None = None) -> RoomView | None:
    """The room, if it asks this question now, with these blanks where they are `said`, and this page takes part."""
    seen = look(frame)
    if seen is None or seen.asked is None or not (seen.teaches or frame.follow):
        return None
    same = said is None or dict(seen.asked.said) == said
    return seen if same and (seen.asked.chapter, seen.asked.question) == (chapter, question) else None


def attend(chapter: str) -> None:
    """Before anything of a page is drawn: a student who follows goes to what the room asks, once for each question.
    Whoever goes elsewhere follows no longer. A room that is gone is left."""
    frame = state.current(state.FRAME, Frame)
    if not frame.room:
        return
    seen = look(frame)
    if seen is None:
        state.remember(GONE, (frame.room, chapter))
        _set(room="", follow=True)
    elif not seen.teaches and frame.follow and seen.asked and seen.asked.chapter in (MAP, *CHAPTERS):
        _follow(seen.room, seen.asked, frame, chapter)


def _follow(room: str, asked: ClassQuestion, frame: Frame, chapter: str) -> None:
    to = (room, asked.name, asked.link)
    been = state.recall(BEEN)
    there = asked.chapter == chapter and _is_there(asked, frame)
    if been == to:
        if not there:
            _set(follow=False)
        return
    state.remember(BEEN, to)
    if been is not None or not there:  # where the page was loaded anew, it stays as it was left
        kept = Frame(lang=frame.lang, room=room).to_query()
        state.go_to(asked.chapter, dict(asked.link) | kept, anew=True)


def _is_there(asked: ClassQuestion, frame: Frame) -> bool:
    meant = Frame.from_query(dict(asked.link))
    return (frame.lesson, frame.at_stop, frame.only, frame.present) == (
        meant.lesson, meant.at_stop, frame.only if meant.lesson else meant.only, False,
    )  # fmt: skip


def gone(chapter: str) -> str:
    """The room that this page was in before that was found to be gone; "" where there was none."""
    room, where = state.recall(GONE) or ("", "")
    return room if where == chapter else ""


def come_back() -> None:
    """From what a click calls: go along again, to what is asked now."""
    state.remember(BEEN, ("", None, None))
    _set(follow=True)


def leave() -> None:
    _set(follow=False, lesson="", at_stop=1, only="")


def open_room() -> None:
    """From what a click calls: a room of this teacher, whose dialog is shown."""
    name = rooms().open(me())
    state.remember(OPENED, name or "")
    _set(room=name or "", follow=True)


def letters() -> str:
    """What was typed as a room's name, if it can be one; else ""."""
    return Frame.from_query({"room": (state.picked(TYPED) or "").strip().upper()}).room


def join() -> None:
    """From what a click calls: take part in the room whose letters were typed."""
    if letters():
        _set(room=letters(), follow=True)


def end(room: str) -> None:
    rooms().close(room, me())
    _set(room="", follow=True)


def just_opened() -> str | None:
    """The room that was opened by the last click, told once; "" where there was no place for it, None without one."""
    name = state.recall(OPENED)
    state.remember(OPENED, "-")
    return None if name == "-" else name


def ask(seen: RoomView, asked: ClassQuestion) -> None:
    """Let the class be asked this."""
    rooms().ask(seen.room, me(), asked)
    state.ask_again(LOOK)


def turn(seen: RoomView, phase: Phase) -> None:
    rooms().turn(seen.room, me(), phase)
    state.ask_again(LOOK)


def results(seen: RoomView) -> tuple[Result, ...]:
    return rooms().results(seen.room, me()) or ()


def reply(seen: RoomView, reply: str) -> None:
    """Give a reply to what was asked when the page was drawn, and keep what became of it."""
    assert seen.asked
    state.remember(RECEIPT, rooms().reply(seen.room, me(), seen.asked.name, seen.round, reply))
    state.ask_again(LOOK)


def receipt() -> str:
    """What became of the last reply; "counted" where there was none."""
    return state.recall(RECEIPT) or "counted"


def taught(frame: Frame) -> RoomView | None:
    """The room, if this browser has opened it."""
    seen = look(frame)
    return seen if seen and seen.teaches else None


def join_link(room: str) -> str:
    return state.link_to(MAP, {"room": room})


def _set(**values: object) -> None:
    for name, value in values.items():
        state.put(state.FRAME, name, value)
    state.ask_again(LOOK)
