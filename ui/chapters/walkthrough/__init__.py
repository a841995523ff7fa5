"""The whole forward pass, stop by stop."""

from ui.chapters.shared.difference import difference_from
from ui.chapters.walkthrough.reading import READING
from ui.chapters.walkthrough.story import STORY
from ui.chapters.walkthrough.walk import WALK
from ui.page.contents import Contents

CONTENTS = Contents("walkthrough", (STORY, WALK, difference_from("encoder.output"), READING))
