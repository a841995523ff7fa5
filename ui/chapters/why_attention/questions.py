"""What is asked about recurrence, convolution and attention."""

from transformer_core.experiments.complexity import path_length
from ui.page.predict import Choice, Quantity

TOKENS, KERNEL = 81, 3  # of the path that is asked about

SHORT = Choice("short", ("recurrent", "same", "attention"), right="attention")
PATH = Quantity(
    "path",
    round(float(path_length("convolution", TOKENS, KERNEL))),
    {
        "path.wrong.near_slip": TOKENS / KERNEL,
        "path.wrong.chain": (TOKENS - 1) / (KERNEL - 1),
        "path.wrong.recurrent_slip": TOKENS,
        "path.wrong.attention_slip": 1,
    },
)
