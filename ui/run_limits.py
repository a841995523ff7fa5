"""What the pages train and draw: less than the library, so that each can show the model and nobody waits long."""

from transformer_core.tasks.own_pairs import NotPairs, OwnPairs, PairLimits
from transformer_core.training.config import ConfigError, TrainConfig
from transformer_core.training.settings import SETTINGS
from transformer_core.training.state_dict import ModelConfig

COPIED = 1000  # the largest vocabulary of the copy task: every chapter may have to draw such a model
HIGHEST = {
    "vocab": 10_000,
    "length": 64,
    "min_length": 64,
    "N": 6,
    "d_model": 512,
    "h": 16,
    "d_ff": 2048,
    "batch": 256,
    "batches": 5000,
    "warmup": 5000,
    "steps": 5000,
}
OWN_PAIRS = PairLimits(  # of a reader's own: their text has 50,000 lines of 160 bytes, a second of one core
    pairs=5000, tokens=200, longest=24, longest_token=24, text=8 * 2**20
)
MAX_WORK = 1e10  # parameters × tokens of one step: about a second of one core
MAX_BYTES = 2**30  # memory of one run


def highest(name: str) -> float | None:
    """Of a setting on a page."""
    return HIGHEST.get(name, SETTINGS[name].high)


def trainable(config: TrainConfig) -> TrainConfig:
    """The same. ConfigError if a page does not train it, for its sizes, the work of a step or the memory of the run."""
    _check({name: getattr(config, name) for name in HIGHEST})
    if isinstance(config.words, OwnPairs):
        try:
            config.words.check(OWN_PAIRS)
        except NotPairs as problem:
            raise ConfigError(f"pairs_{problem.reason}", str(problem), **problem.values) from None
    if config.task == "copy" and config.vocab > COPIED:
        message = f"vocab must lie between 3 and {COPIED} in the copy task, not {config.vocab}"
        raise ConfigError("range", message, name="vocab", low=3, high=COPIED, value=config.vocab)
    if config.parameters * config.batch * config.length > MAX_WORK:
        message = (
            f"one step would move {config.batch * config.length} tokens through {config.parameters} parameters, "
            f"more than a second of work; take a smaller model, batch or length"
        )
        raise ConfigError("work", message, tokens=config.batch * config.length, parameters=config.parameters)
    if config.memory > MAX_BYTES:
        message = f"the run would need about {config.memory / 2**20:.0f} MB, more than {MAX_BYTES / 2**20:.0f} MB"
        raise ConfigError("memory", message, need=round(config.memory / 2**20), limit=MAX_BYTES // 2**20)
    return config


def check_drawn(config: ModelConfig) -> None:
    """ConfigError if the model is larger than the chapters can draw."""
    if isinstance(config, TrainConfig):
        trainable(config)
        return
    low = 3
    if max(config.vocab, config.tgt_vocab) > COPIED:
        message = (
            f"the model knows {config.vocab} tokens of the source and {config.tgt_vocab} of the target, of which at "
            f"most {COPIED} can be drawn"
        )
        raise ConfigError("vocabulary", message, source=config.vocab, target=config.tgt_vocab, most=COPIED)
    for name, value in {"vocab": config.vocab, "target": config.tgt_vocab}.items():
        if value < low:
            message = f"{name} must lie between {low} and {COPIED}, not {value}"
            raise ConfigError("range", message, name=name, low=low, high=COPIED, value=value)
    _check({name: getattr(config.shape, name) for name in ("N", "d_model", "h", "d_ff")})
    rows, fewest = config.shape.position_rows, HIGHEST["length"]
    if rows and rows < fewest:
        message = f"the table of learned positions has {rows} rows; the chapters need {fewest}"
        raise ConfigError("position_rows", message, rows=rows, fewest=fewest)


def _check(values: dict[str, int | None]) -> None:
    for name, value in values.items():
        low, high = SETTINGS[name].low, HIGHEST[name]
        if value is not None and not (low or 0) <= value <= high:
            message = f"{name} must lie between {low} and {high}, not {value!r:.40}"
            raise ConfigError("range", message, name=name, low=low, high=high, value=value)
