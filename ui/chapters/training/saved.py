"""The file of a run: its name, and how much of what the run was watched by it has room for."""

from transformer_core.training.config import TrainConfig
from transformer_core.training.memory import NUMBER
from transformer_core.training.tensor_file import SUFFIX
from ui.uploads import MOST

PARTS = 2**19  # bytes, at most, besides the weights of a model so small
RECORDS = 2**21  # and those of the records


def saved_as(config: TrainConfig, step: int) -> str:
    """The name of a file with the model of that moment."""
    return f"{config.task}-step{step}{SUFFIX}"


def size(config: TrainConfig) -> int:
    """Bytes of the file without records, at most."""
    return config.parameters * NUMBER + PARTS + NUMBER * len(config.pairs)


def room(config: TrainConfig) -> int:
    """Bytes for records: as many as leave it a file that can be opened here."""
    return max(0, min(RECORDS, MOST - size(config)))
