"""What is asked about softmax and its scale."""

from ui.predict import Choice, Quantity

D_K = 64

SHARP = Choice("sharp", ("same", "ten", "near"), right="near")
SPREAD = Quantity(
    "spread", D_K**0.5, {"spread.wrong.variance": D_K, "spread.wrong.one": 1.0, "spread.wrong.square": D_K**2.0}
)
