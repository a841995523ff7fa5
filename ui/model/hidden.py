"""The fault that a link hides in a shipped model: its seed, and the sentence that the model reads then."""

import re
from functools import lru_cache

from transformer_core import PAD, EncoderDecoder
from transformer_core.exercises.faults.which_fault import drawn, hidden, shows_all
from transformer_core.tasks.copy_task import Copy
from transformer_core.training.config import TrainConfig
from ui.text import is_han

SENTENCES = 60  # that nobody has trained on, one of which is read


def seed_of(text: str) -> int:
    """What a link or a field says, if it is a whole number of one to ten digits above 0; else 0."""
    return int(text) if re.fullmatch("[0-9]{1,10}", text.strip(), re.ASCII) else 0


def with_fault(model: EncoderDecoder, seed: int) -> EncoderDecoder:
    """The model itself where nothing is hidden, for 0."""
    return hidden(model, seed) if seed else model


@lru_cache(maxsize=256)
def source_of(seed: int, config: TrainConfig, lang: str) -> str:
    """The source that a seed means, as it is typed: of the reader's language, where the model knows that."""
    task, vocabulary = config.words or Copy(config.vocab, config.length, config.min_length), config.vocabularies[0]
    rows = [row[row != PAD].tolist() for row in task.held_out(SENTENCES).src]
    fit = [row for row in rows if shows_all(row)]
    texts = [" ".join(map(str, row)) if config.words is None else vocabulary.text(row) for row in fit]
    own = [text for text in texts if is_han(text) == (lang == "zh")] or texts
    return own[drawn(seed, "sentence", len(own))]
