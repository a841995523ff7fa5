"""What surrounds attention: LayerNorm, residual sums, feed-forward, dropout (paper, sections 3.1, 3.3 and 5.4)."""

from ui.chapters.layers.listed import ON_MODELS, on_sequences
from ui.chapters.layers.settings import Layers
from ui.chapters.shared.attention_values import typed
from ui.chapters.shared.difference import difference
from ui.frame.opening import close_chapter, open_chapter
from ui.page.sections import sections

chapter = open_chapter("layers", Layers)
sequences = typed(chapter)
read = on_sequences(sequences) if sequences else ()
sections(chapter, *read[:1], *difference(chapter), *read[1:], *ON_MODELS)
close_chapter(chapter)
