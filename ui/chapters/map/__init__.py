"""The map: the paper's figure 1, and what the model at hand is made of."""

from ui.chapters.map.blocks import FIGURE_ONE
from ui.chapters.map.parameters import SCALE, TREE
from ui.chapters.shared.difference import difference_from
from ui.page.contents import Contents

CONTENTS = Contents("map", (FIGURE_ONE, difference_from("decoder.output"), SCALE, TREE))
