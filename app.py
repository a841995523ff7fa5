"""The map: the paper's figure 1, whose blocks lead to the chapters."""

from ui.chapters.map import CONTENTS
from ui.page.contents import draw

draw(CONTENTS)
