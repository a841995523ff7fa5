"""What surrounds attention: LayerNorm, residual sums, feed-forward, dropout (paper, sections 3.1, 3.3 and 5.4)."""

from ui.chapters.layers import depth, dropout, gain, init, network, norm, probes, readouts, stream
from ui.chapters.layers.story import STORY
from ui.chapters.shared.attention_values import fields
from ui.chapters.shared.difference import difference_from
from ui.sections import deeper
from ui.sections.contents import Contents

DIFFERENCE = difference_from("encoder.layers.0.sublayer.0.sum")
CONTENTS = Contents(
    "layers",
    (
        STORY,
        norm.norm,
        DIFFERENCE,
        readouts.readouts,
        stream.residual_sum,
        stream.stream,
        probes.probes,
        network.feed_forward,
        dropout.dropout,
        depth.depth,
        depth.training,
        deeper(norm.formulas_apart, init.first, gain.gain, network.linear),
    ),
    fields=fields,
)
