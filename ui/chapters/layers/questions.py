"""What is asked about what surrounds attention."""

from ui.page.predict import Choice, Quantity

NORM = Quantity("ask_norm", 2**-0.5, {"ask_norm.wrong.biased": 1.0, "ask_norm.wrong.variance": 0.5})
ORDER = Choice("ask_order", ("swapped", "changed", "same"), right="swapped")
DROP = Quantity("ask_drop", 1.0, {"ask_drop.wrong.unchanged": 0.9, "ask_drop.wrong.smaller": 0.81})
DEPTH = Choice("ask_depth", ("pre", "post", "same"), right="post")
