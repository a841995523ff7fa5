"""What an answer costs: a cache of keys and values, and what made it smaller (Shazeer 2019, Ainslie et al. 2023)."""

from ui.chapters.answer_cost import flash, memory, work
from ui.chapters.answer_cost.story import STORY
from ui.sections.contents import Contents

CONTENTS = Contents("answer_cost", (STORY, memory.memory, work.work, flash.flash))
