"""What a run is said to need in memory, beside what its tensors really take."""

import weakref

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter

from transformer_core.training import memory as train_memory
from transformer_core.training.any_run import AnyConfig, run_of
from transformer_core.training.config import TrainConfig
from transformer_core.training.evaluation import QUICK_SEQUENCES
from transformer_core.training.row_config import RowConfig
from transformer_core.training.row_run import QUICK_ROWS, RowRun, row_right
from transformer_core.training.run import TrainingRun
from transformer_core.training.shape import POSITIONS

LARGEST_EXCESS = 2.5  # times what it takes
A_BATCH = 2**18  # bytes of tokens, masks and a probe

CONFIGS: dict[str, AnyConfig] = {
    "default": TrainConfig(),
    "one sequence": TrainConfig(batch=1),
    "one long sequence": TrainConfig(batch=1, N=2, d_model=128, h=16, length=64, vocab=1000),
    "many long sequences": TrainConfig(batch=32, length=64, vocab=100),
    "dropout": TrainConfig(batch=16, length=48, h=16, dropout=0.1),
    "wide and shallow": TrainConfig(batch=1, length=2, d_model=256, h=1),
    "random answers": TrainConfig(task="random", vocab=2000, batch=16, d_model=32),
    "words": TrainConfig.of_task("translate", "both"),
    "words and dropout": TrainConfig(task="translate", batch=16, N=2, dropout=0.1),
    "recurrent": TrainConfig(batch=48, length=20, N=2, architecture="recurrent"),
    "convolution": TrainConfig(batch=48, length=20, architecture="convolution"),
    "post-norm": TrainConfig(batch=48, N=3, d_model=32, length=20, norm_first=False),
    "gpt": RowConfig(),
    "bert": RowConfig.of_kind("encoder", N=1, h=8, batch=16),
    "experts": RowConfig(experts=4, top_k=2, feed_forward="swiglu", norm="rms"),
    "wide gpt": RowConfig(d_model=128, N=4, positions="rotary", groups=2),
}


class Live(TorchDispatchMode):
    """The bytes of all tensors made within that are alive, now and at most. What they take may change: a storage that
    is resized to nothing takes nothing."""

    def __init__(self):
        super().__init__()
        self.most = 0
        self.storages: dict[int, weakref.ref[torch.UntypedStorage]] = {}

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        for tensor in tree_iter(result):
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                self.storages[storage._cdata] = weakref.ref(storage)
        self.most = max(self.most, self.now)
        return result

    @property
    def now(self):
        return sum(storage.nbytes() for storage in (one() for one in self.storages.values()) if storage is not None)


@pytest.fixture(scope="module", params=CONFIGS)
def measured(request):
    """The settings, the most bytes at work, and those between turns."""
    config = CONFIGS[request.param]
    with Live() as live:
        run = run_of(config)
        next(iter(run.work()))
        for _ in range(2):
            run.update()
        if isinstance(run, RowRun):
            row_right(run.model, run.task, run.task.held_out(QUICK_ROWS))
        else:
            run.look()
            run.examination.match(run.model, run.examination.pairs(QUICK_SEQUENCES))
    return config, live.most, live.now


def test_a_run_takes_no_more_than_it_is_said_to(measured):
    config, most, _ = measured
    assert most <= config.memory <= LARGEST_EXCESS * most + train_memory.SMALL


def test_between_its_turns_a_run_keeps_its_weights_and_moments_and_little_else(measured):
    config, _, between = measured
    code = train_memory.NUMBER * POSITIONS * config.d_model  # one for all runs of this size
    assert between <= config.resting + code + A_BATCH


def test_an_evaluation_in_parts_measures_the_same(monkeypatch):
    config = TrainConfig(vocab=7, length=6, d_model=8, h=2, batch=4, min_length=3)
    whole = next(TrainingRun(config).work())
    monkeypatch.setattr(train_memory, "MOST_AT_ONCE", 5)
    parts = next(TrainingRun(config).work())
    assert whole is not None
    assert parts is not None
    assert train_memory.evaluated_at_once(config) == 5
    assert parts.loss == pytest.approx(whole.loss, rel=1e-5)
    assert parts.exact_match == whole.exact_match
