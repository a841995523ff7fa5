"""The training chapter: a run from the page, steered, lost and found, and its model in the other chapters."""

import math
import os
import re
import signal
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.app import boards
from tests.app.conftest import AGES, Open, come_back, forget_runs
from transformer_core.train import train
from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import guess_of
from transformer_core.training.history import History
from transformer_core.training.settings import SETTINGS
from ui.chapters.training.pictures import COLUMNS, LOOKED, OF_WORDS, program, reported
from ui.chapters.training.recipe import Recipe, config_of, settings_of
from ui.chapters.training.values import best_aligned, even_share, reference_of
from ui.model.run_link import run_text
from ui.run_limits import COPIED, highest
from ui.settings.fields import Real, Whole
from ui.text import LANGUAGES, Words
from ui.training_service.local_engine import WorkerProcess
from ui.training_service.queue import Slots
from ui.training_service.runs import all_runs

SMALL = {"d_model": "8", "h": "2", "batch": "4", "steps": "20", "vocab": "7", "length": "6"}
LONG = SMALL | {"steps": "5000"}
say = Words("training", "en")


def until(app: AppTest, reached: Callable[[AppTest], bool]) -> AppTest:
    """Run the page again and again, as the live view does."""
    end = time.monotonic() + AGES
    while not reached(app) and time.monotonic() < end:
        time.sleep(0.1)
        app.run()
    assert reached(app)
    return app


def press(app: AppTest, key: str) -> AppTest:
    (button,) = [button for button in app.button if button.label == say(key)]
    assert not button.disabled, key
    button.click().run()
    assert not app.exception
    return app


def can(app: AppTest, key: str) -> bool:
    return any(button.label == say(key) and not button.disabled for button in app.button)


def resting(app: AppTest) -> bool:
    return not can(app, "pause")


def model_at_hand(app: AppTest) -> str:
    return app.sidebar.caption[-1].value


def steps_done() -> int:
    return max(record.snapshot.step for record in trained())


def trained() -> list[Any]:
    """The readers' own runs."""
    return [record for record in all_runs._records.values() if record.purpose == "reports"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_number_of_heads_that_does_not_fit_is_refused_in_words_and_nothing_runs(open_link: Open, lang: str) -> None:
    app = open_link("training", h="7", lang=lang)
    assert app.warning[0].value == Words("training", lang)("refused.heads", d_model=64, h=7)
    assert not can(app, "start")
    assert trained() == []


@pytest.mark.parametrize(
    "link",
    [
        {"d_model": "63", "h": "3"},
        {"padded": "1", "length": "2"},
        {"clip": "0.0005"},
        {"d_model": "512", "N": "6", "batch": "256", "h": "8"},
        {"length": "64", "batch": "256", "d_model": "32", "h": "16", "N": "3"},
    ],
)
def test_every_refusal_has_its_sentence(open_link: Open, link: dict[str, str]) -> None:
    app = open_link("training", **link)
    assert not app.exception
    assert len(app.warning) == 1
    assert "{{" not in app.warning[0].value


def test_of_weights_that_nothing_on_the_page_makes_no_sum_is_promised(open_link: Open) -> None:
    said = Words("shell", "en")
    assert boards.hint(open_link("training", lang="en"), "training.probe") == said("matrix.hint_given")
    assert boards.hint(open_link("attention", lang="en"), "attention.stages") == said("matrix.hint")


def test_a_run_from_the_page_is_the_model_at_hand_in_another_chapter(open_link: Open) -> None:
    app = press(open_link("training", open="", **SMALL), "start")
    until(app, resting)
    assert "step 20" in model_at_hand(app)
    assert app.session_state["settings"]["frame"].model == "run"
    app.switch_page("pages/heads.py").run()
    assert not app.exception
    assert "d_model = 8, h = 2" in model_at_hand(app)
    assert "· step 20 ·" in model_at_hand(app)


def test_pause_one_step_resume_stop(open_link: Open) -> None:
    app = press(open_link("training", open="", **LONG), "start")
    until(app, lambda _: steps_done() > 3)
    press(app, "pause")
    before = steps_done()
    assert f"step {before} ·" in model_at_hand(app)
    press(app, "one_step")
    assert steps_done() == before + 1
    press(app, "resume")
    until(app, lambda _: steps_done() > before + 1)
    press(app, "stop")
    assert resting(app)
    assert not can(app, "resume")
    assert f"step {steps_done()} ·" in model_at_hand(app)


def look_back(app: AppTest, step: int) -> AppTest:
    """Stand at a step in the time-lapse, and close that."""
    if "training.at" not in boards.boards(app):
        press(app, "replay.name")
    stops = boards.payload(app, "training.at")["stops"]
    boards.does(app, "training.at", "moment", stops.index(step))
    assert not app.exception
    return press(app, "replay.close")


def shown_step(app: AppTest) -> list[str]:
    """Where the figure, and the numbers beside it, say they are."""
    bodies = " ".join(html.body for html in app.get("html"))
    return re.findall(r"· step (\d+) · seed 0 ·", bodies) + re.findall(r"<small>step</small><b>(\d+)", bodies)


@pytest.mark.parametrize("command", ["resume", "one_step", "stop"])
def test_a_paused_run_that_ended_while_its_reader_was_away_can_be_started_anew(open_link: Open, command: str) -> None:
    app = press(open_link("training", open="", **LONG), "start")
    press(app, "pause")
    forget_runs()
    press(app, command)
    assert can(app, "start") or can(app, "anew")


def test_the_figures_show_the_step_at_which_the_time_lapse_was_left(open_link: Open) -> None:
    app = until(press(open_link("training", open="", lang="en", **SMALL), "start"), resting)
    assert shown_step(app) == ["20", "20"]
    for step in (15, 0, 5):
        look_back(app, step)
        assert shown_step(app) == [str(step)] * 2
        assert app.query_params["at"] == str(step)
    look_back(app, 20)
    assert "at" not in app.query_params, "the last step, whatever it is"


def test_the_words_under_the_figure_speak_of_this_run(open_link: Open) -> None:
    app = open_link("training", open="", lang="en", **SMALL)
    assert any("Press **Train**" in text.value for text in app.markdown)
    until(press(app, "start"), resting)
    told = " ".join(text.value for text in app.markdown)
    assert "This run at step 20:" in told
    assert say("this_run.no_diagonal") in told  # 20 steps of 4 sequences are too few
    assert "Press **Train**" not in told


def test_the_head_that_looks_most_at_the_token_to_predict_is_found() -> None:
    maps = np.full((2, 3, 4, 5), 0.1, np.float16)
    maps[1, 2, np.arange(4), np.arange(1, 5)] = 0.75
    reference = reference_of(TrainConfig(length=5))
    np.testing.assert_array_equal(reference, np.eye(4, 5, 1))
    assert best_aligned(maps, reference) == (1, 2, 0.75)
    assert even_share(reference) == 0.2


def test_looking_back_shows_that_step_and_can_be_used_everywhere(open_link: Open) -> None:
    app = press(open_link("training", open="", **SMALL), "start")
    until(app, resting)
    look_back(app, 10)
    (button,) = [button for button in app.button if button.label == say("use", step=10)]
    button.click().run()
    assert "step 10 ·" in model_at_hand(app)
    assert [html.body for html in app.get("html") if "· step 10 · seed 0 ·" in html.body]


def test_the_step_that_is_looked_back_at_and_the_run_before_can_be_compared_with(open_link: Open) -> None:
    app = until(press(open_link("training", open="", lang="en", src="1 3 2 5", **SMALL), "start"), resting)
    look_back(app, 10)
    (button,) = [button for button in app.button if button.label == say("compare", step=10)]
    button.click().run()
    titles = [boards.panel(app, "training.difference", key)["title"] for key in ("first", "second")]
    assert titles == ["A: step 20", "B: step 10"]
    before = app.session_state["settings"]["frame"].run
    app.number_input(key="training:d_model").set_value(4).run()
    until(press(app, "anew"), resting)
    assert app.session_state["settings"]["frame"].other == before
    app.selectbox(key="frame:compare").set_value("run").run()
    assert not app.exception
    assert any("d_model = 8" in caption.value for caption in app.sidebar.caption)
    named = Words("shell", "en")
    assert any(named("compare_kind.run") in text.value for text in app.markdown)


def test_a_dead_worker_is_reported_and_the_run_comes_back_with_all_that_was_set(open_link: Open) -> None:
    app = press(open_link("training", open="", **LONG), "start")
    until(app, lambda _: steps_done() > 3)
    press(app, "pause")
    before = steps_done()
    (worker,) = {record.worker for record in all_runs._records.values() if record.snapshot.placed}
    assert isinstance(worker, WorkerProcess)
    os.kill(worker.pid, signal.SIGKILL)
    until(app, lambda app: len(app.error) > 0)
    assert app.error[0].value == say("state.lost", step=before, steps=5000)
    press(app, "restart")
    until(app, lambda app: can(app, "resume"))
    assert steps_done() == before
    assert {number.key: number.value for number in app.number_input}["training:d_model"] == 8


def test_no_room_for_another_run_is_said_in_words(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_runs, "slots", Slots(reports=0, waiting=0))
    app = press(open_link("training", open="", **SMALL), "start")
    assert app.warning[0].value == say("refused.too_many", limit=0)
    assert can(app, "start")


@pytest.mark.usefixtures("small_look")
def test_the_notes_settings_are_put_in_place_but_not_started(open_link: Open) -> None:
    app = press(open_link("training", only="run", notes="1"), "preset.notes")
    values = {number.key.partition(":")[2]: number.value for number in app.number_input}
    assert (values["N"], values["d_model"], values["h"], values["batch"], values["steps"]) == (2, 512, 8, 8, 200)
    assert config_of(app.session_state["settings"]["training"]) == TrainConfig.notes()
    app = press(app, "preset.notes_250")
    assert config_of(app.session_state["settings"]["training"]) == TrainConfig.notes(eval_updates=True)
    assert trained() == []


def test_a_link_to_a_moment_trains_up_to_it(open_link: Open) -> None:
    config = config_of(Recipe.from_query(LONG))
    app = open_link("training", model="run", run=run_text(config), step="15", **LONG)
    until(app, lambda app: can(app, "resume"))
    assert steps_done() == 15
    assert "step 15 ·" in model_at_hand(app)


def test_a_typed_sequence_is_decoded_and_nonsense_gets_a_sentence(open_link: Open) -> None:
    app = open_link("training", src="1 4 2")
    assert any("after step 0 gets" in text.value and "of 2 tokens" in text.value for text in app.markdown)
    app = open_link("training", src="1 x")
    assert "x" in app.warning[0].value
    app = open_link("training", src="1")
    assert app.warning[0].value == say("too_short")


def test_the_page_begins_with_the_quick_run() -> None:
    assert config_of(Recipe()) == TrainConfig()


@pytest.mark.parametrize(
    "config",
    [
        TrainConfig(),
        TrainConfig.notes(eval_updates=True),
        TrainConfig(min_length=3, clip=1.0, scale=False),
        TrainConfig.of_task("sort"),
        TrainConfig.of_task("translate", "both", batch=24, seed=3),
    ],
)
def test_settings_describe_a_run_and_a_run_its_settings(config: TrainConfig) -> None:
    settings = Recipe(**settings_of(config))
    assert config_of(settings) == config
    assert config_of(Recipe.from_query(settings.to_query())) == config


NUMBERS = {name for name, setting in SETTINGS.items() if setting.high is not None}


@pytest.mark.parametrize("name", sorted(NUMBERS & Recipe.kinds().keys() - {"seed", "clip"}))
def test_the_page_offers_what_it_can_train(name: str) -> None:
    kind = Recipe.kinds()[name]
    assert isinstance(kind, Whole | Real)
    assert (kind.low, kind.high) == ((3, COPIED) if name == "vocab" else (SETTINGS[name].low, highest(name)))


@pytest.mark.parametrize("at", [0, 10, 20])
def test_the_programs_under_the_figures_train_the_same_up_to_the_step_looked_at(at: int) -> None:
    config = TrainConfig(vocab=7, length=6, d_model=8, h=2, batch=4, steps=20)
    history = History.of(list(train(config)))
    looked, told = dict[str, Any](), dict[str, Any]()
    exec(program(config, at, LOOKED), looked)
    maps = history.cross_attention[list(history.probe_step).index(at)]
    np.testing.assert_array_equal(looked["shown"], maps.reshape(-1, 6))
    for columns in (COLUMNS, OF_WORDS):
        exec(program(config, at, reported(columns)), told)
        np.testing.assert_array_equal(told["shown"], np.stack([getattr(history, c)[: at + 1] for c in columns], 1))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_line_of_guessing_is_what_the_loss_gives_a_model_that_guesses(smoothing: float) -> None:
    entropy = sum(-share * math.log(share) for share in (0.9, *[0.1 / 9] * 9)) if smoothing else 0.0
    assert guess_of(TrainConfig(smoothing=smoothing)) == pytest.approx(math.log(10) - entropy, abs=1e-5)


def test_a_run_that_ends_while_its_reader_is_elsewhere_changes_no_setting(open_link: Open) -> None:
    app = press(open_link("training", open="", **SMALL), "start")
    app.switch_page("pages/loss.py")
    app.query_params.clear()
    app.query_params["open"] = "rate"
    app.run().slider(key="loss:warmup").set_value(3000).run()
    until(app, lambda _: not any(record.snapshot.active for record in trained()))
    assert steps_done() == 20
    come_back(app, "training")
    assert "warmup" not in app.query_params
    assert "step 20 ·" in model_at_hand(app)


def test_the_way_back_past_a_run_is_not_barred_by_its_model(open_link: Open) -> None:
    app = press(open_link("training", open="", **LONG), "start")
    before = dict(app.query_params)
    until(app, lambda _: steps_done() > 3)
    press(app, "pause")
    assert app.session_state["settings"]["frame"].model == "run"
    app.query_params.clear()
    for name, value in before.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    assert app.session_state["settings"]["frame"].model == "trained"
