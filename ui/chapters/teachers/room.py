"""A room for a class: opened by one click, led from every stop of a lesson."""

from typing import Any

from ui.classroom import dialog, membership
from ui.sections import AnyChapter, Frame, Section


def room(chapter: AnyChapter) -> None:
    dialog.just_opened(chapter.lang)
    seen = membership.taught(chapter.frame)
    if seen:
        dialog.inside(seen, chapter.lang)
    else:
        dialog.open_button(chapter.lang, "teachers.open_room")


ROOM: Section[Any] = Section("room", room, look="open", text="text", reads=(Frame,), whole=True)
