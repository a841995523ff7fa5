"""How often greedy decoding misses a likelier output: the counts, on a few sentences of the shipped translator."""

from pathlib import Path

import pytest
import torch

from transformer_core.experiments.search_errors import search_errors, without_a_word
from transformer_core.tasks import Translation
from transformer_core.training.checkpoint import Checkpoint, load

BOTH = Translation("both")


@pytest.fixture(scope="module")
def translator() -> Checkpoint:
    return load(Path(__file__).parents[2] / "assets" / "model" / "translate.safetensors")


def pair(source: str, answer: str) -> tuple[list[int], list[int]]:
    return BOTH.source.sequence(BOTH.source.read(source)), BOTH.target.sequence(BOTH.target.read(answer))


def trimmed(row: list[int]) -> list[int]:
    return [token for token in row if token]


def test_a_source_is_counted_where_it_belongs(translator: Checkpoint) -> None:
    sure = pair("I buy two red flowers every day", "我每天买两朵红色的花")
    mended = pair("three happy rest every day", "三个快乐的医生每天休息")
    likelier = pair("these doctors like", "我")  # nobody's answer
    wrong = pair(
        "一个年轻的医生每天在那棵漂亮的树下面画花", "a young doctor draws flowers under that beautiful tree every day"
    )
    room, end = BOTH.longest[1], 2
    counts = search_errors(translator.model, [sure, mended, likelier, wrong, sure], room, end)
    assert counts == (5, 2, 3, 2, 1)
    for one, expected in ((sure, (1, 1, 1, 0, 0)), (mended, (1, 0, 0, 1, 1)), (wrong, (1, 0, 1, 0, 0))):
        assert search_errors(translator.model, [one], room, end) == expected


def test_a_beam_of_one_mends_nothing(translator: Checkpoint) -> None:
    pairs = list(without_a_word(BOTH, 30))
    counts = search_errors(translator.model, pairs, BOTH.longest[1], 2, width=1)
    assert counts.searched == len(pairs)
    assert (counts.likelier, counts.mended) == (0, 0)


def test_one_word_is_missing_and_the_grammar_does_not_know_the_rest() -> None:
    held_out = BOTH.held_out(40)
    broken = list(without_a_word(BOTH, 40))
    without = {
        (*row[:at], *row[at + 1 :]): answer
        for row, answer in zip(map(trimmed, held_out.src.tolist()), map(trimmed, held_out.tgt.tolist()))
        for at in range(1, len(row) - 1)
    }
    assert 20 < len(broken) <= 40
    for source, answer in broken:
        assert BOTH.answer(source) is None
        assert without[tuple(source)] == answer


def test_the_counts_do_not_depend_on_what_stands_beside_a_source(translator: Checkpoint) -> None:
    pairs = list(without_a_word(BOTH, 12))
    together = search_errors(translator.model, pairs, BOTH.longest[1], 2)
    alone = [search_errors(translator.model, [one], BOTH.longest[1], 2) for one in pairs]
    assert torch.tensor(alone).sum(0).tolist() == list(together)
