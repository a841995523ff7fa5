"""A mixture of experts: that of Mixtral with the same weights, and the laws of its router."""

from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import MixtralConfig
from transformers.models.mixtral.modeling_mixtral import MixtralSparseMoeBlock, load_balancing_loss_func

from tests.core.build import BATCH, D_FF, D_MODEL, HEADS, ROUNDING, T, assert_within, unsettle
from tests.core.one_stack import logits, made, rows
from transformer_core import intervene, record
from transformer_core.after_2017.experts import MixtureOfExperts, balance_loss
from transformer_core.after_2017.feed_forwards import SwiGLUFeedForward

EXPERTS = 5


def vectors(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(0))


def mixture(top_k: int) -> MixtureOfExperts:
    torch.manual_seed(1)
    made = MixtureOfExperts(SwiGLUFeedForward(D_MODEL, D_FF, 0.0), D_MODEL, EXPERTS, top_k)
    for expert in made.experts:
        unsettle(expert)
    return made


def mixtral(ours: MixtureOfExperts) -> Any:
    """Theirs with our weights: the gates' and the values' matrices stand one below the other."""
    config = MixtralConfig(
        hidden_size=D_MODEL, intermediate_size=D_FF, num_attention_heads=HEADS, num_local_experts=EXPERTS,
        num_experts_per_tok=ours.top_k,
    )  # fmt: skip
    theirs: Any = MixtralSparseMoeBlock(config)
    experts: Any = ours.experts
    theirs.load_state_dict(
        {
            "gate.weight": ours.router.weight,
            "experts.gate_up_proj": torch.stack([torch.cat([each.w_1.weight, each.w_3.weight]) for each in experts]),
            "experts.down_proj": torch.stack([each.w_2.weight for each in experts]),
        }
    )
    return theirs


@pytest.mark.parametrize("top_k", [2, 3, EXPERTS])
def test_a_mixture_of_several_experts_a_word_is_that_of_mixtral(top_k: int) -> None:
    ours, x = mixture(top_k), vectors(BATCH, T, D_MODEL)
    with record(ours) as trace, torch.no_grad():
        assert_within(ours(x), mixtral(ours)(x), ROUNDING)
    assert trace["gates"].shape == trace["router_probabilities"].shape == (BATCH, T, EXPERTS)
    assert ((trace["gates"] > 0).sum(-1) == top_k).all()
    assert_within(trace["gates"].sum(-1), torch.ones(BATCH, T), ROUNDING)


def test_one_expert_a_word_has_the_routers_own_probability_as_its_gate() -> None:
    """As in Switch Transformers: Mixtral's gate would be 1, and its router would learn nothing of the answer."""
    ours, x = mixture(1), vectors(BATCH, T, D_MODEL)
    with record(ours) as trace, torch.no_grad():
        found = ours(x)
        assert_within(found, mixtral(ours)(x) * trace["router_probabilities"].amax(-1, keepdim=True), ROUNDING)
    ours(x).sum().backward()
    assert ours.router.weight.grad.abs().sum() > 0


@pytest.mark.parametrize("top_k", [1, 2])
def test_the_balance_loss_is_that_of_mixtral_per_choice(top_k: int) -> None:
    ours, x = mixture(top_k), vectors(BATCH, T, D_MODEL)
    with record(ours) as trace:
        ours(x)
    expected: Any = load_balancing_loss_func((trace["router_logits"].flatten(0, 1),), EXPERTS, top_k)
    assert_within(trace["balance"] * top_k, expected, ROUNDING)
    assert_within(trace["load"].sum(), torch.tensor(1.0), ROUNDING)


def test_balance_is_1_and_the_worst_is_the_number_of_experts() -> None:
    even = torch.full((EXPERTS, EXPERTS), 1 / EXPERTS)
    assert_within(balance_loss(even, torch.eye(EXPERTS)), torch.tensor(1.0), 1e-6)
    alone = torch.eye(EXPERTS)[:1].expand(7, -1)
    assert float(balance_loss(alone, alone)) == EXPERTS


def test_an_expert_computes_the_words_sent_to_it_and_no_others() -> None:
    ours, x = mixture(2), vectors(BATCH, T, D_MODEL)
    with record(ours) as trace:
        ours(x)
    words = [trace[f"experts.{n}.hidden"].shape for n in range(EXPERTS)]
    assert words == [(1, int((trace["gates"][..., n] > 0).sum()), D_FF) for n in range(EXPERTS)]


def test_a_word_can_be_sent_to_another_expert() -> None:
    model = made(experts=EXPERTS)
    path = "decoder.layers.0.feed_forward.gates"
    with intervene(model, {path: lambda gates: gates.roll(1, -1)}):
        other = logits(model, rows())
    assert (other - logits(model, rows())).abs().max() > 1e-3
