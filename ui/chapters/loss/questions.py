"""What is asked about the loss."""

from ui.page.predict import Choice

LEARNED = Choice("learned", ("rule", "heart", "nothing"), right="heart")

# At the stops of lessons.
LESSON = (
    Choice("ask_share", ("others", "padding", "likely"), right="others"),
    Choice("ask_warmup", ("double", "lower", "same"), right="lower"),
)
