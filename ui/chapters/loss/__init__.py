"""Label smoothing, the divergence per position, and the Noam rate (paper, sections 5.3 and 5.4)."""

from typing import Any

from ui.chapters.loss import random, rate, targets
from ui.chapters.loss.story import STORY
from ui.chapters.shared.difference import difference_from
from ui.sections import Section, deeper
from ui.sections.contents import Contents

MISREAD: Section[Any] = Section("misread", text="text")
CONTENTS = Contents(
    "loss",
    (
        STORY,
        targets.divergence,
        difference_from("generator.log_probs"),
        targets.targets,
        rate.rate,
        deeper(MISREAD, random.random_answers),
    ),
)
