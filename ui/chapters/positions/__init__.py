"""The sinusoidal position code (paper, section 3.5), and what it gives away about order."""

from typing import Any

from ui.chapters.positions.beyond import BEYOND
from ui.chapters.positions.code import CODE
from ui.chapters.positions.forms import FORMS, LAYOUTS
from ui.chapters.positions.frozen import FROZEN
from ui.chapters.positions.order import ORDER
from ui.chapters.positions.products import PRODUCTS
from ui.chapters.positions.rotation import CLOCKS
from ui.chapters.positions.story import STORY
from ui.chapters.positions.sum import SUM
from ui.chapters.positions.wavelengths import WAVELENGTHS
from ui.chapters.shared.difference import difference_from
from ui.page.contents import Contents
from ui.section import Section

DIFFERENCE = difference_from("src_embed.1.output")
DEEPER: Section[Any] = Section("deeper", look="open", text="text", parts=(FORMS, LAYOUTS, FROZEN))
CONTENTS = Contents("positions", (STORY, CODE, DIFFERENCE, WAVELENGTHS, PRODUCTS, CLOCKS, SUM, ORDER, BEYOND, DEEPER))
