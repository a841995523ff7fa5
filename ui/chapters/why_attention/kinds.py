"""The kinds of layer that table 1 compares, by name and colour, and what it says of each."""

from transformer_core.experiments.complexity import KINDS, Kind, Sizes, layer_cost, products
from ui.sections import AnyChapter
from ui.theme import css

INKS = [css(kind) for kind in KINDS]
STACKS: dict[str, tuple[Kind, bool]] = {  # convolutions twice: of neighbours only, and with gaps that widen
    "recurrent": ("recurrent", False),
    "near": ("convolution", False),
    "wide": ("convolution", True),
    "attention": ("attention", False),
}
FORMULAS: dict[str, dict[Kind, str]] = {
    "table": {"recurrent": "nd²", "convolution": "knd²", "attention": "n²d"},
    "all": {"recurrent": "6nd²", "convolution": "knd²", "attention": "4nd² + 2n²d"},
}


def cost(count: str, kind: Kind, n: Sizes, d: Sizes, kernel: int) -> Sizes:
    """The multiplications of a layer: those that table 1 counts, or "all"."""
    return products(kind, n, d, kernel) if count == "all" else layer_cost(kind, n, d, kernel)


def names_of(chapter: AnyChapter) -> dict[Kind, str]:
    return {kind: chapter.say(f"kind.{kind}") for kind in KINDS}
