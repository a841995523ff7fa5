"""Random numbers of one thread, the same as PyTorch's own seed gives."""

import threading
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from transformer_core import make_model
from transformer_core.random_seed import Seeded

DRAWN: dict[str, Callable[[], Tensor]] = {
    "rand": lambda: torch.rand(3, 2),
    "randn": lambda: torch.randn(3, 2, dtype=torch.float64),
    "randint": lambda: torch.randint(1, 9, (4,)),
    "randperm": lambda: torch.randperm(7),
    "normal_": lambda: torch.empty(5).normal_(),
    "uniform_": lambda: torch.empty(5).uniform_(-2, 3),
    "bernoulli_": lambda: torch.empty(9).bernoulli_(0.3),
    "random_": lambda: torch.empty(9).random_(5),
    "exponential_": lambda: torch.empty(9).exponential_(),
    "bernoulli": lambda: torch.bernoulli(torch.full((9,), 0.4)),
    "multinomial": lambda: torch.multinomial(torch.full((9,), 0.1), 4),
    "xavier": lambda: nn.init.xavier_uniform_(torch.empty(3, 2)),
    "kaiming": lambda: nn.init.kaiming_uniform_(torch.empty(3, 2), a=2.0),
    "orthogonal": lambda: nn.init.orthogonal_(torch.empty(3, 3)),
    "Linear": lambda: weights(nn.Linear(3, 2)),
    "Embedding": lambda: weights(nn.Embedding(5, 3)),
    "GRU": lambda: weights(nn.GRU(3, 2)),
    "Conv1d": lambda: weights(nn.Conv1d(3, 2, 3)),
    "TransformerDecoderLayer": lambda: weights(nn.TransformerDecoderLayer(6, 2, 5)),
    "make_model": lambda: weights(make_model(7, 8, N=1, d_model=6, d_ff=5, h=3)),
}


def weights(model: nn.Module) -> Tensor:
    return nn.utils.parameters_to_vector(model.parameters()).detach()


@pytest.mark.parametrize("name", DRAWN)
def test_the_numbers_are_those_of_the_common_seed_which_stays_as_it_was(name: str) -> None:
    torch.manual_seed(3)
    expected = torch.cat([DRAWN[name]().flatten() for _ in range(2)])
    before = torch.get_rng_state()
    with Seeded(3):
        drawn = torch.cat([DRAWN[name]().flatten() for _ in range(2)])
    assert torch.equal(drawn, expected)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_generator_that_is_given_is_the_one_that_is_used() -> None:
    with Seeded(3):
        drawn = torch.rand(4, generator=torch.Generator().manual_seed(5))
    assert torch.equal(drawn, torch.rand(4, generator=torch.Generator().manual_seed(5)))


def test_two_threads_that_draw_in_turns_have_the_numbers_that_each_has_alone() -> None:
    """Draw by draw: neither takes a number out of the other's, nor sets it back."""
    turns, drawn, rounds = threading.Barrier(2), dict[int, list[Tensor]](), 4

    def draw(seed: int) -> None:
        drawn[seed] = []
        with Seeded(seed):
            for _ in range(rounds):
                drawn[seed].append(torch.randn(3))
                turns.wait()

    threads = [threading.Thread(target=draw, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, numbers in drawn.items():
        alone = torch.Generator().manual_seed(seed)
        assert torch.equal(torch.cat(numbers), torch.cat([torch.randn(3, generator=alone) for _ in range(rounds)]))
