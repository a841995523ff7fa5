"""A mixture of experts in the place of the feed-forward network: a router sends each word to one or a few networks.

Shazeer et al. 2017, "Outrageously Large Neural Networks", and Fedus et al. 2021, "Switch Transformers".
"""

import torch
from torch import Tensor, nn

from transformer_core.copies import clones
from transformer_core.trace import tap


class MixtureOfExperts(nn.Module):
    """y = Σ_e g_e(x) FFN_e(x) over the `top_k` experts to which the router gives most (Shazeer et al., equation 1).

    (batch, length, d_model) -> the same shape. The router's probabilities are p = softmax(x W_r). For one expert a word
    its gate is p itself (Switch, equation 2); for several they are p over the sum of those chosen (Shazeer, equations
    3 and 5, without the noise). An expert computes the words sent to it and no others, recorded as (1, words, …).

    A recording holds `router_logits`, `router_probabilities` and `gates`, 0 where an expert is not chosen, each (batch,
    length, experts), `load`, each expert's share of all choices, and `balance`, the `balance_loss` of all positions.
    ValueError unless 1 ≤ top_k ≤ experts.
    """

    def __init__(self, expert: nn.Module, d_model: int, experts: int, top_k: int = 1) -> None:
        super().__init__()
        check_experts(experts, top_k)
        self.router = nn.Linear(d_model, experts, bias=False)
        self.experts = clones(expert, experts)
        self.top_k = top_k

    def forward(self, x: Tensor) -> Tensor:
        probabilities = tap(self, "router_probabilities", tap(self, "router_logits", self.router(x)).softmax(-1))
        gates = tap(self, "gates", chosen_gates(probabilities, self.top_k)).flatten(0, -2)
        tap(self, "load", load(gates))
        tap(self, "balance", balance_loss(probabilities.flatten(0, -2), gates))
        words = x.flatten(0, -2)
        output = torch.zeros_like(words)
        for n, expert in enumerate(self.experts):
            at = sent_to(gates, n)
            output.index_add_(0, at, expert(words[at].unsqueeze(0))[0] * gates[at, n].unsqueeze(1))
        return tap(self, "output", output.view_as(x))


def check_experts(experts: int, top_k: int) -> None:
    """ValueError unless each word can be sent to `top_k` of them."""
    if experts < 1:
        raise ValueError(f"experts must be at least 1, not {experts}")
    if not 1 <= top_k <= experts:
        raise ValueError(f"top_k must lie between 1 and the number of experts, {experts}, not {top_k}")


def chosen_gates(probabilities: Tensor, top_k: int) -> Tensor:
    """The weight of each expert in the output, 0 for all but the `top_k` most probable: (…, experts) -> the same."""
    most, chosen = probabilities.topk(top_k, dim=-1)
    weights = most if top_k == 1 else most / most.sum(-1, keepdim=True)
    return torch.zeros_like(probabilities).scatter(-1, chosen, weights)


def sent_to(gates: Tensor, expert: int) -> Tensor:
    """The rows of gates (words, experts) that an expert is chosen for: (n,) int64."""
    return gates[:, expert].nonzero().squeeze(1)


def load(gates: Tensor) -> Tensor:
    """f_e, the share of all choices that falls on each expert: gates (words, experts) -> (experts,), its sum is 1."""
    chosen = (gates > 0).to(gates)
    return chosen.sum(0) / chosen.sum()


def balance_loss(probabilities: Tensor, gates: Tensor) -> Tensor:
    """experts · Σ_e f_e P_e with f_e its `load` and P_e its mean probability (Switch, equations 4 to 6): a number.

    Both (words, experts). It is 1 where all experts are chosen alike, and `experts` where one is always and surely
    chosen. The gradient goes through P alone, for f counts.
    """
    return probabilities.size(1) * (load(gates).detach() @ probabilities.mean(0))
