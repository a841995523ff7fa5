"""Settings of the chapter that compares attention with recurrence and convolution."""

from dataclasses import dataclass

from ui.settings.fields import Folding, cell, choice, flag, number_reply, reply, text, whole


@dataclass(frozen=True)
class WhyAttention(Folding):
    over: str = choice("n", "n", "d")  # what the curves run along
    d: int = whole(512, 16, 1024)
    n: int = whole(64, 4, 4096)
    kernel: int = whole(3, 2, 15)
    count: str = choice("table", "table", "all")  # the products that table 1 counts, or all
    short: str | None = reply()  # what is cheaper for a short sentence
    path: str = number_reply()  # how many layers between two distant tokens
    reach: int = whole(16, 2, 32)  # positions
    reach_kernel: int = whole(3, 2, 8)
    reach_cell: tuple[str, int, int] | None = cell()
    size: str = choice("64", "32", "64", "128")  # d of the measured layers
    way: str = choice("both", "forward", "backward", "both")
    against: str = choice("all", "table", "all")  # the curves beside the points
    updates: str = choice("180", "180", "600")
    run_seed: int = whole(0, 0, 20)
    seconds: bool = flag(False)  # instead of updates
    trained: str = text("", 20)
