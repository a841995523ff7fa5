"""The whole forward pass, stop by stop."""

from ui.chapters.shared.difference import difference_from
from ui.chapters.walkthrough import walk
from ui.chapters.walkthrough.story import STORY
from ui.sections.contents import Contents

CONTENTS = Contents("walkthrough", (STORY, walk.walk, difference_from("encoder.output"), walk.reading))
