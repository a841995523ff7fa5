"""What is asked about tokens and their vectors."""

from ui.page.predict import Choice, Quantity

SMALL = Choice("small", ("larger", "same", "tenth"), right="tenth")
EQUAL = Choice("equal", ("none", "some", "all"), right="none")
PAD_SHAPE = Choice("pad_shape", ("last_first", "first_first", "around"), right="last_first")
LEARNED = Choice("learned", ("zero", "small", "learned"), right="zero")

# The first number of row 3 in the table that the notes print; what they print as that row, and row 2 of the table.
ROW_OF_THREE = Quantity("printed", 1.8526, {"printed.wrong.given_there": -0.4144, "printed.wrong.from_one": -0.6014})
