"""A training step of the paper's base model beside `torch.nn.Transformer`, as written and compiled, on one device.

Both have the same embeddings, generator, loss and Adam. Of a GPU the memory is the most that a step takes; elsewhere it
is what a step keeps for its backward pass. It needs nothing but `torch` and `transformer_core`.

python -m benchmarks.compiled cuda [--precision fp32] [--batch 64] [--length 64] [--seconds 150]
    [--alike] [--eager] [--profile]
"""

import argparse
import statistics
import time
import warnings
from collections.abc import Callable

import torch
from torch import Tensor, nn

from transformer_core import make_model, subsequent_mask

VOCABULARY = 1000  # small, so that the stacks are what is measured
PRECISIONS = {"fp32": torch.float32, "bf16": torch.bfloat16}  # the second by autocast: weights stay in float32
WARM, ROUNDS = 3, 21  # steps before the measured ones, and of these, in which the two sides take turns
MIB = 2**20
HEAD = (
    f"{'':14}{'ours ms':>10}{'theirs ms':>10}{'faster':>8}{'than eager':>11}{'ours MiB':>10}{'theirs MiB':>11}"
    f"{'memory':>8}{'warm s':>9}{'theirs s':>9}"
)
Given = tuple[Tensor, Tensor, Tensor]  # source, target and answers: (batch, length)


class Ours(nn.Module):
    """source and target (batch, length) -> the mean loss of the target's tokens."""

    norm: type[nn.Module] | None = None  # the library's own

    def __init__(self) -> None:
        super().__init__()
        self.model = make_model(VOCABULARY, VOCABULARY, norm=self.norm)

    def forward(self, source: Tensor, target: Tensor, answers: Tensor) -> Tensor:
        log_probs: Tensor = self.model.generator(self.stacks(source, target))
        return nn.functional.nll_loss(log_probs.flatten(0, 1), answers.flatten())

    def stacks(self, source: Tensor, target: Tensor) -> Tensor:
        ahead = subsequent_mask(target.size(1), target.device)
        return self.model(source, target, None, ahead)


class Alike(Ours):
    """With PyTorch's formula of LayerNorm, as theirs has it: the two then compute the same."""

    norm = nn.LayerNorm


class Theirs(Ours):
    """The same with PyTorch's stacks in the place of ours."""

    def __init__(self) -> None:
        super().__init__()
        with warnings.catch_warnings():  # of nested tensors, which are for inference
            warnings.simplefilter("ignore")
            self.stack = nn.Transformer(batch_first=True, norm_first=True)
        del self.model.encoder, self.model.decoder

    def stacks(self, source: Tensor, target: Tensor) -> Tensor:
        blocked = ~subsequent_mask(target.size(1), target.device)[0]
        source, target = self.model.src_embed(source), self.model.tgt_embed(target)
        return self.stack(source, target, tgt_mask=blocked, tgt_is_causal=True)


class Step:
    """A training step that can be made again and again: what it takes first, and what it needs."""

    def __init__(
        self, kind: type[Ours], device: torch.device, dtype: torch.dtype, compiled: bool, given: Given
    ) -> None:
        torch.manual_seed(0)
        self.device, self.dtype, self.given = device, dtype, given
        others = torch.cuda.memory_allocated(device) if device.type == "cuda" else 0
        model = kind().to(device)
        self.weights = list(model.parameters())
        self.optimizer = torch.optim.Adam(self.weights, lr=1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)
        self.loss: Callable[..., Tensor] = torch.compile(model, fullgraph=kind is not Theirs) if compiled else model
        self.samples: list[float] = []
        started = time.perf_counter()
        for _ in range(WARM):
            self.run()
        self.warming = time.perf_counter() - started  # seconds
        self.memory = self._peak() - others if device.type == "cuda" else self._kept()  # bytes

    def run(self) -> float:
        """One step, and its seconds: on a GPU of the clock, elsewhere of the processors."""
        on_gpu = self.device.type == "cuda"
        clock = time.perf_counter if on_gpu else time.process_time
        started = clock()
        self.optimizer.zero_grad()
        with torch.autocast(self.device.type, self.dtype, enabled=self.dtype != torch.float32):
            loss = self.loss(*self.given)
        loss.backward()
        self.optimizer.step()
        if on_gpu:
            torch.cuda.synchronize(self.device)
        return clock() - started

    @property
    def milliseconds(self) -> float:
        return 1e3 * statistics.median(self.samples)

    def _peak(self) -> int:
        torch.cuda.reset_peak_memory_stats(self.device)
        self.run()
        return torch.cuda.max_memory_allocated(self.device)

    def _kept(self) -> int:
        """What autograd keeps from the forward pass for the backward pass, every memory once, but for the weights."""
        kept: dict[int, int] = {}
        weights = {weight.untyped_storage().data_ptr() for weight in self.weights}

        def keep(tensor: Tensor) -> Tensor:
            storage = tensor.untyped_storage()
            kept[storage.data_ptr()] = storage.nbytes()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            self.run()
        return sum(size for place, size in kept.items() if place not in weights)


def measured(ours: type[Ours], device: torch.device, precision: str, compiled: bool, given: Given) -> list[Step]:
    """Ours and theirs."""
    steps = [Step(kind, device, PRECISIONS[precision], compiled, given) for kind in (ours, Theirs)]
    for _ in range(ROUNDS):
        for step in steps:
            step.samples.append(step.run())
    return steps


def profile(step: Step) -> None:
    """Prints the operations that take longest, and how often each is called."""
    on_gpu = step.device.type == "cuda"
    with torch.profiler.profile() as seen:
        step.run()
    table = seen.key_averages().table(sort_by=f"self_{'cuda' if on_gpu else 'cpu'}_time_total", row_limit=20)
    print(f"{step.run() * 1e3:.1f} ms without the profiler\n{table}")


def line(name: str, ours: Step, theirs: Step, eager: float | None) -> str:
    """The figures of one pair, and how many times as fast ours is: as theirs, and as theirs uncompiled."""
    speed, memory = theirs.milliseconds / ours.milliseconds, ours.memory / theirs.memory
    beside = "" if eager is None else f"{eager / ours.milliseconds:.2f}"
    return (
        f"{name:14}{ours.milliseconds:10.1f}{theirs.milliseconds:10.1f}{speed:8.2f}{beside:>11}"
        f"{ours.memory / MIB:10.0f}{theirs.memory / MIB:11.0f}{memory:8.2f}{ours.warming:9.0f}{theirs.warming:9.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("device", help="cuda or cpu")
    parser.add_argument("--precision", choices=PRECISIONS, help="this one alone")
    parser.add_argument("--batch", type=int, default=64, help="sentences")
    parser.add_argument("--length", type=int, default=64, help="tokens of each")
    parser.add_argument("--seconds", type=float, default=150, help="after which nothing further is begun")
    parser.add_argument("--profile", action="store_true", help="what takes the time, instead: uncompiled, in fp32")
    parser.add_argument("--alike", action="store_true", help="ours with the LayerNorm of theirs")
    parser.add_argument("--eager", action="store_true", help="nothing compiled")
    options = parser.parse_args()
    started, device = time.perf_counter(), torch.device(options.device)
    torch.manual_seed(0)
    drawn = torch.randint(1, VOCABULARY, (3, options.batch, options.length)).to(device)
    given = (drawn[0], drawn[1], drawn[2])
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else f"{torch.get_num_threads()} threads"
    print(f"torch {torch.__version__}, {name}, {options.batch} × {options.length} tokens")
    if options.profile:
        for each in (Ours, Theirs):
            profile(Step(each, device, torch.float32, False, given))
        return
    kind = Alike if options.alike else Ours
    print(HEAD)
    eager: dict[str, float] = {}
    for compiled in [False] if options.eager else [False, True]:
        for precision in [options.precision] if options.precision else PRECISIONS:
            called = f"{precision} {'compiled' if compiled else 'eager'}"
            if time.perf_counter() - started > options.seconds:
                print(f"{called}: no time left; --precision {precision} measures it alone")
                continue
            ours, theirs = measured(kind, device, precision, compiled, given)
            print(line(called, ours, theirs, eager.get(precision)), flush=True)
            eager.setdefault(precision, theirs.milliseconds)
            del ours, theirs
            torch.compiler.reset()


if __name__ == "__main__":
    main()
