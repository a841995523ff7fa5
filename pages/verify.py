"""Every claim about the code and the model at hand, measured; and one thing broken, to see what notices."""

from ui.chapters.verify import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
