"""The lecture notes as a route: five documents, section by section, each step with its experiment."""

from ui.chapters.route import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
