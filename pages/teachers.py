"""For teachers: five lessons of ten minutes, an hour made of them, and links for a class."""

from ui.chapters.teachers import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
