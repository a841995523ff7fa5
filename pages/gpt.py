"""From figure 1 to GPT and BERT: one stack instead of two (Radford et al. 2018, Devlin et al. 2018)."""

from ui.chapters.gpt import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
