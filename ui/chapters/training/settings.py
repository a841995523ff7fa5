"""Settings of the chapter `training`: those of the next run, and the step that is looked at."""

from dataclasses import dataclass

from ui.settings.fields import Settings, cell, choice, flag, real, whole

END = 5000  # beyond the last step: what is looked at is the latest


@dataclass(frozen=True)
class Training(Settings):
    N: int = whole(1, 1, 6)
    h: int = whole(4, 1, 16)
    d_model: int = whole(64, 2, 512)
    batch: int = whole(24, 1, 256)
    rate: float = real(1.5e-3, 1e-6, 1.0)
    steps: int = whole(180, 1, 5000)
    seed: int = whole(0, 0, 9999)
    vocab: int = whole(11, 3, 1000)
    length: int = whole(10, 2, 64)
    padded: bool = flag(False)  # lengths from 3 up
    schedule: str = choice("cosine", "cosine", "noam", "constant")
    warmup: int = whole(30, 0, 5000)
    factor: float = real(0.5, 1e-3, 100.0)
    dropout: float = real(0.0, 0.0, 0.9)
    smoothing: float = real(0.0, 0.0, 0.9)
    clip: float = real(0.0, 0.0, 1000.0)  # 0 = the gradient is not cut
    eval_updates: bool = flag(False)  # the notes' eval epochs, which learn as well
    embedding: str = choice("small", "small", "xavier")
    form: str = choice("pre", "pre", "post")
    scale: bool = flag(True)
    at: int = whole(END, 0, END)
    going: bool = flag(False)  # a run was under way: where it has gone, the page says so
    cell: tuple[str, int, int] | None = cell()
