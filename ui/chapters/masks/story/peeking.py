"""A model that was trained with the card lifted: it reads the words that it is to guess, and alone has none to read."""

from dataclasses import dataclass

import numpy as np
import torch

from transformer_core import PAD, START, Batch, greedy_decode
from transformer_core.tasks import Vocabulary
from ui.inputs.sequence import example, parse
from ui.model.shipped import peeking

LEARNED = 0.1  # below this a loss is near 0
LONGEST = 40  # tokens that are read


@dataclass(frozen=True)
class Peek:
    sentence: str  # that is translated
    right: list[str]  # each next word
    shares: np.ndarray  # (T,) its probability with the card lifted
    written: list[str]  # what is written alone, up to the end symbol, at most as many words
    loss: float

    @property
    def hits(self) -> int:
        return sum(said == word for said, word in zip(self.written, self.right))

    @property
    def cheats(self) -> bool:
        """Whether it has learned to read what it is to guess, and nothing else."""
        return self.loss < LEARNED and self.hits < len(self.right)


def peek(vocabulary: Vocabulary, src: tuple[int, ...], lang: str, most: int) -> Peek:
    """Of the source at hand, if it is a sentence of that model's language, or else of an example; at `most` so many
    words."""
    config, model = peeking().config, peeking().model
    source, target = config.vocabularies
    if vocabulary.names != source.names or config.answer(src) is None:
        src = parse(example(config, "", lang), source, LONGEST)
    answer = config.answer(src)
    assert answer is not None, "an example is a sentence of the language"
    padded = torch.tensor([[*answer, PAD]])  # as beside longer ones in a batch, where it was trained
    batch = Batch(torch.tensor([src]), padded, look_ahead=False)
    with torch.inference_mode():
        log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
        right = log_probs.gather(-1, batch.tgt_y.unsqueeze(-1))[0, :-1, 0]
        written = greedy_decode(model, batch.src, batch.src_mask, len(answer), START, target.end)[0]
    words, said = (target.labels(row)[1 : most + 1] for row in (answer, written.tolist()))
    return Peek(source.text(src), words, right[:most].exp().numpy(), said, -float(right.mean()))
