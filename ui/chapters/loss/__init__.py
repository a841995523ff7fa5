"""Label smoothing, the divergence per position, and the Noam rate (paper, sections 5.3 and 5.4)."""

from typing import Any

from ui.chapters.loss.divergence import DIVERGENCE
from ui.chapters.loss.random import RANDOM
from ui.chapters.loss.rate import RATE
from ui.chapters.loss.story import STORY
from ui.chapters.loss.targets import TARGETS
from ui.chapters.shared.difference import difference_from
from ui.page.contents import Contents
from ui.section import Section

MISREAD: Section[Any] = Section("misread", text="text")
DEEPER: Section[Any] = Section("deeper", look="open", text="text", parts=(MISREAD, RANDOM))
CONTENTS = Contents("loss", (STORY, TARGETS, difference_from("generator.log_probs"), DIVERGENCE, RATE, DEEPER))
