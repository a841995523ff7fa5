"""What is asked about one head."""

from ui.predict import Choice, Quantity

P, WEIGHT = 0.25, 0.9  # the question's own numbers, so that the answer is not on screen

SUMS = Choice("sums", ("rows", "columns", "all"), right="rows")
LOOKS = Choice("looks", ("same", "next", "all"), right="next")
KEPT = Quantity("kept", WEIGHT / (1 - P), {"kept.wrong.no_factor": WEIGHT, "kept.wrong.smaller": WEIGHT * (1 - P)})


def where_it_looks(words: bool) -> Choice:
    """A copy keeps the order of its source; what is made of words or letters has another one."""
    return Choice("looks_words", ("same", "aligned", "all"), right="aligned") if words else LOOKS
