"""What a process that trains, or looks at a model, does not import: readers would wait for it, and it takes 75 MB."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = "print([name for name in ('torch._dynamo.config', 'sympy') if name in sys.modules])"

LOOK = f"""
import sys, torch
from transformer_core import make_model, padding_mask, record, target_mask
tokens = torch.tensor([[1, 2, 3, 0]])
with torch.no_grad(), record(model := make_model(5, 5, N=1, d_model=8, h=2).eval()):
    model(tokens, tokens, padding_mask(tokens, 0), target_mask(tokens, 0))
{HEAVY}"""

WORK = f"""
from transformer_core.training.config import TrainConfig
from ui.training_service.worker import Scheduler
states = {{}}
scheduler = Scheduler(lambda header, arrays: states.update({{header["run"]: header["state"]}}))
config = TrainConfig(vocab=7, length=6, d_model=8, h=2, batch=4, steps=3, warmup=5, dropout=0.1)
for run, want in enumerate(("reports", "weights", "look")):
    scheduler.obey({{"do": "start", "run": run, "config": config.to_dict(), "until": 3, "want": want}})
while scheduler.running:
    scheduler.turn()
print(states)
{HEAVY}"""


@pytest.mark.long
def test_neither_looking_at_a_model_nor_training_imports_the_compiler_or_symbolic_algebra() -> None:
    """The first optimiser of `torch.optim` would: a run has its own."""
    command = [sys.executable, "-c", LOOK + WORK]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", str(dict.fromkeys(range(3), "done")), "[]"]
