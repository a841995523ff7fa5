"""A run that is kept: as a script that trains it again without the app, and as a file that tells how it was trained."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st

from tests.app.boards import boards, does, payload
from tests.app.conftest import AGES, ROOT, Open, look_again
from tests.app.test_figures import computed, figures
from tests.app.test_own_model import CONFIG, OURS, TOLD, say, sit_down, upload
from tests.app.test_training import SMALL, press
from transformer_core.train import train, train_to
from transformer_core.training.checkpoint import load, to_bytes
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from transformer_core.training.models import fresh_model
from ui import session, uploads
from ui.chapters.training import offer
from ui.chapters.training.again import script
from ui.chapters.training.offer import saved_as
from ui.chapters.training.recipe import config_of
from ui.chapters.training.told import LAPSE
from ui.figures.figure import Figure
from ui.text import LANGUAGES, Words
from ui.training_service.runs import all_runs

__all__ = ["figures"]  # a fixture of the law of all figures

RUN = TrainConfig(d_model=8, h=2, batch=4, steps=20, vocab=7, length=6)  # as SMALL has it
Columns = dict[str, list[float | None]]
STEPS: Columns = {
    "step": [0, 1, 3],
    "loss": [2.0, 1.5, 1.0],
    "rate": [0.0, 1e-3, 2e-3],
    "exact_match": [None, None, 0.5],
}


def test_the_script_on_the_page_writes_the_very_file_that_the_page_saves(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given: dict[str, Any] = {}
    real = st.download_button

    def heard(label: str, data: Any, *rest: Any, **options: Any) -> bool:
        given[label] = data
        return real(label, data, *rest, **options)

    monkeypatch.setattr(st, "download_button", heard)
    app = press(open_link("training", open="again", lang="en", **SMALL), "start")
    look_again(app)
    (shown,) = (block.value for block in app.code if block.language == "python")
    assert given[say("again.save", name="train_copy.py")] == f"{shown}\n"
    (tmp_path / "train_copy.py").write_text(shown)
    trained = subprocess.run(
        [sys.executable, "train_copy.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        timeout=AGES,
        check=True,
    )
    assert trained.stdout.splitlines()[-1].startswith("step   20 ")
    (mine,) = session._sessions.values()
    assert mine.seen is not None
    assert mine.seen.config == RUN
    written = (tmp_path / saved_as(RUN, 20)).read_bytes()
    assert written == offer._file(all_runs, RUN, 20, mine.seen.history)
    assert written == given[say("save", step=20)]()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_before_a_run_the_script_is_that_of_its_settings(open_link: Open, lang: str) -> None:
    app = open_link("training", open="again", lang=lang, **SMALL)
    assert [block.value for block in app.code if block.language == "python"] == [script(RUN, 20).strip()]
    said = Words("training", lang)("again.script", step=20, name="train_copy.py", saved=saved_as(RUN, 20))
    assert said in [block.value for block in app.markdown]


@pytest.mark.parametrize(
    ("config", "step"),
    [
        (TrainConfig(vocab=9, length=7, N=2, d_model=12, h=3, d_ff=10, batch=5, steps=12, dropout=0.2, seed=3), 12),
        (TrainConfig(vocab=9, length=7, d_model=12, h=3, batch=5, steps=12, min_length=3, clip=0.5), 7),
        (TrainConfig.of_task("translate", d_model=8, h=2, batch=4, steps=3, seed=5), 3),
    ],
    ids=["dropout", "where it was stopped", "of words"],
)
def test_a_script_ends_with_the_weights_of_its_run(
    config: TrainConfig, step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(script(config, step), {})
    kept = load(tmp_path / saved_as(config, step))
    assert (kept.config, kept.step) == (config, step)
    assert kept.history["step"] == list(range(step + 1))
    assert to_bytes(kept.model, config, step) == to_bytes(train_to(config, step), config, step)
    assert kept.records["probe_step"].tolist()[-1] == step


def test_a_file_shows_its_curves_and_their_program_reads_them_from_it(
    figures: Callable[[str, str], list[Figure]], open_link: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = sit_down(open_link, OURS, "kept.safetensors")
    (tmp_path / taken.file).write_bytes(OURS)
    (figure,) = (one for one in figures("training", "model=own&open=own") if one.name == "own_curves")
    monkeypatch.chdir(tmp_path)
    expected = [[0, 2.345678, 0, np.nan], [20, 0.125, 1e-3, 0.5]]
    np.testing.assert_allclose(figure.data, expected, rtol=1e-6)
    np.testing.assert_allclose(computed(figure.program), expected)


def test_a_file_sets_the_run_to_its_settings_where_the_page_has_controls_for_them(open_link: Open) -> None:
    config = TrainConfig(vocab=9, length=7, N=2, d_model=16, h=2, seed=5, steps=30, norm_first=False, clip=1.0)
    app = upload(open_link("training", open="own"), to_bytes(fresh_model(config), config, 20, TOLD))
    (button,) = [button for button in app.button if button.label == say("own.recipe")]
    button.click().run()
    assert not app.exception
    assert config_of(app.session_state["settings"]["training"]) == config
    upload(app, OURS)
    assert CONFIG.d_ff != 4 * CONFIG.d_model  # which has no control
    assert not [button for button in app.button if button.label == say("own.recipe")]


@pytest.mark.parametrize(
    "change",
    [
        {"step": [0, 3, 1]},
        {"step": [0, 1, 21]},
        {"step": [-1, 1, 3]},
        {"step": [0, None, 3]},
        {"loss": [2.0, None, 1.0]},
        {"step": [], "loss": [], "rate": [], "exact_match": []},
    ],
)
def test_a_history_that_is_no_runs_is_none(change: Columns) -> None:
    assert uploads._told(STEPS, 20) is not None
    assert uploads._told(STEPS | change, 20) is None
    assert uploads._told({"loss": [2.0]}, 20) is None


def test_of_a_history_that_is_no_runs_nothing_is_drawn(open_link: Open) -> None:
    no_run = STEPS | {"step": [0, 3, 1]}
    app = upload(open_link("training", open="own"), to_bytes(fresh_model(CONFIG), CONFIG, 20, no_run))
    assert not app.error
    assert app.session_state["settings"]["frame"].model == "own"


@pytest.mark.parametrize("config", [RUN, TrainConfig.of_task("translate", d_model=8, h=2, batch=4, steps=12)])
def test_a_file_has_the_time_lapse_of_its_run(open_link: Open, config: TrainConfig) -> None:
    history = History.of(list(train(config)))
    content = to_bytes(train_to(config, 12), config, 12, history.columns(12), history.records(12, 2**20))
    app = upload(open_link("training", open="own", lang="en"), content)
    (button,) = [button for button in app.button if button.key == f"{LAPSE}.open"]
    button.click().run()
    assert not app.exception
    sent = payload(app, LAPSE)
    assert sent["stops"] == [step for step in history.probe_step.tolist() if step <= 12]
    does(app, LAPSE, "moment", 1)
    assert not app.exception
    assert payload(app, LAPSE)["cue"] == sent["cue"], "nobody is led away from where they stand"
    does(app, LAPSE, "take", 0)
    assert LAPSE not in boards(app)
    upload(app, to_bytes(train_to(config, 12), config, 12, history.columns(12)))
    assert not [button for button in app.button if button.key == f"{LAPSE}.open"], "a file without records has none"


def test_records_whose_steps_were_not_reported_are_not_shown() -> None:
    history = History.of(list(train(RUN)))
    columns = {name: column[:6] for name, column in history.columns(20).items()}
    assert uploads.take("a", to_bytes(train_to(RUN, 20), RUN, 20, columns, history.records(20, 2**20))).history is None
    whole = uploads.take("a", to_bytes(train_to(RUN, 20), RUN, 20, history.columns(20), history.records(20, 2**20)))
    assert whole.history is not None
    whole.forget()
    assert whole.history is None
