"""Why gradients get through: residual sums between layers (paper, section 3.1), and 1/√d_k before softmax (3.2.1)."""

from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import nll_loss
from torch.nn.utils import get_total_norm

from transformer_core.attention import MultiHeadedAttention
from transformer_core.backward import Gradients, Tape, attention, projections
from transformer_core.experiments.depth import BATCH, LENGTH, V
from transformer_core.experiments.interventions import Changes, without_residual
from transformer_core.layer_norm import LayerNorm
from transformer_core.model import EncoderDecoder, make_model
from transformer_core.random_seed import Seeded
from transformer_core.softmax import jacobian_norm
from transformer_core.tasks.batch import Batch
from transformer_core.tasks.copy_task import copy_sequences
from transformer_core.trace import intervene, record

Stack = Literal["encoder", "decoder"]
SENTENCES, WORDS = 20, 10  # that attend, each to those of its own sentence


class LayerNorms(NamedTuple):
    """‖∂loss/∂θ‖ in each layer of a stack, first layer first."""

    all: list[float]  # of all its parameters together
    asking: list[float]  # of W_Q and W_K of its self-attention


def layer_gradients(N: int, stack: Stack, *, sums: bool, d_model: int = 64, h: int = 4, seed: int = 0) -> LayerNorms:
    """Before any training, on one batch of the copy task, in float64: what each of N layers of one stack gets.

    Without its `sums` every sub-layer of that stack hands on what it has computed alone, x is not added. The other
    stack keeps its own; weights and batch are the same.
    """
    with Seeded(seed):
        model = make_model(V, V, N, d_model, 4 * d_model, h, 0.0, norm=LayerNorm, max_len=LENGTH).double()
    sequences = copy_sequences(V, BATCH, LENGTH, generator=torch.Generator().manual_seed(seed))
    batch = Batch(sequences, sequences)
    with intervene(model, {} if sums else without_sums(model, stack)):
        out = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        nll_loss(model.generator(out).flatten(0, 1), batch.tgt_y.flatten()).backward()
    layers = list(model.get_submodule(f"{stack}.layers").children())
    asking = [[layer.get_parameter(f"self_attn.linears.{n}.weight") for n in (0, 1)] for layer in layers]
    return LayerNorms([_norm(list(layer.parameters())) for layer in layers], [_norm(some) for some in asking])


def without_sums(model: EncoderDecoder, stack: Stack) -> Changes:
    """Every sub-layer of a stack without its residual sum."""
    changes: Changes = {}
    for path, _ in model.get_submodule(stack).named_modules(prefix=stack):
        if path.rpartition(".")[0].endswith(".sublayer"):
            changes |= without_residual(path)
    return changes


def a_layer(norms: list[float]) -> float:
    """By what the gradient is multiplied from one layer to the one before it, on average: the geometric mean."""
    return float((norms[0] / norms[-1]) ** (1 / (len(norms) - 1)))


class Reach(NamedTuple):
    """What gets back through the softmax of one head with n queries."""

    queries: Tensor  # (n,) ‖∂q‖ / ‖∂o‖: of a unit that came back to what a query has collected, what it gets itself
    jacobians: Tensor  # (n,) norm of the softmax's Jacobian in the query's row
    to_query: float  # ‖∂W_Q‖
    to_key: float  # ‖∂W_K‖


def reach(d_k: int, *, scale: bool, seed: int = 0) -> Reach:
    """Of an untrained head on words whose numbers have mean 0 and variance 1, for a loss with a random gradient.

    float64, by the chapter's own backward pass. With or without the scale the head has the same weights and words.
    """
    generator = torch.Generator().manual_seed(seed)
    head = nn.ModuleDict({"head": MultiHeadedAttention(1, d_k, 0.0, scale=scale)}).double()
    module = head["head"]
    assert isinstance(module, MultiHeadedAttention)
    for linear in module.linears.children():
        nn.init.xavier_uniform_(linear.get_parameter("weight"), generator=generator)
        nn.init.zeros_(linear.get_parameter("bias"))
    x, gradient = (
        torch.randn(SENTENCES, WORDS, d_k, dtype=torch.float64, generator=generator) for _ in ("words", "loss")
    )
    found: Gradients = {}
    with torch.no_grad(), record(head) as trace:
        module(x, x, x)
        tape = Tape(trace, found.__setitem__)
        parts = attention(tape, "head", module, None, gradient.flatten(0, -2))
        projections(tape, "head", module, (0, 1, 2), parts, x.flatten(0, -2))
    queries = found["head.query"].norm(dim=-1) / found["head.heads"].norm(dim=-1)
    return Reach(
        queries.flatten(),
        jacobian_norm(trace["head.weights"]).flatten(),
        float(found["head.linears.0.weight"].norm()),
        float(found["head.linears.1.weight"].norm()),
    )


def held_by(lengths: Tensor, share: float) -> float:
    """How much of the sum of squares those hold that have most: `share` of all lengths (n,)."""
    squares = lengths.square().sort(descending=True).values
    return float(squares[: round(share * len(squares))].sum() / squares.sum())


def _norm(parameters: list[nn.Parameter]) -> float:
    return float(get_total_norm([p.grad for p in parameters if p.grad is not None]))
