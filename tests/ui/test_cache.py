"""Large values under one budget in bytes."""

import threading
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pytest
import torch

from transformer_core.tasks.pair_lines import read_pairs
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model
from ui.cache import ValueCache, size_of
from ui.figures import Board, Panel
from ui.figures.formula import I, J, Matrix

KIB = 2**10
AGES = 300.0  # seconds; only a broken program waits as long


def tensor(kib: int) -> torch.Tensor:
    return torch.zeros(kib * KIB // 4)


def test_the_longest_unused_make_room() -> None:
    cached = ValueCache(3 * KIB)
    made = {name: cached.get_or_make(name, lambda: tensor(1)) for name in "abc"}
    cached.get_or_make("a", lambda: tensor(1))
    cached.put("d", tensor(1))
    assert cached.size == 3 * KIB
    assert cached.get("a") is made["a"]
    assert cached.get("b") is None


def test_a_value_larger_than_the_budget_is_kept_alone_until_the_next() -> None:
    cached = ValueCache(2 * KIB)
    cached.put("small", tensor(1))
    large = cached.put("large", tensor(4))
    assert cached.get("large") is large
    assert cached.get("small") is None
    cached.put("small", tensor(1))
    assert cached.size == KIB


def test_memory_that_values_share_counts_once_and_all_kinds_of_value_count() -> None:
    whole = tensor(2)
    assert size_of({"a": whole, "b": [whole[:10], whole.view(2, -1)]}) == 2 * KIB
    assert size_of((np.zeros(KIB, np.uint8), "word", None, 3)) == KIB
    config = TrainConfig(d_model=16)
    assert size_of(fresh_model(config)) == 4 * config.parameters  # the position code belongs to all models of a size


def test_a_figure_counts_with_all_that_it_consists_of() -> None:
    values, made = np.zeros((16, 64), np.float32), Matrix("x")[I, J] * 2.0
    board = Board([Panel("x", values), Panel("y", values, made=made)])
    before = size_of(board)
    assert 4 * KIB < before < 16 * KIB
    assert size_of((board, board)) == before
    written = board.text()
    assert size_of(board) > before + len(written)


class Copies(Mapping[str, np.ndarray]):
    """As of an archive: each value is made when it is asked for."""

    def __getitem__(self, name: str) -> np.ndarray:
        return np.zeros(KIB, np.uint8)

    def __iter__(self) -> Iterator[str]:
        return iter("abc")

    def __len__(self) -> int:
        return 3


def test_values_that_are_made_one_after_another_are_not_taken_for_one() -> None:
    assert size_of(Copies()) == 3 * KIB


def test_of_many_readers_who_ask_at_once_one_makes_the_value() -> None:
    cached, made, begun = ValueCache(KIB), list[int](), threading.Barrier(6)

    def make() -> torch.Tensor:
        made.append(1)
        return tensor(1)

    def ask() -> None:
        begun.wait()
        cached.get_or_make("a", make)

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]


def test_the_pairs_that_a_run_has_learned_count_with_what_is_kept_of_it() -> None:
    lines = "\n".join(f"{number}\tx{number}" for number in range(20))
    config = TrainConfig.of_task("pairs", pairs=read_pairs(lines).pairs.text)
    cached = ValueCache()
    cached.put((config, 3), torch.zeros(5))
    cached.put((TrainConfig(), 3), torch.zeros(5))
    assert cached.size == 2 * len(config.pairs) + 2 * 20


def test_different_values_are_made_side_by_side() -> None:
    """Each is made only once all three are being made."""
    cached, together, found = ValueCache(9 * KIB), threading.Barrier(3), list[int]()

    def make(name: str) -> torch.Tensor:
        found.append(together.wait(timeout=AGES))
        return tensor(1)

    threads = [threading.Thread(target=cached.get_or_make, args=(name, lambda name=name: make(name))) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [0, 1, 2]
    assert all(cached.get(name) is not None for name in "abc")


def test_a_value_may_be_made_of_another_that_others_wait_for_too() -> None:
    cached, made, begun = ValueCache(9 * KIB), list[str](), threading.Barrier(4)

    def part() -> torch.Tensor:
        made.append("part")
        return tensor(1)

    def whole() -> torch.Tensor:
        made.append("whole")
        return cached.get_or_make("part", part) + 1

    def ask(name: str, make: Callable[[], torch.Tensor]) -> None:
        begun.wait()
        cached.get_or_make(name, make)

    asked = [("part", part), ("whole", whole)] * 2
    threads = [threading.Thread(target=ask, args=one) for one in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == ["part", "whole"]


def test_after_one_who_failed_the_next_makes_the_value_and_no_lock_is_left() -> None:
    cached = ValueCache(KIB)

    def fail() -> torch.Tensor:
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        cached.get_or_make("a", fail)
    assert cached.get_or_make("a", lambda: tensor(1)) is cached.get("a")
    assert cached._making == {}
