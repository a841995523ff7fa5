"""What is asked about decoding."""

from ui.page.predict import Choice

PARTING = Choice("parting", ("all", "that", "after"), right="after")
ANEW = Choice("anew", ("all", "keys", "row"), right="row")

# At the stops of lessons.
LESSON = (Choice("ask_first", ("start", "source", "answer"), right="source"),)
