"""The two sequences that a model with an encoder and a decoder reads, as tokens and as labels."""

from dataclasses import dataclass

from transformer_core.tasks import Vocabulary

UNKNOWN = "?"


@dataclass(frozen=True)
class TypedSequences:
    """Source tokens, what the decoder is given, and what it has to predict at each of its positions."""

    src: tuple[int, ...]
    given: tuple[int, ...]
    predicted: tuple[int, ...]
    source: Vocabulary
    target: Vocabulary

    @property
    def sources(self) -> list[str]:
        return self.source.labels(self.src)

    @property
    def targets(self) -> list[str]:
        return self.target.labels(self.given)

    @property
    def answers(self) -> list[str]:
        return self.target.labels((*self.given[:1], *self.predicted))[1:] or [UNKNOWN]

    @property
    def steps(self) -> list[str]:
        """The decoder's rows: `given → predicted`."""
        return [f"{token} → {next_one}" for token, next_one in zip(self.targets, self.answers)]


def shifted(src: tuple[int, ...], tgt: tuple[int, ...], vocabularies: tuple[Vocabulary, Vocabulary]) -> TypedSequences:
    return TypedSequences(src, tgt[:-1] or tgt, tgt[1:], *vocabularies)
