"""The settings of one training run in one table: kind, default, bounds and meaning; and what follows from them."""

import types
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, cast, get_args

from transformer_core.experiments import rivals
from transformer_core.tasks import Vocabulary, WordTask, pairs_task, word_task
from transformer_core.tasks.translation import DIRECTIONS
from transformer_core.training.shape import POSITIONS, ModelShape

MOST = 2**31 - 1  # of anything that is counted
POSITION_ROWS = 80  # of a learned table: more than the longest sequence of any task, so that longer ones can be tried


class Setting(NamedTuple):
    """One row of the table."""

    kinds: tuple[type, ...]  # what a value may be: int, float, bool or str, and NoneType where it may be left out
    default: Any
    low: float | None  # lowest and highest value of a number
    high: float | None
    choices: tuple[str, ...]  # of a word
    meaning: str

    @property
    def optional(self) -> bool:
        return types.NoneType in self.kinds


def _number(default: float | None, low: float, high: float, meaning: str) -> Any:
    return field(default=default, metadata={"low": low, "high": high, "meaning": meaning})


def _count(default: int | None, low: int, meaning: str, most: int = MOST) -> Any:
    """A size, which nothing bounds but what a machine can do; the app has limits of its own."""
    return _number(default, low, most, meaning)


def _word(choices: Sequence[str], meaning: str) -> Any:
    """The first is the default."""
    return field(default=choices[0], metadata={"choices": tuple(choices), "meaning": meaning})


def _flag(default: bool, meaning: str) -> Any:
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True)
class RunSettings:
    """What is set, whether it makes sense or not; `TrainConfig` is one that can be trained."""

    task: str = _word(("copy", "random", "reverse", "sort", "translate", "pairs"), "what is learned")
    direction: str = _word(tuple(DIRECTIONS), "of the translation")
    vocab: int = _count(11, 3, "tokens, padding included; letters and words have their own")
    length: int = _count(
        10, 2, "tokens of a sequence, the start symbol included; of letters and words the task's", POSITIONS
    )
    min_length: int | None = _count(None, 2, "shorter sequences as well, from here up, padded", POSITIONS)
    N: int = _count(1, 1, "layers of the encoder and of the decoder")
    d_model: int = _count(64, 2, "size of every vector")
    h: int = _count(4, 1, "heads; their number divides d_model")
    d_ff: int = _count(0, 1, "neurons of a feed-forward network; 4·d_model, the paper's ratio, unless told")
    dropout: float = _number(0.0, 0.0, 0.9, "share of values set to zero")
    norm_first: bool = _flag(True, "pre-norm; --no-norm-first is post-norm")
    scale: bool = _flag(True, "divide the scores by √d_k")
    positions: bool = _flag(True, "add the position code; without, the order of the tokens is not known")
    learned_positions: bool = _flag(False, "add a learned row per position instead of sines and cosines")
    tied: bool = _flag(False, "embeddings and generator share one matrix, of the one vocabulary that both sides have")
    look_ahead: bool = _flag(True, "hide later tokens from the decoder in training; without, it sees the answers")
    batch: int = _count(24, 1, "sequences per step")
    batches: int = _count(0, 0, "different batches, which then come again; 0 = each is new")
    noise: float = _number(0.0, 0.0, 1.0, "share of the tokens to predict that are drawn at random instead")
    rate: float = _number(1.5e-3, 1e-6, 1.0, "highest learning rate, unless the schedule is noam")
    schedule: str = _word(("cosine", "noam", "constant"), "how the learning rate changes")
    warmup: int = _count(30, 0, "steps of rising learning rate")
    factor: float = _number(0.5, 1e-3, 100.0, "factor of Noam's rate")
    steps: int = _count(180, 1, "updates")
    smoothing: float = _number(0.0, 0.0, 0.9, "label smoothing")
    clip: float | None = _number(None, 1e-3, 1000.0, "longest gradient")
    eval_updates: bool = _flag(False, "of every 25 updates the last 5 without dropout, as in the lecture notes")
    embedding_std: float | None = _number(
        0.3, 1e-3, 100.0, "spread of the embeddings (× √d_model) and the logits at the start; none is Xavier's"
    )
    architecture: str = _word(
        ("transformer", *get_args(rivals.Rival)), "the model, or a rival with as many parameters, whatever its width"
    )
    seed: int = _count(0, 0, "of all that is random")
    pairs: str = field(default="", repr=False, metadata={"meaning": "sources and targets of the task pairs"})

    @property
    def words(self) -> WordTask | None:
        """The task, if it has words of its own; None if it is about rows of numbers."""
        return pairs_task(self.pairs) if self.task == "pairs" else word_task(self.task, self.direction)

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
    def shape(self) -> ModelShape:
        """The Transformer that is trained, or that a rival is made as large as."""
        return ModelShape(
            self.vocab,
            self.tgt_vocab,
            self.N,
            self.d_model,
            self.d_ff,
            self.h,
            dropout=self.dropout,
            norm_first=self.norm_first,
            scale=self.scale,
            positions=self.positions,
            position_rows=max(POSITION_ROWS, self.length) if self.learned_positions else 0,
            tied=self.tied,
        )

    @property
    def parameters(self) -> int:
        """How many numbers the model learns."""
        if self.architecture == "transformer":
            return self.shape.parameters
        return rivals.parameters(self._rival, self.vocab, self.tgt_vocab, self.width, self.N, self.length)

    @property
    def width(self) -> int:
        """Size of the model's vectors: d_model, or what gives a rival as many parameters as the Transformer has."""
        if self.architecture == "transformer":
            return self.d_model
        sizes = self.vocab, self.tgt_vocab, self.N, self.length
        return rivals.width_of(self._rival, *sizes, self.shape.parameters)

    @property
    def _rival(self) -> rivals.Rival:
        return cast(rivals.Rival, self.architecture)


def _table() -> dict[str, Setting]:
    table = {}
    for each in fields(RunSettings):
        kinds = get_args(each.type) if isinstance(each.type, types.UnionType) else (cast(type, each.type),)
        said: dict[str, Any] = {"low": None, "high": None, "choices": ()} | dict(each.metadata)
        table[each.name] = Setting(kinds, each.default, **said)
    return table


SETTINGS = _table()
