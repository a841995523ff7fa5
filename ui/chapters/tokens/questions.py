"""What is asked about tokens and their vectors."""

from ui.predict import Choice

SMALL = Choice("small", ("larger", "same", "tenth"), right="tenth")
EQUAL = Choice("equal", ("none", "some", "all"), right="none")
PAD_SHAPE = Choice("pad_shape", ("last_first", "first_first", "around"), right="last_first")
LEARNED = Choice("learned", ("zero", "small", "learned"), right="zero")
