"""Rows of attention weights that add up to more than 1, in PyTorch's own attention."""

import torch
from torch import Tensor, nn

from transformer_core import EncoderDecoder
from transformer_core.dropout import dropout_steps
from transformer_core.exercises.symptoms.symptom import CheckedCause, State, Symptom
from transformer_core.random_seed import Seeded

LENGTH, WIDTH, HEADS, DROPPED = 12, 16, 4, 0.3


def healthy(seed: int, model: EncoderDecoder) -> State:
    attention, x = _drawn(seed)
    return _read(attention.eval(), x)


def dropped(seed: int, model: EncoderDecoder) -> State:
    """The module is in training mode: it returns the weights after dropout, drawn here from the seed."""
    attention, x = _drawn(seed)
    weights = attention.eval()(x, x, x, average_attn_weights=False)[1][0].detach()
    after = dropout_steps(weights, DROPPED, torch.Generator().manual_seed(seed)).output
    return {"attention": attention.train(), "weights": after.mean(0)}


def summed(seed: int, model: EncoderDecoder) -> State:
    """The weights of the heads are added up and not averaged."""
    attention, x = _drawn(seed)
    weights = attention.eval()(x, x, x, average_attn_weights=False)[1][0].sum(0)
    return {"attention": attention, "weights": weights.detach()}


def wrong_axis(seed: int, model: EncoderDecoder) -> State:
    """The softmax runs over the queries: the columns add up to 1, and not the rows."""
    attention, x = _drawn(seed)
    projected = (x[0] @ attention.in_proj_weight.T).detach().unflatten(-1, (3, HEADS, -1))
    queries, keys, _ = projected.permute(1, 2, 0, 3)  # each (heads, length, width of a head)
    scores = queries @ keys.mT / (WIDTH // HEADS) ** 0.5
    return {"attention": attention.eval(), "weights": scores.softmax(1).mean(0)}


def row_sums(state: State) -> Tensor:
    return state["weights"].sum(-1)


def weights(state: State) -> Tensor:
    """With the sum of each row in one more column."""
    return torch.cat([state["weights"], row_sums(state)[:, None]], 1)


def largest_sum(state: State) -> float:
    return float(row_sums(state).max())


def _drawn(seed: int) -> tuple[nn.MultiheadAttention, Tensor]:
    with Seeded(seed):
        attention = nn.MultiheadAttention(WIDTH, HEADS, dropout=DROPPED, batch_first=True)
        return attention, 2 * torch.randn(1, LENGTH, WIDTH)


def _read(attention: nn.MultiheadAttention, x: Tensor) -> State:
    """Averaged over the heads, as PyTorch gives them unless told otherwise."""
    return {"attention": attention, "weights": attention(x, x, x)[1][0].detach()}


ROWS = Symptom(
    "rows",
    healthy,
    (
        CheckedCause("dropped", dropped, "attention.training and attention.dropout > 0"),
        CheckedCause("summed", summed, "torch.allclose(weights.sum(-1), torch.tensor(float(attention.num_heads)))"),
        CheckedCause("wrong_axis", wrong_axis, "torch.allclose(weights.sum(-2), torch.tensor(1.0))"),
    ),
    weights,
    largest_sum,
)
