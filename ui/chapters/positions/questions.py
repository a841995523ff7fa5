"""What is asked about the position code."""

import math

from transformer_core.positions import wavelengths
from ui.page.predict import Choice, Quantity

D_MODEL, BASE = 4, 10000.0
PAST = 3  # tokens past the longest of the training

SLOWEST = Quantity(
    "slowest",
    wavelengths(D_MODEL)[-1].item(),
    {"slowest.wrong.rounded": 2 * math.pi * BASE, "slowest.wrong.halved": 2 * math.pi * BASE ** (1 / D_MODEL)},
    tolerance=1.0,
)
ANGLE = Choice("angle", ("pair_and_shift", "position", "shift"), right="pair_and_shift")
ORDER = Choice("order", ("moved", "same", "changed"), right="moved")

# At the stops of lessons.
LESSON = (
    Choice("ask_fast", ("left", "right", "alike"), right="left"),
    Choice("ask_distance", ("places", "distance", "nothing"), right="distance"),
    Choice("ask_twice", ("same", "nothing", "alike"), right="alike"),
)


def beyond(exact: float) -> Choice:
    """How many sequences PAST the longest of its training a model copies without a mistake: this share."""
    return Choice("beyond", ("most", "some", "few"), right="most" if exact > 0.5 else "some" if exact > 0.1 else "few")
