"""What a process that trains or looks at a model leaves on the disk."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from transformer_core.train import train
from transformer_core.training.config import TrainConfig

ROOT = Path(__file__).parents[2]
HEAVY = "print([name for name in ('torch._dynamo.config', 'sympy') if name in sys.modules])"
CONFIG = TrainConfig(vocab=7, length=6, d_model=8, h=2, batch=4, steps=23, warmup=5)

TRAIN = f"""
import sys, torch
from transformer_core.train import train
from transformer_core.training.config import TrainConfig
from ui.server.without_compiler import without_compiler
torch.set_num_threads(int(sys.argv[1]))
without_compiler()
print([report.loss for report in train(TrainConfig.from_dict({CONFIG.to_dict()!r}))])
{HEAVY}"""

LOOK = f"""
import sys, torch
from transformer_core import make_model, padding_mask, record, target_mask
tokens = torch.tensor([[1, 2, 3, 0]])
with torch.no_grad(), record(model := make_model(5, 5, N=1).eval()):
    model(tokens, tokens, padding_mask(tokens, 0), target_mask(tokens, 0))
{HEAVY}"""


def lines(program: str, *arguments: str) -> list[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.long
def test_a_run_without_the_compiler_has_the_same_numbers_and_imports_none_of_it() -> None:
    losses = [report.loss for report in train(CONFIG)]
    assert lines(TRAIN, str(torch.get_num_threads())) == [str(losses), "[]"]


@pytest.mark.long
def test_looking_at_a_model_imports_neither_the_compiler_nor_symbolic_algebra() -> None:
    assert lines(LOOK) == ["[]"]
