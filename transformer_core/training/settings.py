"""The settings of one training run, and what follows from them: its task's words, the size of its model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from transformer_core.experiments import rivals
from transformer_core.tasks import Vocabulary, WordTask, word_task


@dataclass(frozen=True)
class RunSettings:
    """What is set, whether it makes sense or not; `TrainConfig` is one that can be trained."""

    task: str = "copy"
    direction: str = "en-zh"  # of the translation
    vocab: int = 11  # of the source; this and both lengths follow from a task that has words of its own
    length: int = 10  # tokens of a sequence, the start symbol included
    min_length: int | None = None  # shorter sequences as well, from here up, padded to `length`
    N: int = 1
    d_model: int = 64
    h: int = 4
    d_ff: int = 0  # 0 = 4·d_model, the paper's ratio
    dropout: float = 0.0
    norm_first: bool = True
    scale: bool = True  # divide the scores by √d_k
    batch: int = 24
    rate: float = 1.5e-3  # the highest rate; Noam's follows from `factor`, d_model and `warmup` instead
    schedule: str = "cosine"
    warmup: int = 30
    factor: float = 0.5
    steps: int = 180
    smoothing: float = 0.0
    clip: float | None = None  # longest gradient
    eval_updates: bool = False  # as in the lecture notes: of every 25 updates the last 5 without dropout
    embedding_std: float | None = 0.3  # spread of the first embeddings (× √d_model) and logits; None = Xavier
    architecture: str = "transformer"  # or a rival with as many parameters, whatever width that gives it
    seed: int = 0

    @property
    def words(self) -> WordTask | None:
        """The task, if it has words of its own; None if it is about rows of numbers."""
        return word_task(self.task, self.direction)

    @property
    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """Names for the tokens of the source and of the target."""
        if self.words is None:
            return (Vocabulary.of_numbers(self.vocab),) * 2
        return self.words.source, self.words.target

    def answer(self, source: Sequence[int]) -> list[int] | None:
        """The target of a source, both with their symbols; on rows of numbers the source itself, None for a sentence
        that the task does not know."""
        return list(source) if self.words is None else self.words.answer(source)

    @property
    def tgt_vocab(self) -> int:
        """Tokens of the target's vocabulary, padding included."""
        return self.vocab if self.words is None else len(self.words.target)

    @property
    def parameters(self) -> int:
        """How many numbers the model learns."""
        if self.architecture == "transformer":
            return self._transformer_parameters
        return rivals.parameters(self._rival, self.vocab, self.tgt_vocab, self.width, self.N, self.length)

    @property
    def width(self) -> int:
        """Size of the model's vectors: d_model, or what gives a rival as many parameters as the Transformer has."""
        if self.architecture == "transformer":
            return self.d_model
        sizes = self.vocab, self.tgt_vocab, self.N, self.length
        return rivals.width_of(self._rival, *sizes, self._transformer_parameters)

    @property
    def _rival(self) -> rivals.Rival:
        return cast(rivals.Rival, self.architecture)

    @property
    def _transformer_parameters(self) -> int:
        d, f = self.d_model, self.d_ff
        attention, feed_forward, norm = 4 * (d * d + d), 2 * d * f + f + d, 2 * d
        encoder = self.N * (attention + feed_forward + 2 * norm)
        decoder = self.N * (2 * attention + feed_forward + 3 * norm)
        last_norms = 2 * norm if self.norm_first else 0
        return encoder + decoder + last_norms + (self.vocab + 2 * self.tgt_vocab) * d + self.tgt_vocab
