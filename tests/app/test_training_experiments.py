"""Experiments: asked first, then trained beside the recipe, then told; the runs before stay, race and are compared."""

from functools import cache
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import press
from tests.app.conftest import Open, in_turn
from tests.app.test_training import until
from transformer_core.train import train
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from transformer_core.training.settings import SETTINGS
from ui.chapters.training import experiments
from ui.chapters.training.experiments import EXPERIMENTS, QUESTIONS, Experiment, later
from ui.chapters.training.race import UNSAID, differing, ghosts, name_of
from ui.session import _sessions
from ui.text import LANGUAGES, Words, load
from ui.training_service.earlier_runs import EarlierRun, earlier_run_of
from ui.training_service.registry import Learned, Snapshot, learned_in

TINY = {"d_model": 8, "h": 2, "batch": 4, "steps": 20, "vocab": 7, "length": 6}
LINK = {name: str(value) for name, value in TINY.items()}
say = Words("training", "en")


# With seed 0 tied embeddings need 100 steps instead of 90, one look more: another processor may see no difference.
WITH_ROOM = {"tied": 4}  # 120 instead of 80


@cache
def trained(config: TrainConfig) -> EarlierRun:
    """Once for all experiments that change the same recipe."""
    history = History.of(list(train(config)))
    return earlier_run_of(
        Snapshot("run", config, "done", config.steps, history=history, learned=learned_in(history, 0.0))
    )


def once_half_is_right(*configs: TrainConfig) -> list[float]:
    """What share each of two runs has right once one of them has half; which needs more steps shows by then."""
    for both in zip(*map(train, configs)):
        shares = [report.exact_match or 0.0 for report in both]
        if max(shares) > 0.5:
            return shares
    raise AssertionError("neither learns")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_what_the_answer_says_comes_out(name: str) -> None:
    one = EXPERIMENTS[name]
    if one.borne_out is later:
        base, changed = once_half_is_right(*one.pair(seed=0))
        assert base > changed + 0.2
    else:
        assert one.borne_out(*map(trained, one.pair(seed=WITH_ROOM.get(name, 0))))


@pytest.mark.parametrize(
    ("steps", "answer"),
    [((80, 100), True), ((100, 80), False), ((80, 80), False), ((80, None), True), ((None, 80), False)],
)
def test_later_is_whoever_needs_more_steps_or_never_learns(steps: tuple[int | None, ...], answer: bool) -> None:
    runs = [
        Snapshot("run", TrainConfig(), "done", 145, learned=None if step is None else Learned(step, 0.0))
        for step in steps
    ]
    assert later(*map(earlier_run_of, runs)) is answer


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_has_one_right_answer_and_a_reason_for_every_other(name: str) -> None:
    texts, asked = load("training"), QUESTIONS[name]
    assert asked.right in asked.options
    wrong = {f"{asked.name}.wrong.{option}" for option in asked.options if option != asked.right}
    assert {f"{asked.name}.question", f"{asked.name}.right", *wrong} <= texts.keys()
    assert {f"{asked.name}.option.{option}" for option in asked.options} <= texts.keys()
    base, changed = EXPERIMENTS[name].pair(seed=3)
    assert base != changed
    assert (base.seed, changed.seed) == (3, 3)


def test_the_right_answers_of_experiments_do_not_stand_in_one_place() -> None:
    places = [asked.options.index(asked.right) for asked in QUESTIONS.values()]
    assert all(places.count(place) < 2 * len(places) / 3 for place in range(3))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_run_is_called_by_what_differs_from_its_recipe(lang: str) -> None:
    words = Words("training", lang)
    for task in ("copy", "reverse", "sort", "translate"):
        assert differing(words, TrainConfig.of_task(task)) == words("differs.nothing")
    config = TrainConfig.of_task("translate", "zh-en", noise=0.2, seed=7)
    said = " · ".join([words("differs.noise", value="0.2"), words("differs.seed", value="7")])
    assert name_of(words, config) == f"{words('direction_option.zh-en')} · {said}"


def test_every_setting_that_can_differ_has_its_words() -> None:
    assert {f"differs.{name}" for name in SETTINGS if name not in UNSAID} <= load("training").keys()


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """An experiment that takes no time, and whose answer is not borne out."""
    one = Experiment({"noise": 1.0}, EXPERIMENTS["look_ahead"].options, "cheat", lambda a, b: False, TINY)
    monkeypatch.setitem(experiments.EXPERIMENTS, "look_ahead", one)


def session() -> Any:
    (mine,) = _sessions.values()
    return mine


def over(_: AppTest) -> bool:
    mine = session()
    return mine.seen is not None and not mine.seen.going and not mine.racing


@pytest.mark.usefixtures("tiny")
@in_turn("reply", ["cheat", "both"])
def test_a_reply_starts_both_runs_and_is_told_about_when_they_have_ended(
    open_link: Open, lang: str, reply: str
) -> None:
    words = Words("training", lang)
    app = open_link("training", lang=lang)
    assert not session().past
    app.button_group(key="training:try_look_ahead").set_value(reply).run()
    assert not app.exception
    assert {past.config for past in session().past} <= set(EXPERIMENTS["look_ahead"].pair(seed=0))
    until(app, over)
    until(app, lambda app: bool(app.success or app.error))
    if reply == "cheat":
        assert any(words("try_look_ahead.right") in box.value for box in app.success)
    else:
        assert [box.value for box in app.error] == [words("try_look_ahead.wrong.both")]
    assert words("try.otherwise", seed=0) in [box.value for box in app.info]
    assert [past.config.noise for past in session().past] == [0.0, 1.0]
    table = next(text.value for text in app.markdown if text.value.startswith(f"| {words('runs.head.run')}"))
    assert len(table.splitlines()) == 4
    assert words("differs.noise", value="1") in table


@pytest.mark.usefixtures("tiny")
def test_a_reply_that_came_with_a_link_starts_nothing_by_itself(open_link: Open) -> None:
    app = open_link("training", lang="en", try_look_ahead="both")
    assert not session().own_runs
    assert not app.error, "nothing is told before it has been found out"
    until(press(app, "training.try.start"), over)
    until(app, lambda app: bool(app.error))


def test_earlier_runs_stay_race_and_are_compared(open_link: Open) -> None:
    app = open_link("training", lang="en", **LINK)
    for scale in (True, False):
        [start] = [button for button in app.button if button.label in (say("start"), say("anew"))]
        start.click().run()
        until(app, over)
        if scale:
            app = open_link("training", lang="en", scale="0", **LINK)
    assert [past.config.scale for past in session().past] == [True, False]
    app.run()
    press(app, "training.runs.race")
    assert session().beside is not None
    until(app, over)
    assert [past.config.scale for past in session().past] == [True, False]
    app.run()
    press(app, "training.runs.compare")
    frame = app.session_state["settings"]["frame"]
    assert (frame.compare, frame.other_step) == ("run", 20)
    assert "scale" not in frame.other
    press(app, "training.runs.take")
    assert app.session_state["settings"]["training"].scale


class Page:
    """As much of a chapter as the names of runs need."""

    say = say


def test_ghosts_are_the_other_runs_of_the_same_task_and_the_rival_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    from ui.chapters.training import race as module

    configs = [TrainConfig(seed=seed) for seed in range(3)]
    pasts = [earlier_run_of(Snapshot("run", config, "done", 1)) for config in configs]
    other = earlier_run_of(Snapshot("run", TrainConfig.of_task("reverse"), "done", 1))

    class Mine:
        past = (*pasts, other)
        beside = Snapshot("rival", configs[1])

    monkeypatch.setattr(module, "session", Mine)
    chapter: Any = Page()
    found = ghosts(chapter, configs[2])
    assert [(ghost.name[:2], ghost.rival) for ghost in found] == [("1:", False), ("2:", True)]
