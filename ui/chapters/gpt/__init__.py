"""From figure 1 to GPT and BERT: one stack instead of two (Radford et al. 2018, Devlin et al. 2018)."""

from ui.chapters.gpt import experts, fill, goes_on, one_row
from ui.chapters.gpt.story import STORY
from ui.sections.contents import Contents

CONTENTS = Contents("gpt", (STORY, goes_on.goes_on, one_row.one_row, fill.fill, experts.experts))
