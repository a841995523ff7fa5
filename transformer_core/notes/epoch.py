"""How the lecture notes train, and what their parameters are called: for those who follow them, no chapter uses it."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor, nn

from transformer_core.adamw import BETAS, EPS
from transformer_core.attention import MultiHeadedAttention
from transformer_core.model import EncoderDecoder
from transformer_core.notebook_names import notebook_name
from transformer_core.schedule import noam_rate
from transformer_core.tasks.batch import Batch
from transformer_core.tasks.copy_task import copy_sequences
from transformer_core.trace import module_paths, record


def data_generator(
    V: int,
    batch_size: int,
    n_batches: int,
    length: int = 10,
    generator: torch.Generator | None = None,
    device: torch.device | str | None = None,
) -> Iterator[Batch]:
    """`n_batches` fresh batches of the copy task, drawn where the generator is, and on `device` if that is given."""
    for _ in range(n_batches):
        data = copy_sequences(V, batch_size, length, generator=generator)
        yield Batch(data, data) if device is None else Batch(data, data).to(device)


@contextmanager
def keeping_attn(model: nn.Module) -> Iterator[None]:
    """After the block every attention of `model` holds, as the notes' do, the weights of its last call in it: `attn`,
    (batch, h, T, S), before dropout and without gradients. `record` gives the same without touching the model."""
    with record(model) as trace:
        yield
    paths = module_paths(model)
    for module in model.modules():
        weights = trace.get(f"{paths[id(module)]}weights")
        if isinstance(module, MultiHeadedAttention) and weights is not None:
            module.attn = weights


class NoamOpt:
    """An optimiser whose learning rate is set by `noam_rate` before each update, the first being step 1."""

    def __init__(self, model_size: int, factor: float, warmup: int, optimizer: torch.optim.Optimizer) -> None:
        self.optimizer = optimizer
        self.model_size = model_size
        self.factor = factor
        self.warmup = warmup
        self.steps = 0

    def rate(self, step: int | None = None) -> float:
        return noam_rate(self.steps if step is None else step, self.model_size, self.factor, self.warmup)

    def step(self) -> None:
        self.steps += 1
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate()
        self.optimizer.step()

    def zero_grad(self) -> None:
        self.optimizer.zero_grad()


def get_std_opt(model: EncoderDecoder, factor: float = 2.0, warmup: int = 4000) -> NoamOpt:
    """Adam with the paper's β = (0.9, 0.98) and ε = 1e-9 under the Noam rate.

    Factor and warm-up are those of the function of this name in the package that the notes import, pyitcast 1.0.4. They
    suit a long training; the copy task's few hundred updates all lie within the first sixteenth of that warm-up.
    """
    adam = torch.optim.Adam(model.parameters(), lr=0.0, betas=BETAS, eps=EPS, fused=True)
    return NoamOpt(next(model.generator.parameters()).size(-1), factor, warmup, adam)


class SimpleLossCompute:
    """From decoder output to loss; with an optimiser also the update.

    Without `opt` nothing is trained, whatever the model's mode: eval() switches dropout off, not learning.
    """

    def __init__(self, generator: nn.Module, criterion: nn.Module, opt: NoamOpt | None = None) -> None:
        self.generator = generator
        self.criterion = criterion
        self.opt = opt

    def __call__(self, x: Tensor, y: Tensor, norm: float) -> float:
        """x (batch, T, d_model), y (batch, T); the loss per token is over `norm` tokens. Returns the summed loss.

        ValueError if there is no token to predict: a mean over none would turn every weight into NaN.
        """
        if norm <= 0:
            raise ValueError("the batch holds no token to predict")
        log_probs = self.generator(x)
        loss = self.criterion(log_probs.flatten(0, -2), y.flatten()) / norm
        if self.opt is not None:
            loss.backward()
            self.opt.step()
            self.opt.zero_grad()
        return loss.item() * norm


class EpochStep(NamedTuple):
    """What one batch reported."""

    step: int
    loss: float  # per token
    tokens_per_second: float


def run_epoch(
    data_iter: Iterable[Batch],
    model: EncoderDecoder,
    loss_compute: SimpleLossCompute,
    report: Callable[[EpochStep], None] | None = None,
) -> float:
    """Run every batch through model and loss; the mean loss per token. ValueError without a token to predict."""
    total_loss, total_tokens = 0.0, 0
    for step, batch in enumerate(data_iter, start=1):
        started = time.perf_counter()
        out = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        loss = loss_compute(out, batch.tgt_y, batch.ntokens)
        total_loss += loss
        total_tokens += batch.ntokens
        if report is not None:
            seconds = time.perf_counter() - started
            report(EpochStep(step, loss / batch.ntokens, batch.ntokens / seconds))
    if not total_tokens:
        raise ValueError("there was no batch to learn from or to judge by")
    return total_loss / total_tokens


NOTES_NAMES = {
    "w1": "w_1",  # PositionwiseFeedForward
    "w2": "w_2",
    "a2": "a_2",  # LayerNorm
    "b2": "b_2",
    "project": "proj",  # Generator
}

T = TypeVar("T")


def from_notes_names(state: Mapping[str, T]) -> dict[str, T]:
    """The state dict of a model written as in the notes, for `load_state_dict`: same tensors, the names used here.

    The notes' first document writes the pre-norm form (`w1`, `a2`, `project`), the third the post-norm form (`W_Q`,
    `linear_1`, `projection`), which `make_model(..., norm_first=False)` builds.

    >>> list(from_notes_names({"encoder.layers.0.feed_forward.w1.weight": 0, "projection.bias": 0}))
    ['encoder.layers.0.feed_forward.w_1.weight', 'generator.proj.bias']
    """
    ours = {".".join(NOTES_NAMES.get(part, part) for part in name.split(".")): value for name, value in state.items()}
    return {notebook_name(name): value for name, value in ours.items()}
