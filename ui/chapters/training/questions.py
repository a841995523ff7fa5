"""What a lesson asks about training."""

from ui.page.predict import Choice

# At the stops of lessons.
LESSON = (Choice("ask_untrained", ("tenth", "none", "half"), right="none"),)
