"""What the words of a target ask of a model: to know a word, a measure word, or the order."""

from collections.abc import Sequence
from functools import lru_cache

import torch
from torch import Tensor

from transformer_core.tasks.letters import Letters
from transformer_core.tasks.own_pairs import OwnPairs
from transformer_core.tasks.translation import Translation
from transformer_core.tasks.vocabulary import PAD

KINDS = ("words", "measures", "order")


def kinds_of(task: Letters | Translation | OwnPairs, source: Sequence[int], target: Sequence[int]) -> list[str]:
    """One of KINDS for each token of the target; "" for a symbol, and for a word that stands for none of the source.

    In a translation, by its alignment: "measures" are the measure words of Chinese. A word is a matter of "order" if it
    overtakes: it stands for a source word while an earlier one still waits for its first word. (Measure words in the
    source wait for nothing.) All others are "words", and so is every letter, and every token of a reader's own pairs.
    ValueError if `target` is not the answer to `source`.
    """
    aligned = [] if isinstance(task, OwnPairs) else task.alignment(source, target)
    if aligned is None:
        raise ValueError(f"{task.target.text(target)} is not what {task.source.text(source)} becomes")
    if isinstance(task, Letters | OwnPairs):
        return ["", *["words"] * (len(target) - 2), ""]
    measures = task.grammar.measures
    skipped = {place for place, name in enumerate(task.source.names_of(source)) if name in measures}
    inner = list(zip(task.target.names_of(target), aligned))[1:-1]
    waiting = {place for name, places in inner if name not in measures for place in places} - skipped
    kinds = [""]
    for name, places in inner:
        reached = set(places) - skipped
        if name in measures:
            kinds.append("measures")
            continue
        waiting -= reached
        overtakes = bool(reached) and min(waiting, default=len(source)) < min(reached)
        kinds.append("order" if overtakes else "words" if places else "")
    return [*kinds, ""]


def share_right(task: Letters | Translation | OwnPairs, right: Tensor) -> dict[str, float | None]:
    """The share of right tokens of each kind: `right` (n, T) bool tells of the first n targets held out, without their
    start symbols, which tokens are right. None for a kind that does not occur."""
    shares: dict[str, float | None] = {}
    for kind, of_kind in _held_out(task, len(right)).items():
        count = int(of_kind.sum())
        shares[kind] = int((right & of_kind).sum()) / count if count else None
    return shares


@lru_cache(maxsize=8)
def _held_out(task: Letters | Translation | OwnPairs, count: int) -> dict[str, Tensor]:
    """Which tokens of the first targets held out are of each kind: (count, T) bool, without the start symbols."""
    src, tgt = task.held_out(count)
    of_kind = {kind: torch.zeros(tgt[:, 1:].shape, dtype=torch.bool) for kind in KINDS}
    for row, pair in enumerate(zip(src.tolist(), tgt.tolist())):
        source, target = ([token for token in side if token != PAD] for side in pair)
        for place, kind in enumerate(kinds_of(task, source, target)[1:]):
            if kind:
                of_kind[kind][row, place] = True
    return of_kind
