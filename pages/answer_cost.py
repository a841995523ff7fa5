"""What an answer costs: a cache of keys and values, and what made it smaller (Shazeer 2019, Ainslie et al. 2023)."""

from ui.chapters.answer_cost import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
