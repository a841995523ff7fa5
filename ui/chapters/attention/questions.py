"""What is asked about one head."""

from ui.page.predict import Choice, Quantity

P, WEIGHT = 0.25, 0.9  # the question's own numbers, so that the answer is not on screen

SUMS = Choice("sums", ("rows", "columns", "all"), right="rows")
LOOKS = Choice("looks", ("same", "next", "all"), right="next")
KEPT = Quantity("kept", WEIGHT / (1 - P), {"kept.wrong.no_factor": WEIGHT, "kept.wrong.smaller": WEIGHT * (1 - P)})

# At the stops of lessons.
LESSON = (
    Choice("ask_product", ("dimensions", "one", "words"), right="dimensions"),
    Choice("ask_scale", ("order", "size", "pattern"), right="size"),
    Choice("ask_output", ("row", "cell", "column"), right="column"),
    Choice("ask_masked", ("zero", "small", "negative"), right="zero"),
)


def where_it_looks(words: bool) -> Choice:
    """A copy keeps the order of its source; what is made of words or letters has another one."""
    return Choice("looks_words", ("same", "aligned", "all"), right="aligned") if words else LOOKS
