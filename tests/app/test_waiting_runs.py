"""A reader whose run waits: the page says its place in line, in its language, and the run begins by itself."""

from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import AGES, Open, in_turn, look_again
from ui.chapters.training.recipe import Recipe, config_of
from ui.frame.notices import and_wait
from ui.model import current_model as at_hand_module
from ui.model.run_link import run_text
from ui.text import LANGUAGES, Words
from ui.training_service.eta import Eta
from ui.training_service.queue import Slots
from ui.training_service.runs import all_runs

SMALL = {"d_model": "8", "h": "2", "batch": "4", "steps": "20", "vocab": "7", "length": "6", "task": "copy"}
CONFIG = config_of(Recipe.from_query(SMALL))
ENDLESS = replace(CONFIG, steps=5000, seed=77)
NOBODYS = replace(CONFIG, seed=78)  # which no test has trained


@pytest.fixture(autouse=True)
def few_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """One run at a time, and one for a link."""
    monkeypatch.setattr(all_runs, "slots", Slots(reports=1, weights=1))


def press(app: AppTest, label: str) -> AppTest:
    (button,) = [button for button in app.button if button.label == label]
    button.click().run()
    assert not app.exception
    return app


def bars(app: AppTest) -> list[Any]:
    return [bar.proto for bar in app.get("progress")]


def moving(run: str) -> None:
    all_runs.wait(run, lambda seen: seen.step > 0, AGES)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_run_for_which_there_is_no_place_says_where_it_stands_and_begins_by_itself(
    open_link: Open, lang: str
) -> None:
    say = Words("training", lang)
    before = all_runs.start(ENDLESS)
    moving(before)
    app = press(open_link("training", lang=lang, src="1 4 2", **SMALL), say("start"))
    (bar,) = bars(app)
    assert bar.value == 0
    assert bar.text.startswith(and_wait(say("state.waiting"), Eta(1), lang)[:-1])
    assert [warning.value for warning in app.warning] == []
    can = {button.label: not button.disabled for button in app.button}
    assert can[say("stop")]
    assert not can[say("pause")]
    all_runs.forget(before)
    look_again(app)
    look_again(app)  # the first look handed the model over
    assert not bars(app)
    assert "20" in app.sidebar.caption[-1].value


def test_a_run_that_waits_can_be_stopped_and_started_anew(open_link: Open) -> None:
    say = Words("training", "en")
    all_runs.start(ENDLESS)
    app = press(open_link("training", **SMALL), say("start"))
    press(app, say("stop"))
    assert not bars(app)
    assert [record.snapshot.state for record in all_runs._records.values() if record.snapshot.config == CONFIG] == [
        "stopped"
    ]
    press(app, say("anew"))
    assert len(bars(app)) == 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_another_chapter_says_when_the_model_of_its_link_will_be_there(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    monkeypatch.setattr(at_hand_module, "RUN_PATIENCE", 0.0)
    shell = Words("shell", lang)
    all_runs.model(ENDLESS, 4000, 0.0)
    app = open_link("attention", model="run", run=run_text(NOBODYS), step="20", lang=lang)
    said = next(info.value for info in app.info)
    assert said.startswith(and_wait(shell("model_awaited"), Eta(1), lang)[:-1])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_so_does_the_choice_of_a_model_to_compare_with(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    monkeypatch.setattr(at_hand_module, "RUN_PATIENCE", 0.0)
    shell = Words("shell", lang)
    all_runs.model(ENDLESS, 4000, 0.0)
    named = {"compare": "run", "other": run_text(NOBODYS), "other_step": "20"}
    app = open_link("heads", lang=lang, **named)
    assert not app.exception
    said = [info.value for info in app.info]
    wanted = and_wait(shell("compare_awaited"), Eta(1), lang)[:-1]
    assert [text for text in said if text.startswith(wanted)]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_lab_says_it_too(open_link: Open, lang: str) -> None:
    shell = Words("shell", lang)
    all_runs.start(ENDLESS)
    app = open_link("scaling", lang=lang, open="run", run_seed="7")  # which nobody has trained
    starts = [button for button in app.button if button.key == "scaling.start"]
    starts[0].click().run()
    assert not app.exception
    (bar,) = bars(app)
    assert bar.text.startswith(and_wait(shell("pair.running", share="0%"), Eta(2), lang)[:-1])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_run_for_which_the_cluster_has_no_processor_says_so_and_one_at_work_where_it_is(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    say = Words("training", lang)
    app = press(open_link("training", lang=lang, **SMALL), say("start"))
    records = all_runs._records.values()
    (run,) = (
        record.snapshot.run for record in records if (record.snapshot.config, record.purpose) == (CONFIG, "reports")
    )
    done = all_runs.wait(run, lambda seen: not seen.active, AGES)
    assert done is not None
    all_runs._records[run].snapshot = replace(done, place="node-7")
    app.run()
    assert say("place", place="node-7") in [caption.value for caption in app.caption]
    all_runs._records[run].snapshot = replace(done, state="queued", step=0, place="")
    app.run()
    (bar,) = bars(app)
    assert bar.text == say("state.queued")
    can = {button.label: not button.disabled for button in app.button}
    assert (can[say("stop")], can[say("pause")]) == (True, False)
    assert not [caption for caption in app.caption if "node-7" in caption.value]


@in_turn("trouble", ["away", "versions"])
def test_a_page_says_that_the_cluster_does_not_train(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, lang: str, trouble: str
) -> None:
    told = Words("training", lang)(f"cluster.{trouble}")
    assert told not in [caption.value for caption in open_link("training", lang=lang, **SMALL).caption]
    monkeypatch.setattr(type(all_runs.engine), "trouble", trouble)
    assert told in [caption.value for caption in open_link("training", lang=lang, **SMALL).caption]
