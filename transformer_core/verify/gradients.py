"""Gradients beside differences of the function itself, in float64: (f(x + h) - f(x - h)) / 2h (paper, section 5.3)."""

from copy import deepcopy
from typing import NamedTuple

import torch
from torch import Tensor
from torch.func import functional_call, vmap

from transformer_core.backward import Gradients, backward, covers
from transformer_core.masks import padding_mask, target_mask
from transformer_core.model import EncoderDecoder, make_model
from transformer_core.softmax import softmax_jacobian, softmax_steps
from transformer_core.trace import record
from transformer_core.verify.broken import Break, broken
from transformer_core.verify.samples import drawn, gap, small_batch, small_model, vectors, worst

STEP = 1e-5  # h: the difference is off by about h², and by the rounding of f over h
AT_ONCE = 128  # entries that are moved in one pass
SCORES, SCALES = 5, (0.1, 1.0, 3.0)
TRIES = 6  # weights of a parameter
SETTLED = 1e-8  # by how much a difference over h and one over h/2 may differ, unless a ReLU bends between


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


def by_hand(how: Break = "none") -> float:
    """The gradient of every parameter of a small model by `backward`, beside autograd's."""
    model, batch = broken(small_model(), how), small_batch(torch.Generator().manual_seed(0))
    towards = vectors(*batch.tgt.shape, model.generator.proj.out_features).softmax(-1)
    found = _by_hand(model, batch.src, batch.tgt, towards)
    expected = _by_autograd(model, batch.src, batch.tgt, towards)
    return worst(gap(found[name], gradient) for name, gradient in expected.items())


class SampledWeight(NamedTuple):
    """One weight of a parameter of the model, float64."""

    name: str
    entry: int  # in the flattened parameter
    gradient: float
    difference: float

    @property
    def error(self) -> float:
        """In units of the difference where that is above 1."""
        return abs(self.gradient - self.difference) / max(1.0, abs(self.difference))


def own(model: EncoderDecoder, src: Tensor, tgt: Tensor, how: Break = "none") -> float:
    """The worst error of `sampled`."""
    return worst(one.error for one in sampled(model, src, tgt, how))


def sampled(model: EncoderDecoder, src: Tensor, tgt: Tensor, how: Break = "none") -> list[SampledWeight]:
    """Of every parameter of a model one weight, in float64: its gradient beside the difference of the loss.

    By hand, where `backward` knows the model, else by autograd. The weight is the one with the largest gradient; where
    a ReLU bends between its two places another one is drawn. A parameter of whose weights TRIES bend has NaN.
    """
    twin = broken(deepcopy(model).cpu().double(), how)  # wherever the model lies: not every device has float64
    src, tgt = src.cpu(), tgt.cpu()
    given = src, tgt, vectors(*tgt.shape, twin.generator.proj.out_features).softmax(-1)
    found = (_by_hand if covers(twin) else _by_autograd)(twin, *given)
    draw = torch.Generator().manual_seed(0)
    return [
        _sample(twin, name, weights, found[name].flatten(), given, draw) for name, weights in twin.named_parameters()
    ]


def _sample(
    model: EncoderDecoder,
    name: str,
    weights: Tensor,
    gradient: Tensor,
    given: tuple[Tensor, Tensor, Tensor],
    draw: torch.Generator,
) -> SampledWeight:
    entries = [int(gradient.abs().argmax()), *torch.randint(weights.numel(), (TRIES - 1,), generator=draw).tolist()]
    for entry in entries:
        one = SampledWeight(name, entry, float(gradient[entry]), _difference(model, weights, entry, STEP, given))
        narrow = one.difference if one.error <= SETTLED else _difference(model, weights, entry, STEP / 2, given)
        if abs(one.difference - narrow) <= SETTLED * max(1.0, abs(one.difference)):
            return one
    return one._replace(difference=float("nan"))


def _difference(
    model: EncoderDecoder, parameter: Tensor, at: int, step: float, given: tuple[Tensor, Tensor, Tensor]
) -> float:
    flat = parameter.detach().view(-1)
    start, losses = flat[at].item(), []
    for side in (1, -1):
        flat[at] = start + side * step
        with torch.no_grad():
            losses.append(float(_loss(model, *given)))
    flat[at] = start
    return (losses[0] - losses[1]) / (2 * step)


def _loss(model: EncoderDecoder, src: Tensor, tgt: Tensor, towards: Tensor) -> Tensor:
    """−Σ t ln p."""
    log_probs: Tensor = model.generator(model(src, tgt, padding_mask(src), target_mask(tgt)))
    return -(towards * log_probs).sum()


def _by_hand(model: EncoderDecoder, src: Tensor, tgt: Tensor, towards: Tensor) -> Gradients:
    masks = padding_mask(src), target_mask(tgt)
    with torch.no_grad(), record(model) as trace:
        probabilities = model.generator(model(src, tgt, *masks)).exp()
        return backward(model, trace, src, tgt, *masks, probabilities - towards)


def _by_autograd(model: EncoderDecoder, src: Tensor, tgt: Tensor, towards: Tensor) -> Gradients:
    named = dict(model.named_parameters())
    found = torch.autograd.grad(_loss(model, src, tgt, towards), list(named.values()), materialize_grads=True)
    return dict(zip(named, found, strict=True))


def _model() -> EncoderDecoder:
    """One layer, and no two axes of the same size."""
    with torch.random.fork_rng(devices=[]):
        model = make_model(7, 8, N=1, d_model=6, d_ff=10, h=2, max_len=9).double()
    return drawn(model, seed=0).eval()


def _batch() -> tuple[Tensor, Tensor, Tensor]:
    """Source (1, 5) and target (1, 4), a padding in each, and the direction (1, 4, 8) whose loss is taken."""
    return torch.tensor([[1, 5, 2, 6, 0]]), torch.tensor([[1, 7, 3, 0]]), vectors(1, 4, 8, seed=1)
