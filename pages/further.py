"""Further than trained, and the other parts that changed since 2017: positions, norms, networks, heads, windows."""

from ui.chapters.further import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
