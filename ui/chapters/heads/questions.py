"""What is asked about all heads."""

from ui.page.predict import Choice, Quantity
from ui.settings.kinds import KINDS

NEVER = Choice("never", KINDS, right="decoder")
HURTS = Choice("hurts", KINDS, right="decoder")  # in the model that is shipped to translate
SIZE = Quantity(
    "size", 64, {"size.wrong.full": 512, "size.wrong.all_full": 4096}
)  # the paper's base model: 512 numbers, 8 heads

# At the stops of lessons.
LESSON = (Choice("ask_copy", ("encoder", "decoder", "cross"), right="cross"),)
