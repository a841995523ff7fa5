"""What is asked about softmax and its scale."""

from ui.predict import Choice, Quantity

D_K = 64

SHARP = Choice("sharp", ("same", "ten", "near"), right="near")
SPREAD = Quantity(
    "spread", D_K**0.5, {"spread.wrong.variance": D_K, "spread.wrong.one": 1.0, "spread.wrong.square": D_K**2.0}
)

# At the stops of lessons.
LESSON = (
    Choice("ask_jacobian", ("half", "least", "beside"), right="half"),
    Choice("ask_eight", ("eightfold", "nothing", "one"), right="nothing"),
    Choice("ask_self", ("all", "other", "itself"), right="itself"),
    Choice("ask_start", ("root", "same", "all"), right="root"),
)
