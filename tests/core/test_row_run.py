"""Runs of models of one stack: what they learn, by which gradient, and the commands around them."""

import json
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.core.build import assert_within
from tests.core.one_stack import SWITCHES
from tests.core.test_train_command import stopped
from transformer_core import intervene, load_any
from transformer_core.__main__ import COMMANDS
from transformer_core.after_2017.experts import balance_loss
from transformer_core.trace import Recorded
from transformer_core.training import row_run
from transformer_core.training.config import ConfigError
from transformer_core.training.row_answers import row_answer
from transformer_core.training.row_config import RowConfig
from transformer_core.training.row_file import OneStackCheckpoint
from transformer_core.training.row_run import RowLesson, RowRun, _caught, fresh_one_stack, row_right
from transformer_core.training.vector import ParameterVector

SMALL: dict[str, Any] = {"N": 1, "d_model": 24, "d_ff": 20, "h": 4, "batch": 16, "steps": 60, "warmup": 10}
every_kind = pytest.mark.parametrize("kind", ["decoder", "encoder"])
SETTINGS = {  # of a run, that a model may have in other ways
    name: {switch: value for switch, value in switches.items() if switch in RowConfig.__dataclass_fields__}
    for name, switches in SWITCHES.items()
}


def balance_of(run: RowRun, lesson: RowLesson) -> Any:
    """The sum of the balance losses of all layers, over what is no padding."""
    real = (lesson.answers if run.config.kind == "decoder" else lesson.tokens).flatten() != 0
    total: Any = 0.0
    for path in run._routers:
        caught = Recorded()
        names = [f"{path}.router_probabilities", f"{path}.gates"]
        with intervene(run.model, {name: partial(_caught, caught, name) for name in names}):
            run.model(lesson.tokens)
        total = total + balance_loss(*(caught[name].flatten(0, -2)[real] for name in names))
    return total


@every_kind
@pytest.mark.parametrize("switches", SETTINGS.values(), ids=SETTINGS)
def test_with_two_in_a_row_loss_and_gradient_are_those_of_each_row_alone(kind: str, switches: dict[str, Any]) -> None:
    """By hand and by autograd, held to the model on the lesson as it is."""
    run = RowRun(RowConfig(kind=kind, **SMALL | switches))
    lesson, model = run.lesson(), run.model
    said = model.generator(model(lesson.tokens)).flatten(0, 1)
    loss = torch.nn.functional.nll_loss(said, lesson.answers.flatten(), ignore_index=0)
    run.vector.begin()
    run.vector.backward(loss + run.config.balance * balance_of(run, lesson))
    expected = run.vector.gradient.clone()
    for of in ([run._by_hand] if run.by_hand else []) + [run._by_autograd]:
        run.vector.begin()
        assert of(lesson) == pytest.approx(loss.item(), rel=1e-5)
        assert_within(run.vector.gradient, expected, 1e-5)
    assert expected.norm() > 0.1


@pytest.mark.parametrize("switches", SETTINGS.values(), ids=SETTINGS)
def test_a_model_with_each_switch_learns(switches: dict[str, Any]) -> None:
    run = RowRun(RowConfig(**SMALL | switches))
    losses = [run.update().loss for _ in range(50)]
    assert sum(losses[-10:]) / 10 < losses[0] - 0.5


def test_a_bert_learns() -> None:
    run = RowRun(RowConfig(kind="encoder", **SMALL | {"steps": 200}))
    losses = [run.update().loss for _ in range(150)]
    assert sum(losses[-10:]) / 10 < losses[0] - 0.5


@every_kind
def test_a_run_is_a_function_of_its_settings_and_leaves_the_global_seed(kind: str) -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    vectors = []
    for seed in (0, 0, 1):
        run = RowRun(RowConfig(kind=kind, seed=seed, **SMALL))
        for _ in range(3):
            run.update()
        vectors.append(run.vector.values)
    assert torch.equal(vectors[0], vectors[1])
    assert not torch.equal(vectors[0], vectors[2])
    assert torch.equal(torch.rand(3), expected)


def test_the_last_report_is_of_the_examination_and_those_before_now_and_then() -> None:
    reports = list(RowRun(RowConfig(**SMALL)).work())
    assert [report.step for report in reports if report.right is not None] == [50, 60]
    assert [report.step for report in reports] == list(range(1, 61))


@every_kind
def test_a_row_is_right_where_every_word_is(kind: str) -> None:
    """Held to the answers one by one, of a model that knows some rows."""
    config = RowConfig(kind=kind, **SMALL | {"steps": 200, "direction": "en-zh"})
    run = RowRun(config)
    for _ in range(60):
        run.update()
    task, rows = config.task, config.task.held_out(12)
    model = run.model.eval()
    found = row_right(model, task, rows).tolist()
    checkpoint = OneStackCheckpoint(model, config, 60)
    words = task.vocabulary
    for row, right in zip(rows.tolist(), found):
        equals = row.index(task.equals)
        source, target = words.text(row[1:equals]), words.text(row[equals + 1 :])
        if kind == "decoder":
            assert (row_answer(checkpoint, source) == target) == right
            continue
        places = [at for at, one in enumerate(task.words_in(torch.tensor([row]))[0].tolist()) if one]
        with torch.no_grad():
            said = []
            for at in places:
                hidden = torch.tensor([[task.cover if place == at else token for place, token in enumerate(row)]])
                said.append(int(model.generator(model(hidden))[0, at].argmax()) == row[at])
        assert all(said) == right


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"N": 0}, "N must lie between 1 and 2147483647"),
        ({"N": True}, "N must be a whole number"),
        ({"h": 5}, "cannot be cut into 5 heads"),
        ({"groups": 3}, "3 groups"),
        ({"window": 0}, "window must be at least 1"),
        ({"experts": 0}, "experts must lie between 1 and"),
        ({"experts": 2, "top_k": 3}, "top_k must lie between 1 and the number of experts, 2"),
        ({"balance": 2.0}, "balance is at most 1"),
        ({"warmup": 60, "steps": 60}, "shorter"),
        ({"rate": 0.0}, "above 0"),
        ({"positions": "none of them"}, "positions must be one of"),
        ({"direction": "en-fr"}, "direction is one of"),
    ],
)
def test_settings_that_do_not_fit_are_refused_in_words(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        RowConfig(**settings)


def test_all_parameters_are_drawn_from_the_seed() -> None:
    for switches in SETTINGS.values():
        config = RowConfig(**SMALL | switches)
        vectors = [ParameterVector(fresh_one_stack(config)).values for _ in range(2)]
        assert torch.equal(*vectors)


def test_the_commands_train_a_model_and_ask_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_run, "FINAL_ROWS", 4)
    for kind, text in (("decoder", "two red flowers ="), ("encoder", "i buy two <mask> flowers")):
        path = str(tmp_path / f"{kind}.safetensors")
        settings = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()]
        assert COMMANDS["train-row"](["--kind", kind, "--out", path, "--positions=rotary", *settings, "--json"]) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [line["step"] for line in lines] == [50, 60]
        found = load_any(path)
        assert isinstance(found, OneStackCheckpoint)
        assert found.config == RowConfig(kind=kind, positions="rotary", **SMALL)
        assert COMMANDS["predict"]([path, text, "--json"]) == 0
        said = json.loads(capsys.readouterr().out)
        assert said == {"source": text, "output": row_answer(found, text)}
        assert COMMANDS["predict"]([path, "purple"]) == 2
        assert "purple is none of the words" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["decoder", "encoder"])
def test_a_run_that_was_stopped_goes_on_to_the_same_model_to_the_bit(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    train, (whole, out) = COMMANDS["train-row"], (tmp_path / f"{name}.safetensors" for name in ("whole", "model"))
    settings = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()]
    assert train(["--kind", kind, *settings, "--out", str(whole)]) == 0
    kept = out.with_name("model.stopped.safetensors")
    with monkeypatch.context() as patch:
        stopped(patch, signal.SIGTERM, at=7, kind=RowRun)
        assert train(["--kind", kind, *settings, "--out", str(out)]) == 128 + signal.SIGTERM
    assert f"stopped at step 7 of 60; --resume {kept} goes on" in capsys.readouterr().err
    assert not out.exists()
    assert load_any(kept).step == 7, "it is a model as well"
    assert train(["--resume", str(kept), "--out", str(out)]) == 0
    assert out.read_bytes() == whole.read_bytes()
    assert capsys.readouterr().err == ""
    assert train(["--resume", str(whole)]) == 2
    assert "holds step 60 of 60: there is nothing to go on with" in capsys.readouterr().err
    assert train(["--resume", str(kept), "--seed=3"]) == 2
    assert "so leave out --seed" in capsys.readouterr().err


def test_a_prompt_of_the_full_length_and_a_row_without_a_covered_word_are_refused() -> None:
    gpt, bert = (RowConfig(kind=kind, **SMALL) for kind in ("decoder", "encoder"))
    long = "flowers " * (gpt.task.longest - 2)
    with pytest.raises(ValueError, match=f"a text of {gpt.task.longest} tokens has no room"):
        row_answer(OneStackCheckpoint(fresh_one_stack(gpt).eval(), gpt, 0), long)
    with pytest.raises(ValueError, match="no word is covered: write <mask>"):
        row_answer(OneStackCheckpoint(fresh_one_stack(bert).eval(), bert, 0), "two flowers")
    with pytest.raises(ValueError, match="tokens are numbers"):
        row_answer(OneStackCheckpoint(fresh_one_stack(bert).eval(), None, 0), "two flowers")


def test_what_the_command_does_not_understand_it_says_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert COMMANDS["train-row"](["--groups=3"]) == 2
    assert "3 groups" in capsys.readouterr().err
    assert COMMANDS["train-row"](["--out", str(tmp_path / "model.pt")]) == 2
    assert "safetensors" in capsys.readouterr().err
