"""What a run says of itself once it is over: in one sentence, on a dial, and told once more on the client."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import boards
from tests.app.conftest import Open
from tests.app.test_stories import beyond
from tests.app.test_training import SMALL, drag, press, resting, say, until
from transformer_core.tasks.kinds import KINDS
from transformer_core.train import train
from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import guess_of
from transformer_core.training.history import EMPTY, History
from transformer_core.training.probing import probe_of
from ui.chapters.training.replay import MOMENTS, REPLAY, SECONDS, Values
from ui.chapters.training.telling import about
from ui.chapters.training.values import below_since, best_aligned, matched_at, reference_of
from ui.figures.actors import NARROW, WIDE, Curve, Grid, Word
from ui.reading.gloss import glosses_for
from ui.text import LANGUAGES, Words

NAN = float("nan")
TINY = TrainConfig(vocab=7, length=6, N=2, d_model=8, h=2, batch=4, steps=20)
RUNS = {
    "numbers": TINY,
    "english": TrainConfig.of_task("translate", "en-zh", d_model=8, h=2, batch=4, steps=30),
    "chinese": TrainConfig.of_task("translate", "zh-en", d_model=8, h=2, batch=4, steps=10),
    "letters": TrainConfig.of_task("sort", d_model=8, h=4, batch=4, steps=10),
}
RECORDED = {name: History.of(list(train(config))) for name, config in RUNS.items()}


def values(name: str, lang: str = "en", history: History | None = None) -> Values:
    config = RUNS[name]
    glosses = glosses_for(lang, *config.vocabularies)
    return Values(Words("training", lang), config, history or RECORDED[name], glosses)


def losses(*loss: float, **more: Any) -> History:
    return EMPTY._replace(step=np.arange(len(loss)), loss=np.array(loss, np.float32), **more)


@pytest.mark.parametrize(
    ("loss", "at", "since"),
    [
        ((3.0, 2.5, 2.0, 1.0), 3, 2),
        ((3.0, 2.0, 2.5, 1.0), 3, 3),
        ((3.0, 2.0, 2.5, 1.0), 1, 1),
        ((3.0, 2.0, 1.0, 2.3), 3, None),
        ((1.0, 1.0), 1, 0),
        ((3.0,), 0, None),
    ],
)
def test_the_loss_is_below_guessing_from_the_step_after_it_was_not_for_the_last_time(
    loss: tuple[float, ...], at: int, since: int | None
) -> None:
    assert below_since(losses(*loss), 2.3, at) == since


def test_the_match_that_is_told_is_the_last_one_measured_by_then() -> None:
    history = losses(1, 1, 1, 1, exact_match=np.array([0, NAN, 0.5, NAN]))
    assert [matched_at(history, at) for at in range(4)] == [(0, 0), (0, 0), (2, 0.5), (2, 0.5)]
    assert matched_at(losses(1, exact_match=np.array([NAN])), 0) is None


def told(config: TrainConfig, history: History, at: int, lang: str = "en") -> str:
    text = Words("training", lang)
    return text("story.replay", **about(text, config, history, at))


def test_the_sentence_about_a_run_says_what_came_when() -> None:
    config = RUNS["english"]
    shares = {f"right_{kind}": np.array([0, NAN, 0.5, 0.95]) for kind in KINDS}
    shares["right_measures"] = np.array([0, NAN, 0.9, 1.0])
    history = losses(9, 8, 1, 1, exact_match=np.array([0, NAN, 0.25, NAN]), **shares)
    guess = say("about.below", guess="4.14", since=2)
    assert told(config, history, 3) == (
        f"*This run up to step 3*: {guess}; measure words were the first to be 90% right, at step 2; "
        "25.0% of sequences right to the last token at step 2."
    )
    early = told(config, history, 1)
    assert "loss 8, not below guessing" in early
    assert "no kind of word 90% right" in early


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", RUNS)
def test_there_is_a_sentence_about_every_run_at_every_step(name: str, lang: str) -> None:
    config, history = RUNS[name], RECORDED[name]
    for at in history.step.tolist():
        text = told(config, history, at, lang)
        assert "{{" not in text
        assert len(text.split()) <= 40
        above, none = {"en": ("not below guessing", "no kind of word"), "zh": ("没有低于", "没有哪类词")}[lang]
        assert (above in text) is not bool(history.loss[at] < guess_of(config))
        assert none not in text or config.task == "translate"


def named(actors: Any, name: str) -> Any:
    (one,) = (actor for actor in actors if actor.name == name)
    return one


@pytest.mark.parametrize("stage", [WIDE, NARROW])
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", RUNS)
def test_the_replay_is_told_from_what_the_run_has_recorded(name: str, lang: str, stage: Any) -> None:
    config, history, v = RUNS[name], RECORDED[name], values(name, lang)
    scene = REPLAY.tell(v, stage)
    assert beyond(scene.beats, stage) == []
    assert len(scene.beats) == len(v.records) == min(MOMENTS, len(history.probe_step))
    answer = config.answer(probe_of(config)) or ()
    layer, head, _ = best_aligned(history.cross_attention[-1], reference_of(config))
    for record, report, beat in zip(v.records, v.at, scene.beats, strict=True):
        map_ = named(beat.actors, "map")
        assert isinstance(map_, Grid)
        np.testing.assert_array_equal(map_.values, history.cross_attention[record, layer, head])
        assert map_.ends == (0, 1)
        assert named(beat.actors, "weight").value == history.weight[report]
        assert named(beat.actors, "loss").value == history.loss[report]
        assert named(beat.actors, "step").value == history.probe_step[record]
        for place, wanted in enumerate(answer[1:]):
            word, chosen = named(beat.actors, f"word {place}"), int(history.choices[record, 0, place])
            assert isinstance(word, Word)
            assert word.text == config.vocabularies[1].every[chosen]
            assert word.color == ("right" if chosen == wanted else "wrong")


def test_the_curve_of_the_loss_keeps_its_points_so_that_it_grows() -> None:
    scene = REPLAY.tell(values("numbers"), WIDE)
    curves = [named(beat.actors, "loss curve") for beat in scene.beats]
    assert all(isinstance(curve, Curve) for curve in curves)
    last = np.asarray(curves[-1].points)
    for now, (curve, beat) in enumerate(zip(curves, scene.beats)):
        points, dot = np.asarray(curve.points), named(beat.actors, "loss dot")
        np.testing.assert_array_equal(points[: now + 1], last[: now + 1])
        assert (points[now:] == points[now]).all()
        np.testing.assert_allclose((dot.x - curve.x, dot.y - curve.y), points[now])


def test_a_long_run_is_told_in_five_seconds_from_its_first_record_to_its_last() -> None:
    config = replace(TINY, steps=400)
    history = History.of(list(train(config)))
    v = Values(say, config, history, {})
    beats = REPLAY.tell(v, WIDE).beats
    assert len(history.probe_step) > len(beats) == MOMENTS
    assert (v.records[0], v.records[-1]) == (0, len(history.probe_step) - 1)
    assert sum(beat.glide + beat.rest for beat in beats[1:]) == pytest.approx(SECONDS)


def replayed(app: AppTest) -> bool:
    return "training.replay" in boards(app)


def labels(app: AppTest) -> dict[str, bool]:
    return {button.label: button.disabled for button in app.button}


def test_a_run_at_rest_can_be_replayed_and_left_again(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_link("training", lang="en", **SMALL)
    assert labels(app)[say("replay.name")], "there is nothing to tell yet"
    until(press(app, "start"), resting)
    press(app, "replay.name")
    assert app.query_params["replay"] == "1"
    assert replayed(app)
    assert "step 20" in " ".join(caption.value for caption in app.sidebar.caption)
    press(app, "replay.close")
    assert not replayed(app)
    assert "replay" not in app.query_params
    press(app, "replay.name")
    press(app, "anew")
    assert not replayed(app), "a new run is looked at as it is"
    drag(until(app, resting), monkeypatch, 10, done=True)


def dials(app: AppTest) -> list[str]:
    return [html.body.partition("one-weight")[2] for html in app.get("html") if 'class="one-weight"' in html.body]


def test_the_dial_shows_the_weight_of_the_step_that_is_looked_at(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = until(press(open_link("training", lang="en", **SMALL), "start"), resting)
    (last,) = dials(app)
    (first,) = dials(drag(app, monkeypatch, 0, done=True))
    assert last != first
    assert "decoder.layers.0.src_attn.linears.0.weight" in first


def recipe(app: AppTest) -> str:
    (body,) = [html.body for html in app.get("html") if html.body.startswith('<p class="recipe">')]
    return body.removeprefix('<p class="recipe">').removesuffix("</p>")


def test_the_settings_are_folded_under_a_line_that_says_them(open_link: Open) -> None:
    app = open_link("training", lang="en", **SMALL)
    (folded,) = [one for one in app.expander if one.label == say("settings")]
    assert not folded.proto.expanded
    assert recipe(app) == "N 1 · h 2 · d_model 8 · batch 4 · rate 0.0015 · steps 20 · seed 0"
    app.number_input(key="training:steps").set_value(30).run()
    assert "steps 30" in recipe(app)
