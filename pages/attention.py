"""One head of scaled dot-product attention, stage by stage (paper, section 3.2.1)."""

from ui.chapters.attention import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
