"""Every claim about the code and the model at hand, measured; and one thing broken, to see what notices."""

from ui.chapters.shared.difference import difference_from
from ui.chapters.verify import checks, later, own, sampled
from ui.sections.contents import Contents

CONTENTS = Contents(
    "verify",
    (
        own.beside,
        checks.checks,
        difference_from("encoder.layers.0.self_attn.weights"),
        checks.reading,
        sampled.every_tensor,
        later.later,
        own.own,
    ),
)
