"""The map: the paper's figure 1, and what the model at hand is made of."""

from ui.chapters.map import blocks, parameters
from ui.chapters.shared.difference import difference_from
from ui.sections.contents import Contents

CONTENTS = Contents("map", (blocks.the_map, difference_from("decoder.output"), parameters.scale, parameters.tree))
