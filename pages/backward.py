"""The backward pass, gradient by gradient (paper, section 5.3, which leaves it to the reader)."""

from ui.chapters.backward import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
