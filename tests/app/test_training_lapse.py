"""What a run says of itself once it is over: in one sentence, on a dial, and as a time-lapse on the client."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import boards, does, payload
from tests.app.conftest import Open
from tests.app.test_own_pairs import PEOPLE
from tests.app.test_stories import beyond
from tests.app.test_training import SMALL, look_back, press, resting, say, until
from transformer_core.tasks.kinds import KINDS
from transformer_core.tasks.pair_lines import read_pairs
from transformer_core.train import train
from transformer_core.training.block_gradients import blocks_of
from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import guess_of
from transformer_core.training.history import EMPTY, History
from transformer_core.training.probing import embedded_of, watched_of
from ui.chapters.shared.model_program import config_source
from ui.chapters.training.figures.space import Points, plane, principal
from ui.chapters.training.lapse.embedded import PROGRAM
from ui.chapters.training.lapse.lapse import SCENE, SECONDS
from ui.chapters.training.lapse.values import NARROW, WIDE, LapseLayout, LapseValues
from ui.chapters.training.recipe import Recipe, config_of
from ui.chapters.training.values import about, below_since, best_aligned, matched_at, reference_of
from ui.figures.actors import Box, Cloud, Curve, Grid, Word, message
from ui.figures.large import large_curves
from ui.inputs.gloss import glosses_for
from ui.model.run_link import run_text
from ui.text import LANGUAGES, Words
from ui.theme import MODES, Mode

NAN = float("nan")
TINY = TrainConfig(vocab=7, length=6, N=2, d_model=8, h=2, batch=4, steps=20)
RUNS = {
    "numbers": TINY,
    "english": TrainConfig.of_task("translate", "en-zh", d_model=8, h=2, batch=4, steps=30),
    "chinese": TrainConfig.of_task("translate", "zh-en", d_model=8, h=2, batch=4, steps=10),
    "letters": TrainConfig.of_task("sort", d_model=8, h=4, batch=4, steps=10),
    "pairs": TrainConfig.of_task("pairs", pairs=read_pairs(PEOPLE).pairs.text, d_model=8, h=2, batch=4, N=1, steps=10),
}


@cache
def recorded(name: str) -> History:
    return History.of(list(train(RUNS[name])))


def values(name: str, lang: str = "en", history: History | None = None) -> LapseValues:
    config = RUNS[name]
    glosses = glosses_for(lang, *config.vocabularies)
    return LapseValues(Words("training", lang), config, history or recorded(name), glosses)


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
        f"*This run up to step 3*: {guess}; measure words reached 90% right first, at step 2; "
        "25.0% of the sequences are completely right at step 2."
    )
    early = told(config, history, 1)
    assert "the loss is 8, not below guessing" in early
    assert "no kind of word 90% right" in early


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", RUNS)
def test_there_is_a_sentence_about_every_run_at_every_step(name: str, lang: str) -> None:
    config, history = RUNS[name], recorded(name)
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


@pytest.mark.parametrize("places", [WIDE, NARROW])
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", RUNS)
def test_each_moment_is_a_record_with_the_numbers_of_that_step(name: str, lang: str, places: LapseLayout) -> None:
    config, history, v = RUNS[name], recorded(name), values(name, lang)
    scene = SCENE.tell(v, places.stage)
    assert beyond(scene.beats, places.stage) == []
    assert len(scene.beats) == len(history.probe_step)
    reference = reference_of(config)
    layer, head, _ = best_aligned(history.cross_attention[-1], reference)
    for record, beat in enumerate(scene.beats):
        report = int(np.searchsorted(history.step, history.probe_step[record]))
        actors = {actor.name: actor for actor in beat.actors}
        weights = history.cross_attention[record, layer, head].astype(float)
        map_: Any = actors["map"]
        assert isinstance(map_, Grid)
        np.testing.assert_allclose(map_.values, weights, atol=5e-4)
        assert map_.ends == (0, 1)
        numbers: dict[str, Any] = dict(actors)
        assert numbers["weight"].value == history.weight[report]
        assert numbers["loss"].value == history.loss[report]
        assert numbers["step"].value == history.probe_step[record]
        assert numbers["gradient"].value == history.gradient_norm[report]
        measured = matched_at(history, int(history.probe_step[record]))
        assert numbers["match"].value == pytest.approx(100 * measured[1] if measured else 0)
        assert ("aligned" in actors) == bool(reference.any()), "nobody has said what is right of a reader's own pairs"
        if reference.any():
            looked_for = (weights * reference).sum(1)[reference.any(1)].mean()
            assert numbers["aligned"].value == pytest.approx(100 * looked_for)


@pytest.mark.parametrize("name", RUNS)
def test_every_watched_sentence_stands_there_word_by_word(name: str) -> None:
    config, history = RUNS[name], recorded(name)
    beats = SCENE.tell(values(name), WIDE.stage).beats
    for record, beat in enumerate(beats):
        for pair, source in enumerate(watched_of(config)):
            assert named(beat.actors, f"source {pair}").text == config.vocabularies[0].text(source)
            for place, wanted in enumerate((config.answer(source) or ())[1:]):
                word, chosen = named(beat.actors, f"word {pair}.{place}"), int(history.choices[record, pair, place])
                assert isinstance(word, Word)
                assert word.text == config.vocabularies[1].every[chosen]
                assert word.color == ("right" if chosen == wanted else "wrong")


def test_a_curve_is_drawn_up_to_the_moment_and_ends_there_in_its_dot() -> None:
    beats = SCENE.tell(values("numbers"), WIDE.stage).beats
    steps = recorded("numbers").probe_step
    for now, beat in enumerate(beats):
        curve, match, dot = (named(beat.actors, f"loss {what}") for what in ("curve", "curve", "dot"))
        assert isinstance(curve, Curve)
        points = np.asarray(curve.points)
        np.testing.assert_allclose((dot.x - curve.x, dot.y - curve.y), points[now])
        assert curve.until == pytest.approx(points[now, 0])
        match = named(beat.actors, "match curve")
        assert match.until == curve.until
        assert (np.diff(points[:, 0]) > 0).all()
        assert curve.until / points[-1, 0] == pytest.approx(steps[now] / steps[-1])


@pytest.mark.parametrize("name", RUNS)
def test_the_bars_are_the_gradients_of_all_blocks_on_one_scale(name: str) -> None:
    config, history = RUNS[name], recorded(name)
    beats, blocks = SCENE.tell(values(name), WIDE.stage).beats, blocks_of(RUNS[name])
    heights = np.array([[named(beat.actors, f"bar {block}").height for block in blocks] for beat in beats])
    norms = history.block_norms.astype(float)
    assert not heights[0].any(), "before the first update there is no gradient"
    logs = np.log10(norms[1:])
    unit = np.ptp(heights[1:]) / np.ptp(logs)  # of one power of ten
    np.testing.assert_allclose(heights[1:] - heights[1, 0], unit * (logs - logs[0, 0]), atol=1e-6)
    bars = [bar for beat in beats for bar in beat.actors if isinstance(bar, Box) and bar.name.startswith("bar ")]
    assert len(bars) == heights.size
    assert len({round(bar.y + bar.height, 6) for bar in bars}) == 1
    assert {blocks[at].partition(".")[0] for at in range(len(blocks))} == {
        "src_embed", "encoder", "tgt_embed", "decoder", "generator",
    }, config.task  # fmt: skip


@pytest.mark.parametrize("places", [WIDE, NARROW])
@pytest.mark.parametrize("name", RUNS)
def test_embeddings_lie_where_one_projection_puts_them_at_every_moment(name: str, places: LapseLayout) -> None:
    config, history, v = RUNS[name], recorded(name), values(name)
    beats = SCENE.tell(v, places.stage).beats
    upright = places is WIDE  # then the wider axis runs along the longer side
    tokens, projected = embedded_of(config), principal(history.embedded[-1], 2).of(history.embedded)
    assert v.tokens == [config.vocabularies[0].every[token] for token in tokens]
    for record, beat in enumerate(beats):
        found: dict[str, Any] = {}
        for actor in beat.actors:
            if isinstance(actor, Cloud):
                found |= dict(zip(actor.texts, np.asarray(actor.points), strict=True))
        assert found.keys() == set(v.tokens)
        shown = np.array([found[text] for text in v.tokens]) * (1, -1)
        wanted = projected[record][:, ::-1] if upright else projected[record]
        unit = np.abs(shown).max() / np.abs(wanted).max()
        np.testing.assert_allclose(shown, unit * wanted, atol=0.2)
        told = 100 * principal(history.embedded[-1], 2).share(history.embedded[record])
        assert named(beat.actors, "share").value == pytest.approx(told)


@pytest.mark.parametrize("places", [WIDE, NARROW])
@pytest.mark.parametrize(("letters", "turned"), [("אבגד", True), ("abcd", False)])
def test_sentences_are_read_in_the_direction_of_their_script(letters: str, turned: bool, places: LapseLayout) -> None:
    lines = "\n".join(f"{n} {n % 3} {n % 4}\t{letters[n % 4]} {letters[n % 3]} {letters[n % 2]}" for n in range(20))
    config = TrainConfig.of_task("pairs", pairs=read_pairs(lines, "words").pairs.text, d_model=8, h=2, batch=4, steps=5)
    v = LapseValues(Words("training", "en"), config, History.of(list(train(config))), {})
    for beat in SCENE.tell(v, places.stage).beats:
        words = [actor for actor in beat.actors if actor.name.startswith("word 0.")]
        assert len(words) == 4
        assert sorted(words, key=lambda word: word.x, reverse=turned) == words
        assert {word.y for word in words} == {words[0].y}


def test_the_message_says_of_who_stays_only_what_is_another() -> None:
    beats = SCENE.tell(values("english"), WIDE.stage).beats
    first, *later = message(beats)
    there = {actor["name"]: actor for actor in first["actors"]}
    for told, beat in zip(later, beats[1:], strict=True):
        assert not told["gone"]
        for actor in told["actors"]:
            before = there[actor["name"]]
            if "kind" in actor:
                assert before.keys() - actor.keys() == {"gloss"}, "whole is only who has no gloss any longer"
                before = {}
            else:
                assert not [field for field in actor.keys() - {"name"} if before.get(field) == actor[field]]
            there[actor["name"]] = before | actor
        assert [*there.values()] == message([beat])[0]["actors"], "and that is all that is another"
        curve = next(actor for actor in told["actors"] if actor["name"] == "loss curve")
        assert curve.keys() == {"name", "until"}


def test_a_long_run_is_told_in_eight_seconds_with_all_its_records() -> None:
    config = replace(TINY, N=1, batch=1, steps=400)
    history = History.of(list(train(config)))
    beats = SCENE.tell(LapseValues(say, config, history, {}), WIDE.stage).beats
    assert len(beats) == len(history.probe_step) > 80
    assert sum(beat.glide + beat.rest for beat in beats[1:]) == pytest.approx(SECONDS)


def lapsing(app: AppTest) -> bool:
    return "training.at" in boards(app)


def labels(app: AppTest) -> dict[str, bool]:
    return {button.label: button.disabled for button in app.button}


def told_of(app: AppTest) -> dict[str, Any]:
    return payload(app, "training.at")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_run_at_rest_has_a_time_lapse_that_the_client_goes_through(open_link: Open, lang: str) -> None:
    speak = Words("training", lang)
    app = open_link("training", open="", lang=lang, **SMALL)
    (button,) = [button for button in app.button if button.label == speak("replay.name")]
    assert button.disabled, "there is nothing to tell yet"
    (start,) = [button for button in app.button if button.label == speak("start")]
    start.click().run()
    until(app, lambda app: not labels(app).get(speak("replay.name"), True))
    (button,) = [button for button in app.button if button.label == speak("replay.name")]
    button.click().run()
    assert not app.exception
    assert app.query_params["replay"] == "1"
    sent = told_of(app)
    assert sent["cue"] < 0, "it begins by itself"
    assert sent["stops"][0] == 0
    assert sent["stops"][-1] == 20
    (scene,) = json.loads(sent["scenes"])
    assert len(scene["wide"]) == len(scene["narrow"]) == len(sent["stops"])
    assert sent["words"]["moment"] == speak("lapse.moment")
    does(app, "training.at", "moment", sent["stops"].index(10))
    assert app.query_params["at"] == "10"
    assert told_of(app)["scenes"] == sent["scenes"]
    use = [button for button in app.button if button.label == speak("use", step=10)]
    use[0].click().run()
    assert app.session_state["settings"]["frame"].step == 10
    assert "10" in app.sidebar.caption[-1].value
    assert lapsing(app), "and the time-lapse stays where it is"


def test_it_is_closed_by_its_button_and_by_a_new_run(open_link: Open) -> None:
    app = until(press(open_link("training", open="", lang="en", **SMALL), "start"), resting)
    press(app, "replay.name")
    does(app, "training.at", "take", 0)
    assert not lapsing(app)
    assert "replay" not in app.query_params
    press(app, "replay.name")
    press(app, "anew")
    assert not lapsing(app), "a new run is looked at as it is"
    look_back(until(app, resting), 10)


def test_a_link_to_a_moment_stands_there_and_does_not_play(open_link: Open) -> None:
    run = run_text(config_of(Recipe.from_query(SMALL)))
    sent = told_of(until(open_link("training", model="run", run=run, at="10", replay="1", **SMALL), lapsing))
    assert sent["stops"][sent["cue"]] == 10


def test_what_no_slider_says_moves_nothing(open_link: Open) -> None:
    app = until(press(open_link("training", only="run", lang="en", **SMALL), "start"), resting)
    press(app, "replay.name")
    for value in (True, -1, 10**6, "3", None, 1.5, [0]):
        does(app, "training.at", "moment", value)
        assert not app.exception
        assert "at" not in app.query_params, value


def test_the_embeddings_are_seen_in_a_plane_and_large_in_space_on_axes_that_stay(open_link: Open) -> None:
    app = until(press(open_link("training", open="", lang="en", **SMALL), "start"), resting)
    press(app, "replay.name")
    ends = []
    for step in (0, 20):
        does(app, "training.at", "moment", told_of(app)["stops"].index(step))
        option = json.loads(next(e.proto.spec for e in app.get("echarts_chart") if "embedded" in e.proto.id))
        ends.append([option[axis]["max"] for axis in ("xAxis", "yAxis")])
    assert ends[0] == ends[1]
    assert any("of their variance; the three axes" in text.value for text in app.markdown)


@pytest.mark.parametrize(("name", "step"), [("numbers", 10), ("english", 30)])
def test_the_program_under_the_embeddings_leaves_the_numbers_of_the_figure(name: str, step: int) -> None:
    config, history = RUNS[name], recorded(name)
    left: dict[str, Any] = {}
    last = int(history.probe_step[-1])
    exec(PROGRAM.format(run=config_source(config), at=step, last=last, axes=3), left)
    record = history.probe_step.tolist().index(step)
    np.testing.assert_allclose(
        left["shown"], principal(history.embedded[-1], 3).of(history.embedded[record]), atol=1e-6
    )


@pytest.mark.parametrize("mode", MODES)
def test_in_space_are_the_same_points_with_their_names(mode: Mode) -> None:
    v = values("english")
    points = principal(v.history.embedded[-1], 3).of(v.history.embedded[3])
    drawn = plane(Points(points, np.array([3.0, 2.0, 1.0]), v.tokens, v.watched, ("ours", "others"), ("a", "b", "c")))
    (plot,) = large_curves(drawn, mode)
    assert {trace["type"] for trace in plot.data} == {"scatter3d"}
    found = {
        text: at for trace in plot.data for text, at in zip(trace["text"], zip(trace["x"], trace["y"], trace["z"]))
    }
    assert found == {text: tuple(at) for text, at in zip(v.tokens, points)}
    scene = plot.layout["scene"]
    assert [scene[f"{axis}axis"]["title"]["text"] for axis in "xyz"] == ["a", "b", "c"]
    assert all(scene[f"{axis}axis"]["range"][0] == -scene[f"{axis}axis"]["range"][1] for axis in "xyz")
    assert plot.figure().to_dict()["data"]


def dials(app: AppTest) -> list[str]:
    return [html.body.partition("one-weight")[2] for html in app.get("html") if 'class="one-weight"' in html.body]


def test_the_dial_shows_the_weight_of_the_step_that_is_looked_at(open_link: Open) -> None:
    app = until(press(open_link("training", open="", lang="en", **SMALL), "start"), resting)
    (last,) = dials(app)
    (first,) = dials(look_back(app, 0))
    assert last != first
    assert "decoder.layers.0.src_attn.linears.0.weight" in first


def recipe(app: AppTest) -> str:
    (body,) = [html.body for html in app.get("html") if html.body.startswith('<p class="recipe">')]
    return body.removeprefix('<p class="recipe">').removesuffix("</p>")


def test_the_settings_are_folded_under_a_line_that_says_them(open_link: Open) -> None:
    app = open_link("training", open="", lang="en", **SMALL)
    (folded,) = [one for one in app.expander if one.label == say("settings")]
    assert not folded.proto.expanded
    assert recipe(app) == "N 1 · h 2 · d_model 8 · batch 4 · rate 0.0015 · steps 20 · seed 0"
    app.number_input(key="training:steps").set_value(30).run()
    assert "steps 30" in recipe(app)
