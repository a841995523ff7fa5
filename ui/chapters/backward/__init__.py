"""The backward pass: from one wrong word back to every weight, and why something arrives there."""

from ui.chapters.backward.residual import RESIDUAL
from ui.chapters.backward.scale import SCALE
from ui.chapters.backward.story import STORY
from ui.chapters.backward.walk import WALK
from ui.chapters.backward.weight import WEIGHT
from ui.page.contents import Contents

CONTENTS = Contents("backward", (STORY, WALK, WEIGHT, RESIDUAL, SCALE))
