"""The backward pass: from one wrong word back to every weight, and why something arrives there."""

from ui.chapters.backward import by_layer, residual, scale, walk, weight
from ui.chapters.backward.story import STORY
from ui.sections.contents import Contents

CONTENTS = Contents("backward", (STORY, walk.walk, weight.weight, by_layer.by_layer, residual.residual, scale.scale))
