"""Further than trained, and the other parts that changed since 2017: positions, norms, networks, heads, windows."""

from ui.chapters.further import distance, moved, parts
from ui.chapters.further.story import STORY
from ui.sections.contents import Contents

CONTENTS = Contents("further", (STORY, moved.moved, distance.distance, parts.parts))
