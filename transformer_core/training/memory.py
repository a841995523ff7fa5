"""What a training run costs in memory, told from its settings alone: before anything is built.

All functions give bytes. The copies per layer were counted on recorded runs; a test compares the sums with such runs.
"""

from transformer_core.training.settings import RunSettings
from transformer_core.training.shape import POSITIONS

NUMBER, HALF = 4, 2  # bytes of a float32, of a float16
MOST_AT_ONCE = 64  # sequences evaluated together
SMALL = 8 * 2**20  # bytes that an evaluation may take whatever the training takes
WATCHED = 10  # tokens of the copy task's probe, at most
BLOCKS = 14  # with a gradient of their own, to each layer, at most
PAIRS = 3  # watched, where the task has words of its own
EVEN, MORE = 200, 48  # records of one run: evenly spaced ones, about so many, and further ones, at most
TOKENS, NUMBERS = 32, 2**13  # of a table of embeddings that are recorded: rows, and numbers, at most


def resting(config: RunSettings) -> int:
    """Kept while other runs have their turn: weights, Adam's two moments, a copy for the pages, what was reported, and
    the batches that come again."""
    kept = _reported(config) + _repeated(config) + NUMBER * len(config.pairs)
    return NUMBER * 4 * config.parameters + kept


def working(config: RunSettings) -> int:
    """Added while the run has its turn: the gradient, and activations at work."""
    code = NUMBER * POSITIONS * config.d_model
    activations = max(_updating(config), evaluated_at_once(config) * _evaluating_one(config))
    return NUMBER * config.parameters + code + activations


def evaluated_at_once(config: RunSettings) -> int:
    """Sequences of one part of an evaluation: as many as take no more than an update, or SMALL."""
    return max(1, min(MOST_AT_ONCE, max(_updating(config), SMALL) // _evaluating_one(config)))


def rows_recorded(config: RunSettings) -> int:
    """Of the source's table of embeddings, without padding's."""
    return min(len(config.vocabularies[0]) - 1, TOKENS, max(2, NUMBERS // config.width))


def _updating(config: RunSettings) -> int:
    """Kept from the forward for the backward pass, and the backward pass's own."""
    tokens = config.batch * config.length
    dropped = config.dropout > 0
    maps = 3 * config.N * tokens * config.length * config.h * (5 if dropped else 3)
    vectors = 2 * config.N * tokens * ((20 if dropped else 16) * config.d_model + (4 if dropped else 3) * config.d_ff)
    return NUMBER * (maps + vectors + 4 * tokens * config.tgt_vocab)


def _evaluating_one(config: RunSettings) -> int:
    """One sequence without gradients: the layer at work."""
    L = config.length
    maps = 3 * L * L * config.h
    vectors = L * (8 * config.d_model + 2 * config.d_ff)
    return NUMBER * (maps + vectors + 3 * L * config.tgt_vocab)


def _repeated(config: RunSettings) -> int:
    """Batches that come again: source, target and answers, as int64."""
    return 2 * NUMBER * 3 * config.batches * config.batch * config.length


def _reported(config: RunSettings) -> int:
    """Numbers of every step, and of the steps with a probe maps, choices, embeddings and the gradients of blocks."""
    tokens = min(config.length, WATCHED) if config.task == "copy" else config.length
    records = 0 if config.task == "random" else min(EVEN + MORE, MORE + config.steps // 5) + 3
    maps = config.N * config.h * tokens * tokens * HALF
    choices = (1 if config.words is None else PAIRS) * tokens * HALF
    embedded = rows_recorded(config) * config.width * HALF
    gradients = NUMBER * BLOCKS * config.N
    return NUMBER * 13 * config.steps + records * (maps + choices + embedded + gradients)
