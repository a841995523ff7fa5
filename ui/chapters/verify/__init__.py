"""Every claim about the code and the model at hand, measured; and one thing broken, to see what notices."""

from ui.chapters.shared.difference import difference_from
from ui.chapters.verify.beside import BESIDE
from ui.chapters.verify.checks import CHECKS, READING
from ui.chapters.verify.own import OWN
from ui.chapters.verify.sampled import SAMPLED
from ui.page.contents import Contents

CONTENTS = Contents(
    "verify", (BESIDE, CHECKS, difference_from("encoder.layers.0.self_attn.weights"), READING, SAMPLED, OWN)
)
