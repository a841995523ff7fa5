"""What is asked about masks."""

from transformer_core import subsequent_mask
from ui.page.predict import Choice, Quantity

SIZE = 8  # positions of the mask that is asked about
_OPEN = int(subsequent_mask(SIZE).sum())

PAIRS = Quantity(
    "pairs", _OPEN, {"pairs.wrong.diagonal": _OPEN - SIZE, "pairs.wrong.all": SIZE**2, "pairs.wrong.half": SIZE**2 / 2}
)
BLANK = Choice("blank", ("zeros", "uniform", "nan", "first"), right="uniform")
PRINTED = Choice("printed", ("valid", "mask", "scores"), right="mask")
FUTURE = Choice("future", ("only", "from", "before", "all"), right="from")

# At the stops of lessons.
LESSON = (Choice("ask_padded", ("row", "cell", "column"), right="column"),)
