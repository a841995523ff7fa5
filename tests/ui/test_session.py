"""What the server keeps: the boot, and the model at hand."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from transformer_core import padding_mask, target_mask
from transformer_core.training.config import TrainConfig
from transformer_core.training.run import TrainingRun
from ui.model.current_model import model_at_hand
from ui.model.recorded import forward
from ui.settings.frame import Frame
from ui.training_service.queue import Slots
from ui.training_service.runs import all_runs

ROOT = Path(__file__).parents[2]
COUNT_FROZEN = "import gc; from ui.model.shipped import boot; boot(); print(gc.get_freeze_count())"


def test_after_the_boot_no_collection_walks_through_pytorch() -> None:
    done = subprocess.run([sys.executable, "-c", COUNT_FROZEN], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) > 100_000


@pytest.mark.parametrize("kind", ["trained", "fresh", "notes"])
def test_the_model_at_hand_is_in_evaluation_mode_and_of_the_size_it_says(kind: str) -> None:
    at_hand = model_at_hand(Frame(model=kind))
    assert at_hand.kind == kind
    assert not at_hand.load().training
    assert sum(parameter.numel() for parameter in at_hand.load().parameters()) == at_hand.config.parameters


def test_a_fresh_model_depends_on_its_seed_and_on_nothing_else() -> None:
    torch.manual_seed(1)
    before = torch.rand(3)
    torch.manual_seed(1)
    one = model_at_hand(Frame(model="fresh", fresh=7)).load().generator.proj.weight
    assert torch.equal(torch.rand(3), before)
    other = model_at_hand(Frame(model="fresh", fresh=8)).load().generator.proj.weight
    assert not torch.equal(one, other)


@pytest.mark.parametrize(
    ("kind", "run"), [("fresh", TrainConfig(N=2, seed=7)), ("notes", replace(TrainConfig.notes(), seed=7))]
)
def test_an_untrained_model_is_step_0_of_a_run_with_its_seed(kind: str, run: TrainConfig) -> None:
    untrained = model_at_hand(Frame(model=kind, fresh=7))
    assert untrained.config.seed == untrained.seed == 7
    begun = TrainingRun(run).model.state_dict()
    assert all(torch.equal(values, begun[name]) for name, values in untrained.load().state_dict().items())


def test_a_later_step_of_the_notes_model_is_of_the_run_that_links_have_always_meant() -> None:
    config = model_at_hand(Frame(model="notes", compare="step", other_step=3)).config
    assert (config.factor, config.warmup, config.steps, config.eval_updates) == (1.0, 400, 200, False)


def test_a_model_too_large_to_be_trained_here_can_still_be_seen_untrained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_runs, "slots", Slots(large=0))
    assert not model_at_hand(Frame(model="notes", fresh=7)).load().training


def test_a_forward_pass_is_the_models_own() -> None:
    model = model_at_hand(Frame()).load()
    src, tgt = (1, 4, 2, 0), (1, 4, 2)
    log_probs, trace = forward(model, src, tgt)
    source, target = torch.tensor([src]), torch.tensor([tgt])
    with torch.no_grad():
        out = model(source, target, padding_mask(source), target_mask(target))
        torch.testing.assert_close(log_probs, model.generator(out))
    assert trace["decoder.layers.0.src_attn.weights"].shape == (1, 4, 3, 4)
    assert trace["decoder.layers.0.src_attn.weights"][..., 3].eq(0).all()  # padding gets nothing


def test_the_line_under_a_figure_names_tensor_head_shape_step_and_seed() -> None:
    at_hand = model_at_hand(Frame(model="fresh", fresh=7))
    line = at_hand.provenance("decoder.layers.0.src_attn.weights", 9, 10, head=2)
    assert line == "decoder.layers.0.src_attn.weights · head 2 · 9 × 10 · step 0 · seed 7"


@pytest.mark.parametrize(
    "run",
    [
        *("", "h:3", "nonsense", "d_model:1000000", "steps:5000,d_model:512,N:6,batch:256,length:64"),
        'architecture:"recurrent",seed:0',
    ],
)
def test_a_run_that_cannot_be_had_leaves_the_shipped_model_and_says_so(run: str) -> None:
    frame = Frame(model="run", run=run or "seed")
    assert model_at_hand(frame).kind == "trained"
