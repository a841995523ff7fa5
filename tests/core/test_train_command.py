"""`python -m transformer_core.train`: what it prints, writes and refuses."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from transformer_core.train import train, train_to
from transformer_core.training.checkpoint import load
from transformer_core.training.command import _as_text, main
from transformer_core.training.config import TrainConfig

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
        (["--d-model", "1024"], "d_model must lie between 2 and 512"),
        (["--clip", "nan"], "clip must be float"),
        (["--task", "sort", "--vocab", "5"], "the task sort has no choice of --vocab: it has vocab = "),
        (
            ["--task", "reverse", "--length", "6", "--min-length", "4"],
            "no choice of --length, --min-length: it has length",
        ),
        (["--preset", "notes", "--task", "sort", "--vocab", "5"], "the task sort has no choice of --vocab"),
        (["--task", "copy", "--direction", "zh-en"], "the task copy has no choice of --direction"),
        (["--out", "model.pt"], "saved as safetensors, so name the file model.safetensors"),
        (["--out", "no/such/folder/model.safetensors"], "No such file"),
    ],
)
def test_what_cannot_be_trained_is_refused_in_words_before_anything_runs(arguments, words, capsys):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert words in err
    assert "Traceback" not in err
    assert out == ""


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, ArithmeticError("no number")])
def test_a_training_that_does_not_end_says_so_and_leaves_no_file_and_no_harm(
    interruption, tmp_path, capsys, monkeypatch
):
    def interrupt(run, as_json):
        raise interruption

    monkeypatch.setattr("transformer_core.training.command._follow", interrupt)
    new, old = tmp_path / "new.safetensors", tmp_path / "old.safetensors"
    old.write_bytes(b"an earlier model")
    status = 130 if interruption is KeyboardInterrupt else 2
    assert [main([*SMALL, "--out", str(file)]) for file in (new, old)] == [status, status]
    assert not new.exists()
    assert old.read_bytes() == b"an earlier model"
    assert ("nothing was saved" if status == 130 else "no number") in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--steps", "many"], ["--schedule", "step"], ["--depth", "3"]])
def test_what_is_no_option_is_refused_with_the_usage(arguments, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert "usage:" in capsys.readouterr().err


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
