"""Which fault a seed hides, and where: by a keyed hash, so that to read the seed does not tell."""

from collections.abc import Sequence
from hashlib import blake2b

from transformer_core.copies import twin
from transformer_core.exercises.faults.attending import AXIS, HEAD, MASK, MERGE, SCALE
from transformer_core.exercises.faults.dropping import DROPOUT
from transformer_core.exercises.faults.fault import Fault
from transformer_core.exercises.faults.reading import POSITIONS, ROOT, SHIFT, START_SYMBOL
from transformer_core.exercises.faults.weights import GAIN, TIED
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.vocabulary import START

FAULTS = {
    fault.name: fault
    for fault in (SCALE, MASK, AXIS, MERGE, HEAD, START_SYMBOL, SHIFT, ROOT, POSITIONS, GAIN, DROPOUT, TIED)
}
MOST = 9_999_999_999  # the largest seed
SHORTEST = 6  # tokens of a source in which every fault shows
_KEY = b"find the fault"


def _hashed(*parts: object) -> int:
    said = " ".join(map(str, parts)).encode()
    return int.from_bytes(blake2b(said, key=_KEY, digest_size=8).digest())


def fault_of(seed: int) -> Fault:
    """The fault that a seed from 1 on hides. Twelve seeds in a row, from 1, 13, 25 … on, hide each fault once."""
    block, place = divmod(seed - 1, len(FAULTS))
    return FAULTS[sorted(FAULTS, key=lambda name: _hashed(block, name))[place]]


def drawn(seed: int, what: str, count: int) -> int:
    """Which of `count` things the seed means, from 0 on."""
    return _hashed(seed, what) % count


def shows_all(source: Sequence[int]) -> bool:
    """Whether a source is long enough, and no token in it is taken for another, so that every fault shows."""
    return len(source) >= SHORTEST and START not in source[1:] and len(set(source[1:])) > 1


def hidden(model: EncoderDecoder, seed: int) -> EncoderDecoder:
    """A copy of the model in which the seed's fault is hidden; it shares the weights that stay as they are."""
    return spoiled(model, fault_of(seed), seed)[0]


def spoiled(model: EncoderDecoder, fault: Fault, seed: int = 0) -> tuple[EncoderDecoder, str]:
    """A copy with this fault, its places drawn by the seed, and the path of the first value that differs."""
    copy = twin(model)
    return copy, fault.spoil(copy, lambda what, count: drawn(seed, what, count))
