"""What is asked about the loss."""

from ui.predict import Choice

LEARNED = Choice("learned", ("rule", "heart", "nothing"), right="heart")
