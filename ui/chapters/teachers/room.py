"""A room for a class: opened by one click, led from every stop of a lesson."""

from typing import Any

from ui.frame import classroom, door
from ui.section import AnyChapter, Frame, Section


def room(chapter: AnyChapter) -> None:
    door.just_opened(chapter.lang)
    seen = classroom.taught(chapter.frame)
    if seen:
        door.door(seen, chapter.lang)
    else:
        door.open_button(chapter.lang, "teachers.open_room")


ROOM: Section[Any] = Section("room", room, look="open", text="text", reads=(Frame,), whole=True)
