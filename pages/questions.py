"""Questions of learners: what is asked, answered in a few sentences and shown in the app."""

from ui.chapters.questions import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
