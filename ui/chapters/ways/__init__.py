"""Ways to decode: drawing the next token, and searching with a beam."""

from ui.chapters.shared.difference import difference_from
from ui.chapters.ways import beam, candidates, draw
from ui.chapters.ways.story import STORY
from ui.sections.contents import Contents

CONTENTS = Contents(
    "ways",
    (
        STORY,
        draw.draw,
        difference_from("generator.logits"),
        beam.beam,
        candidates.candidates,
        beam.mistake,
        draw.reading,
    ),
)
