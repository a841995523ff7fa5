"""The sinusoidal position code (paper, section 3.5), and what it gives away about order."""

from ui.chapters.positions import beyond, code, forms, learned, order, products, rotation, sum, surface
from ui.chapters.positions.story import STORY
from ui.chapters.shared.difference import difference_from
from ui.sections import deeper
from ui.sections.contents import Contents

DIFFERENCE = difference_from("src_embed.1.output")
CONTENTS = Contents(
    "positions",
    (
        STORY,
        code.the_code,
        DIFFERENCE,
        surface.surface,
        code.slowest,
        products.products,
        rotation.clock_hands,
        sum.added,
        order.order,
        beyond.beyond,
        learned.learned_table,
        deeper(forms.forms, forms.layouts, forms.frozen),
    ),
)
