"""Ways to decode: drawing the next token, and searching with a beam."""

from ui.chapters.shared.difference import difference_from
from ui.chapters.ways.beam import BEAM
from ui.chapters.ways.candidates import CANDIDATES
from ui.chapters.ways.draw import DRAW, READING
from ui.chapters.ways.mistake import MISTAKE
from ui.chapters.ways.story import STORY
from ui.page.contents import Contents

CONTENTS = Contents("ways", (STORY, DRAW, difference_from("generator.logits"), BEAM, CANDIDATES, MISTAKE, READING))
