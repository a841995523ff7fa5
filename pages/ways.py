"""Drawing the next token, and searching with a beam (paper, section 6.1)."""

from ui.chapters.ways import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
