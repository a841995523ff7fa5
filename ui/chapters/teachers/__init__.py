"""For teachers: eight lessons of ten minutes, an hour made of them, and links for a class."""

from typing import Any

from ui.chapters.teachers.builder import BUILDER, ROOM
from ui.chapters.teachers.links import COURSE
from ui.chapters.teachers.plan import PLAN
from ui.chapters.teachers.stops import OVERVIEW
from ui.sections import Section
from ui.sections.contents import Contents

LINKS: Section[Any] = Section("links", text="text")
LECTURE: Section[Any] = Section("lecture", text="text")
CONTENTS = Contents("teachers", (OVERVIEW, ROOM, PLAN, BUILDER, COURSE, LINKS, LECTURE))
