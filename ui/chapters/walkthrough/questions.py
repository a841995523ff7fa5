"""What is asked about what passes by."""

from ui.page.predict import Choice, Quantity

SHAPE = Quantity(
    "ask_shape",
    10 * 10,
    {"ask_shape.wrong.one_row": 10, "ask_shape.wrong.all_heads": 8 * 10 * 10, "ask_shape.wrong.with_vectors": 10 * 512},
)
MASK = Choice("ask_mask", ("itself", "both", "nothing"), right="itself")
