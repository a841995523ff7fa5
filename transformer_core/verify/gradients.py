"""Gradients beside differences of the function itself, in float64: (f(x + h) - f(x - h)) / 2h (paper, section 5.3)."""

import torch
from torch import Tensor
from torch.func import functional_call, vmap

from transformer_core.masks import padding_mask, target_mask
from transformer_core.model import EncoderDecoder, make_model
from transformer_core.softmax import softmax_jacobian, softmax_steps
from transformer_core.verify.broken import Break, broken
from transformer_core.verify.samples import drawn, gap, vectors, worst

STEP = 1e-5  # h: the difference is off by about h², and by the rounding of f over h
AT_ONCE = 128  # entries that are moved in one pass
SCORES, SCALES = 5, (0.1, 1.0, 3.0)


def jacobian_of_softmax() -> float:
    """diag(p) - p pᵀ beside differences of the softmax, for five scores, a tenth of them and three times them."""
    found = []
    for scale in SCALES:
        scores = scale * vectors(SCORES)
        moved = STEP * torch.eye(SCORES, dtype=torch.float64)  # row j: score j alone
        ahead, behind = (softmax_steps(scores + side * moved).probabilities for side in (1, -1))
        by_differences = ((ahead - behind) / (2 * STEP)).T  # (n, n): row i, column j is ∂p_i/∂x_j
        found.append(gap(softmax_jacobian(softmax_steps(scores).probabilities), by_differences))
    return worst(found)


def every_gradient(how: Break = "none") -> float:
    """The gradient of every parameter of a small model by `backward`, beside its difference."""
    model, src, tgt, towards = broken(_model(), how), *_batch()
    names = [name for name, _ in model.named_parameters()]
    sizes = [parameter.shape for parameter in model.parameters()]
    weights = torch.cat([parameter.detach().flatten() for parameter in model.parameters()])

    def loss(flat: Tensor) -> Tensor:
        parts = flat.split([size.numel() for size in sizes])
        parameters = {name: part.view(size) for name, size, part in zip(names, sizes, parts)}
        out = functional_call(model, parameters, (src, tgt, padding_mask(src), target_mask(tgt)))
        generator = {
            name.removeprefix("generator."): value for name, value in parameters.items() if "generator" in name
        }
        log_probs: Tensor = functional_call(model.generator, generator, out)
        return (log_probs * towards).sum()

    flat = weights.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(loss(flat), flat)
    moved = STEP * torch.eye(len(weights), dtype=torch.float64)
    with torch.no_grad():
        ahead, behind = (vmap(loss, chunk_size=AT_ONCE)(weights + side * moved) for side in (1, -1))
    return gap(gradient, (ahead - behind) / (2 * STEP))


def _model() -> EncoderDecoder:
    """One layer, and no two axes of the same size."""
    with torch.random.fork_rng(devices=[]):
        model = make_model(7, 8, N=1, d_model=6, d_ff=10, h=2, max_len=9).double()
    return drawn(model, seed=0).eval()


def _batch() -> tuple[Tensor, Tensor, Tensor]:
    """Source (1, 5) and target (1, 4), a padding in each, and the direction (1, 4, 8) whose loss is taken."""
    return torch.tensor([[1, 5, 2, 6, 0]]), torch.tensor([[1, 7, 3, 0]]), vectors(1, 4, 8, seed=1)
