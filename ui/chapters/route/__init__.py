"""The lecture notes as a route: five documents, section by section, each step with its experiment."""

from ui.chapters.route.code import CODE
from ui.chapters.route.steps import OF_EACH, OVERVIEW
from ui.sections.contents import Contents
from ui.settings.route import PARTS

CONTENTS = Contents("route", (OVERVIEW, *OF_EACH, CODE), opened=PARTS[0])
