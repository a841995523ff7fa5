"""`python -m transformer_core.train`: what it prints, writes and refuses."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from transformer_core.shell import ProgressLine
from transformer_core.train import train, train_to
from transformer_core.training.checkpoint import load, save
from transformer_core.training.command import main
from transformer_core.training.config import TrainConfig
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.resume import resumed, state_of
from transformer_core.training.run import TrainingRun
from transformer_core.training.telling import _as_text

SMALL = ["--vocab", "7", "--length", "6", "--d-model", "8", "--h", "2", "--batch", "4", "--steps", "11"]
CONFIG = TrainConfig(vocab=7, length=6, d_model=8, h=2, batch=4, steps=11)


def test_json_is_one_object_per_report_and_a_summary(capsys):
    assert main([*SMALL, "--json"]) == 0
    *reports, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert [report["step"] for report in reports] == list(range(12))
    assert summary["step"] == 11
    assert TrainConfig.from_dict(summary["config"]) == CONFIG
    assert summary["exact_match"] == reports[-1]["exact_match"]


def test_the_file_holds_the_model_that_the_same_settings_give(tmp_path, capsys):
    assert main([*SMALL, "--seed", "5", "--out", str(tmp_path / "model.safetensors")]) == 0
    model, config, step, history, _ = load(tmp_path / "model.safetensors")
    again = train_to(TrainConfig(**CONFIG.to_dict() | {"seed": 5}), 11)
    assert (config.seed, step) == (5, 11)
    assert history["step"] == list(range(12))
    losses = [report.loss for report in train(config)]
    assert history["loss"] == pytest.approx(losses, rel=1e-6)
    assert [value is None for value in history["exact_match"]] == [step not in (0, 10, 11) for step in range(12)]
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), again.parameters()))
    assert "exact match" in capsys.readouterr().out


def test_a_preset_is_where_the_other_options_start(capsys):
    main(["--preset", "notes", *SMALL, "--d-ff", "9", "--json"])
    config = TrainConfig.from_dict(json.loads(capsys.readouterr().out.splitlines()[-1])["config"])
    assert (config.schedule, config.dropout, config.d_model, config.d_ff) == ("noam", 0.1, 8, 9)


def test_a_run_on_random_answers_tells_what_it_is_worth_on_those_held_out(capsys):
    assert main(["--preset", "random", *SMALL, "--json"]) == 0
    *reports, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert [report["step"] for report in reports if report["held_out"] is not None] == [0, 5, 10, 11]
    assert summary["held_out"] == reports[-1]["held_out"]
    main(["--preset", "random", *SMALL])
    assert capsys.readouterr().out.count("held out") == 4


def test_a_task_of_words_is_trained_by_its_recipe_and_shows_examples(capsys):
    small = ["--d-model", "8", "--batch", "4", "--steps", "2"]
    assert main(["--task", "translate", "--direction", "zh-en", *small]) == 0
    out = capsys.readouterr().out
    assert "我经常休息 → " in out
    assert "instead of I often rest" in out
    assert main(["--task", "sort", *small, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert TrainConfig.from_dict(summary["config"]) == TrainConfig.of_task("sort", d_model=8, batch=4, steps=2)
    assert len(summary["examples"]) == 3
    for example in summary["examples"]:
        assert sorted(example["source"]) == sorted(example["target"])


def test_of_examples_only_the_wrong_ones_are_corrected():
    right, wrong = ({"source": "a b", "output": answer, "target": "b a"} for answer in ("b a", "b"))
    assert _as_text([right, wrong], step=3) == "step          3\na b → b a\na b → b   instead of b a"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--h", "7"], "d_model = 64 cannot be cut into 7 heads"),
        (["--d-model", "1"], "d_model must lie between 2 and 2147483647"),
        (["--clip", "nan"], "clip must be float"),
        (["--task", "sort", "--vocab", "5"], "the task sort has no choice of --vocab: it has vocab = "),
        (
            ["--task", "reverse", "--length", "6", "--min-length", "4"],
            "no choice of --length, --min-length: it has length",
        ),
        (["--preset", "notes", "--task", "sort", "--vocab", "5"], "the task sort has no choice of --vocab"),
        (["--task", "copy", "--direction", "zh-en"], "the task copy has no choice of --direction"),
        (["--out", "model.pt"], "saved as safetensors, so name the file model.safetensors"),
        (["--out", "no/such/folder/model.safetensors"], "there is no folder no/such/folder, so make it first"),
        (["--out", "."], ". is a folder, so name a file in it: model.safetensors"),
        (["--resume", "no.safetensors"], "no.safetensors: No such file"),
        (["--resume", "README.md"], "README.md: the file is damaged, or it is not a saved model"),
        (["--resume", "no.safetensors", "--d-ff", "9", "--preset", "notes"], "so leave out --preset, --d-ff"),
    ],
)
def test_what_cannot_be_trained_is_refused_in_words_before_anything_runs(arguments, words, capsys):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert words in err
    assert len(err.splitlines()) == 1
    assert out == ""


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, ArithmeticError("no number")])
def test_a_training_that_does_not_end_says_so_and_leaves_no_file_and_no_harm(
    interruption, tmp_path, capsys, monkeypatch
):
    def interrupt(run):
        raise interruption

    monkeypatch.setattr(TrainingRun, "update", interrupt)
    new, old = tmp_path / "new.safetensors", tmp_path / "old.safetensors"
    old.write_bytes(b"an earlier model")
    status = 130 if interruption is KeyboardInterrupt else 2
    assert [main([*SMALL, "--out", str(file)]) for file in (new, old)] == [status, status]
    assert not new.exists()
    assert old.read_bytes() == b"an earlier model"
    assert ("nothing was saved" if status == 130 else "no number") in capsys.readouterr().err


def stopped(monkeypatch, number, at, kind=TrainingRun):
    """From now on this signal comes within update `at`."""
    update = kind.update

    def told(run):
        if run.step == at - 1:
            signal.raise_signal(number)
        return update(run)

    monkeypatch.setattr(kind, "update", told)


TASKS = {
    "copy": (signal.SIGINT, [*SMALL, "--dropout", "0.2", "--noise", "0.1"]),
    "batches that come again": (signal.SIGTERM, [*SMALL, "--batches", "4", "--eval-updates", "--dropout", "0.2"]),
    "random": (signal.SIGINT, ["--preset", "random", *SMALL]),
    "translate": (
        signal.SIGTERM,
        ["--task", "translate", "--d-model", "8", "--h", "2", "--batch", "4", "--steps", "11"],
    ),
}


@pytest.mark.parametrize(("number", "task"), TASKS.values(), ids=TASKS)
def test_a_run_that_was_stopped_goes_on_to_the_same_result_to_the_bit(number, task, tmp_path, capsys, monkeypatch):
    whole, out, kept = (tmp_path / f"{name}.safetensors" for name in ("whole", "model", "model.stopped"))
    assert main([*task, "--json", "--out", str(whole)]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    with monkeypatch.context() as patch:
        stopped(patch, number, at=7)
        assert main([*task, "--out", str(out)]) == 128 + number
    assert not out.exists()
    assert f"stopped at step 7 of 11; --resume {kept} goes on" in capsys.readouterr().err
    assert load(kept).step == 7, "it is a model as well"
    assert main(["--resume", str(kept), "--json", "--out", str(out)]) == 0
    assert out.read_bytes() == whole.read_bytes()
    printed, err = capsys.readouterr()
    again = [json.loads(line) for line in printed.splitlines()]
    assert err == ""
    speeds = "tokens_per_second", "seconds", "out"  # no two clocks agree
    assert [{**one, **dict.fromkeys(speeds)} for one in again] == [{**one, **dict.fromkeys(speeds)} for one in told[8:]]


def test_what_is_stopped_without_a_file_says_that_nothing_was_saved(capsys, monkeypatch):
    stopped(monkeypatch, signal.SIGTERM, at=3)
    assert main(SMALL) == 143
    assert "stopped at step 3 of 11; nothing was saved" in capsys.readouterr().err


def test_a_model_that_is_only_examined_when_it_is_stopped_is_saved(tmp_path, capsys, monkeypatch):
    stopped(monkeypatch, signal.SIGINT, at=11)
    assert main([*SMALL, "--out", str(tmp_path / "model.safetensors")]) == 130
    assert "model.safetensors has the trained model" in capsys.readouterr().err
    assert load(tmp_path / "model.safetensors").step == 11
    assert main(["--resume", str(tmp_path / "model.safetensors")]) == 2
    assert "holds step 11 of 11: there is nothing to go on with" in capsys.readouterr().err


def test_a_file_without_the_optimisers_state_goes_on_and_says_what_that_means(tmp_path, capsys):
    config = TrainConfig(**CONFIG.to_dict() | {"seed": 3})
    save(tmp_path / "app.safetensors", train_to(config, 6), config, 6)
    assert (
        main(["--resume", str(tmp_path / "app.safetensors"), "--json", "--out", str(tmp_path / "out.safetensors")]) == 0
    )
    out, err = capsys.readouterr()
    assert "without the state of the optimiser" in err
    assert [json.loads(line)["step"] for line in out.splitlines()] == [7, 8, 9, 10, 11, 11]
    assert load(tmp_path / "out.safetensors").history["step"] == [7, 8, 9, 10, 11]


SPOILT = {  # of a stopped run's state
    "too short": lambda state: {"m": state["m"][1:]},
    "of another kind": lambda state: {"m": state["m"].double()},
    "no numbers": lambda state: {"m": state["m"] * torch.nan},
    "squares below 0": lambda state: {"v": state["v"] - 1},
    "random numbers cut short": lambda state: {"dropout": state["dropout"][1:]},
    "no random numbers": lambda state: {"dropout": torch.zeros_like(state["dropout"])},
    "one more": lambda state: {"more": torch.zeros(3)},
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_state_that_is_none_of_such_a_run_is_refused(how, tmp_path):
    run = TrainingRun(TrainConfig(**CONFIG.to_dict() | {"dropout": 0.1}))
    run.update()
    state, file = state_of(run), tmp_path / "stopped.safetensors"
    save(file, run.model, run.config, run.step, state=state)
    assert resumed(file).run.step == 1
    save(file, run.model, run.config, run.step, state=state | SPOILT[how](state))
    with pytest.raises(NotAModel, match=r"of the optimiser|random numbers"):
        resumed(file)


def test_a_terminal_sees_how_far_it_is_and_quiet_only_the_summary(capsys, monkeypatch):
    monkeypatch.setattr(ProgressLine, "AFTER", 0.0)
    monkeypatch.setattr(ProgressLine, "EVERY", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main(SMALL) == 0
    out, err = capsys.readouterr()
    assert "step     0 " in out
    shown = [line.split(",")[0].strip() for line in err.split("\r") if line.strip()]
    assert list(dict.fromkeys(shown)) == [f"step {step} of 11" for step in range(1, 12)]
    assert main([*SMALL, "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("step          11\n")


@pytest.mark.parametrize("arguments", [["--steps", "many"], ["--schedule", "step"], ["--depth", "3"]])
def test_what_is_no_option_is_refused_in_one_sentence(arguments, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    (sentence,) = capsys.readouterr().err.splitlines()
    assert "--help lists what there is" in sentence


def test_no_limit_and_no_lower_bound_can_be_asked_for(capsys):
    main([*SMALL, "--clip", "none", "--min-length", "none", "--embedding-std", "none", "--json"])
    config = json.loads(capsys.readouterr().out.splitlines()[-1])["config"]
    assert config["clip"] is config["min_length"] is config["embedding_std"] is None


@pytest.mark.long
def test_the_command_runs_by_its_module_name():
    command = [sys.executable, "-m", "transformer_core.train", *SMALL, "--steps", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout.splitlines()[-1])["step"] == 1
