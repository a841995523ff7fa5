"""Drawings on the page: what a reader draws is in the link, the truth lies over it, and the difference has causes."""

import re
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.answers import right
from tests.app.boards import does, payload, press, written
from tests.app.conftest import Open, in_turn, look_again
from tests.core.test_drawing import LEARNED
from transformer_core.exercises.drawing import loss, rate, row, wave
from transformer_core.exercises.drawing.packed import FULL, even, packed, unpacked
from transformer_core.exercises.drawing.verdict import Cause
from transformer_core.exercises.worksheet.exercise import SEEDS
from transformer_core.training.config import TrainConfig
from ui.chapters.practice.drawing import loss as of_losses
from ui.chapters.practice.drawing.asked import TASKS
from ui.chapters.practice.drawing.section import ASKING
from ui.figures.number import number
from ui.text import LANGUAGES, Words, blanks, load
from ui.training_service.earlier_runs import EarlierRun

SHEET = "practice.drawing"
SENTENCE = {"model": "translate", "src": "I buy two red flowers every day"}
REFUSED = {"points": {"found": "100", "wanted": "9"}, "sum": {"found": "0.0%", "wanted": "100.0%"}}
QUICK = ("row", "wave", "rate")  # that need no training


@pytest.fixture
def open_link(open_link: Open) -> Open:
    """The section alone is open."""
    return partial(open_link, open="draw")


def link_says(app: AppTest, name: str) -> str:
    said = app.query_params.get(name, "")
    return said if isinstance(said, str) else said[0]


def shown(app: AppTest) -> dict[str, Any]:
    return payload(app, SHEET)


def put(app: AppTest, levels: object, number: object = 1) -> None:
    does(app, SHEET, "drawn", {"sheet": shown(app)["sheet"], "number": number, "levels": levels})
    assert not app.exception


def told(app: AppTest) -> list[str]:
    return [one.value for one in (*app.error, *app.success)]


def said(say: Words, verdict: str) -> str:
    """What is said of every drawing that is right, or wrong."""
    return say(f"draw.{verdict}", distance="").strip()


def levels_of(app: AppTest, values: np.ndarray) -> list[int]:
    """The drawing that comes nearest to these values."""
    message = shown(app)
    found = np.rint(FULL * (values - message["low"]) / (message["high"] - message["low"])).astype(int)
    if message["shared"]:
        found[found.argmax()] += FULL - found.sum()
    return [int(level) for level in found]


def truth_of(app: AppTest) -> np.ndarray:
    return np.array(shown(app)["truth"])


@in_turn("task", QUICK)
def test_what_is_drawn_is_run_and_the_truth_drawn_is_right(open_link: Open, task: str, lang: str) -> None:
    say = Words("practice", lang)
    app = open_link("practice", lang=lang, draw_task=task, **SENTENCE)
    assert not app.exception
    message = shown(app)
    assert (message["drawn"], message["truth"], message["first"]) == (None, None, None)
    assert message["words"]["truth"] == say(f"draw.{task}.truth")
    assert app.button(key="practice.draw.run").disabled
    put(app, message["blank"])
    assert link_says(app, "drawn") == packed(message["blank"])
    press(app, "practice.draw.run")
    assert [said(say, "wrong") in box for box in told(app)] == [True]
    put(app, levels_of(app, truth_of(app)), 2)
    assert told(app) == []  # until it is run, too
    assert shown(app)["truth"] is None
    press(app, "practice.draw.run")
    assert [said(say, "right") in box for box in told(app)] == [True]
    assert shown(app)["first"] == message["blank"]
    assert say("draw.first", told="").strip("。. ") in written(app)


def test_the_truth_is_what_the_core_and_the_model_compute(open_link: Open) -> None:
    of = wave.asked(7)
    drawing = packed([FULL // 2] * len(of.x))
    app = open_link("practice", draw_task="wave", draw_seed="7", drawn=drawing, drawn_run=drawing)
    assert truth_of(app).tolist() == pytest.approx(wave.code_of(*of).tolist())
    asked = rate.asked(7)
    drawing = packed([FULL // 2] * len(asked.x))
    app = open_link("practice", draw_task="rate", draw_seed="7", drawn=drawing, drawn_run=drawing)
    assert truth_of(app).tolist() == pytest.approx(rate.rates(*asked)[:, 1].tolist())


@pytest.mark.parametrize("seed", ["1", "4", "11"])
def test_a_row_of_attention_sums_to_one_and_its_bars_are_the_words(open_link: Open, seed: str) -> None:
    app = open_link("practice", lang="en", draw_seed=seed, **SENTENCE)
    put(app, shown(app)["blank"])
    press(app, "practice.draw.run")
    assert truth_of(app).sum() == pytest.approx(1, abs=1e-5)
    message = shown(app)
    assert len(message["names"]) == len(message["truth"]) == len(message["labels"])
    assert sum(message["blank"]) == FULL
    assert [link.proto.page for link in app.get("page_link") if link.proto.page] != []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_warm_up_is_told_by_name(open_link: Open, lang: str) -> None:
    of = rate.asked(1)
    falling = packed(np.linspace(FULL // 2, 0, len(of.x)).astype(int).tolist())
    app = open_link("practice", lang=lang, draw_task="rate", drawn=falling, drawn_run=falling)
    say = Words("practice", lang)
    assert say("draw.rate.cause.no_warmup", drawn=number(of.top / 2), warmup=of.warmup) in written(app)


@in_turn(
    ("said", "reason"),
    [("nan", "letters"), ("<b>", "letters"), ("zzzz", "letters"), ("00" * 100, "points"), ("00" * 9, "sum")],
)
def test_a_link_with_no_drawing_gets_a_sentence(open_link: Open, said: str, reason: str, lang: str) -> None:
    app = open_link("practice", lang=lang, drawn=said, drawn_run=said, drawn_first=said, **SENTENCE)
    assert not app.exception
    values = REFUSED.get(reason, {})
    assert Words("practice", lang)(f"draw.refused.{reason}", **values) in [box.value for box in app.warning]
    assert (shown(app)["drawn"], shown(app)["truth"]) == (None, None)
    assert app.button(key="practice.draw.run").disabled


SENT: list[Any] = [
    None, 7, [], {}, "0000", {"levels": [0] * 9}, {"sheet": "other", "number": 1, "levels": [0] * 9},
    {"sheet": True, "number": 2, "levels": [1e308] * 9}, {"sheet": True, "number": 2, "levels": [0] * 9},
    {"sheet": True, "number": "2", "levels": list(even(9))}, {"sheet": True, "number": 2, "levels": "111"},
    {"sheet": True, "number": 2, "levels": [FULL] + [0] * 900},
    {"sheet": True, "number": True, "levels": list(even(9))},
]  # fmt: skip


def test_what_no_browser_would_send_changes_nothing(open_link: Open) -> None:
    kept = packed(even(9))
    app = open_link("practice", lang="en", drawn=kept, **SENTENCE)
    for event in SENT:
        if isinstance(event, dict) and event.get("sheet") is True:
            event = event | {"sheet": shown(app)["sheet"]}
        does(app, SHEET, "drawn", event)
        assert not app.exception
        assert link_says(app, "drawn") == kept, event
        assert shown(app)["drawn"] == list(even(9)), event


def test_another_question_has_a_sheet_of_its_own_and_the_drawing_of_the_last_comes_back(open_link: Open) -> None:
    app = open_link("practice", lang="en", draw_task="wave")
    drawn = [0] * len(shown(app)["blank"])
    put(app, drawn)
    before = shown(app)["sheet"]
    press(app, "practice.draw.others")
    assert shown(app)["sheet"] != before
    assert (shown(app)["drawn"], link_says(app, "drawn")) == (None, "")
    app.number_input(key="practice:draw_seed").set_value(1).run()
    assert shown(app)["drawn"] == drawn
    app.button_group(key="practice:draw_task").set_value("rate").run()
    assert not app.exception
    assert shown(app)["drawn"] is None
    app.button_group(key="practice:draw_task").set_value("wave").run()
    assert shown(app)["drawn"] == drawn
    press(app, "practice.draw.again")
    assert (shown(app)["drawn"], told(app)) == (None, [])


def test_other_numbers_are_never_the_same_ones(open_link: Open) -> None:
    """Seeds 3 and 4 ask for the same wave."""
    assert wave.asked(3) == wave.asked(4)
    app = open_link("practice", draw_task="wave", draw_seed="3")
    press(app, "practice.draw.others")
    assert link_says(app, "draw_seed") == "5"
    last = open_link("practice", draw_task="rate", draw_seed=str(SEEDS))
    press(last, "practice.draw.others")
    assert last.number_input(key="practice:draw_seed").value == 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_seed_of_ten_digits_gets_a_sentence_and_nothing_is_lost(open_link: Open, lang: str) -> None:
    app = open_link("practice", open="draw", lang=lang, draw_task="rate")
    put(app, [0] * 21)
    app.number_input(key="practice:draw_seed").set_value(1_234_567_890).run()
    assert len(app.warning) == 1
    assert shown(app)["drawn"] == [0] * 21


@pytest.mark.parametrize("model", ["trained", "fresh", "fresh_translate"])
@pytest.mark.parametrize("src", ["", "nonsense!", "1 2"])
def test_any_model_has_a_row_to_draw_whatever_is_typed(open_link: Open, model: str, src: str) -> None:
    app = open_link("practice", lang="en", open="draw", model=model, src=src)
    assert not app.exception
    put(app, shown(app)["blank"])
    press(app, "practice.draw.run")
    assert len(told(app)) == 1


def test_a_run_with_one_head_has_a_row_too(open_link: Open) -> None:
    run = "d_model:8,h:1,steps:2,batch:2,seed:0"
    app = open_link("practice", lang="en", open="draw", model="run", run=run, src="1 3 2 5")
    assert not app.exception
    assert "head 0" in written(app)


def test_in_one_word_there_is_nothing_to_share_out(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row, "asked", lambda every, seed: None)
    app = open_link("practice", lang="en", open="draw")
    assert not app.exception
    assert Words("practice", "en")("draw.row.alone") in [box.value for box in app.info]


def test_a_loss_is_trained_once_it_is_drawn_and_laid_over_the_drawing(open_link: Open) -> None:
    lang = "zh"
    app = open_link("practice", open="draw", lang=lang, draw_task="loss", draw_seed=str(seed_of("plain")))
    assert not app.exception
    put(app, levels_of(app, LEARNED))
    press(app, "practice.draw.run")
    look_again(app)
    assert len(told(app)) == 1
    assert truth_of(app).shape == (loss.PARTS + 1,)
    assert truth_of(app)[0] > 2
    say = Words("practice", lang)
    assert re.sub(r"\{\{.*", "", load("practice")["draw.loss.distance"][lang]) in told(app)[0]
    assert say("draw.loss.truth") == shown(app)["words"]["truth"]
    assert app.query_params["draw_task"] == "loss"


def seed_of(recipe: str) -> int:
    return next(seed for seed in range(1, 99) if loss.asked(seed)[0] == recipe)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_who_has_no_run_is_told_so_and_gets_one_of_the_apps(open_link: Open, lang: str) -> None:
    app = open_link("practice", open="draw", lang=lang, draw_task="loss", draw_own="1")
    assert not app.exception
    assert Words("practice", lang)("draw.loss.no_run") in [box.value for box in app.info]
    assert shown(app)["sheet"].startswith(f"loss.{loss.asked(1)[0]}")


def causes() -> dict[str, set[str]]:
    """The causes that each task can name."""
    return {
        "row": {"masked", "even", "itself", "elsewhere", "sharp", "blunt", "moved"},
        "wave": {
            *("flat", "swapped", "upside_down", "own_power", "twice_the_power", "turns", "halves", "late", "start"),
            *("no_wave", "fast", "slow", "low", "furthest"),
        },
        "rate": {"zero", "no_warmup", "stays", "rises", "early", "late", "high", "low", "to_zero", "furthest"},
        "loss": {"start", "rises", "below_floor", "hopeful", "doubtful", "straight", "early", "late", "furthest"},
    }


def test_every_cause_has_its_words_and_no_other_has() -> None:
    texts = load("practice")
    assert {*ASKING} == {*TASKS}
    for task, known in causes().items():
        told = {key.rpartition(".")[2] for key in texts if key.startswith(f"draw.{task}.cause.")}
        assert told == known


def test_the_words_of_a_cause_name_no_number_that_it_has_not() -> None:
    """Of those that the page has from elsewhere, a wave's pair, and of each key of a row its place."""
    texts = load("practice")
    for task, found in {
        "rate": rate_causes(),
        "wave": wave_causes(),
        "row": row_causes(),
        "loss": loss_causes(),
    }.items():
        for cause in found:
            known = {*cause.values, "pair", *(f"{name}_at" for name in cause.values)}
            assert blanks(texts[f"draw.{task}.cause.{cause.name}"]["en"]) <= known, cause.name


def rate_causes() -> list[Cause]:
    of = rate.asked(1)
    right = rate.rates(*of)[:, 1]
    drawings = [right * 0, right[::-1], right * 2, right / 2, np.full_like(right, of.top / 2), right**3 * 1e5]
    return [cause for drawn in drawings for cause in rate.judged(of, drawn).causes]


def wave_causes() -> list[Cause]:
    found = []
    for seed in range(1, 12):
        of = wave.asked(seed)
        drawings = [
            of.x * 0.0,
            np.sin(of.x / 2.0),
            np.cos(of.x / 3.0),
            0.5 * np.sin(of.x / 3.0),
            *wave.slips(of).values(),
        ]
        found += [cause for drawn in drawings for cause in wave.judged(of, drawn).causes]
    return found


def row_causes() -> list[Cause]:
    truth, every = np.array([0.1, 0.7, 0.2, 0]), np.array([True, True, True, False])
    drawings = [[0.25] * 4, [1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0.2, 0.5, 0.3, 0]]
    return [cause for drawn in drawings for cause in row.judged(np.array(drawn), truth, every, 0).causes]


def loss_causes() -> list[Cause]:
    _, config = loss.asked(seed_of("noise"))
    truth = np.maximum(LEARNED, 1.2)
    drawings = [truth * 0, truth[::-1], truth + 1, np.minimum(truth, np.linspace(2, 1, 21)), LEARNED]
    return [cause for drawn in drawings for cause in loss.judged(config, drawn, truth).causes]


def test_a_drawing_packed_in_a_link_is_as_long_as_a_setting_may_be() -> None:
    most = packed([FULL] * 42)  # the longest sentence that can be typed, with its symbols
    assert unpacked(most, 42) == (FULL,) * 42
    assert len(most) <= 400


@pytest.mark.parametrize("lang", LANGUAGES)
def test_ones_own_last_run_that_has_ended_is_drawn_and_laid_over_the_drawing(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    monkeypatch.setattr(of_losses, "session", lambda: Sitting((past(2.0), past(1.0, "running"), past(np.nan))))
    app = open_link("practice", open="draw", lang=lang, draw_task="loss", draw_own="1")
    assert not app.exception
    assert shown(app)["sheet"].startswith("loss.own.7.")
    put(app, shown(app)["blank"])
    press(app, "practice.draw.run")
    assert truth_of(app).tolist() == pytest.approx([2.0] * (loss.PARTS + 1))
    press(app, "practice.draw.recipe")
    assert shown(app)["sheet"].startswith(f"loss.{loss.asked(1)[0]}")
    press(app, "practice.draw.own")
    assert shown(app)["truth"] == pytest.approx([2.0] * (loss.PARTS + 1))


def test_the_sheet_of_a_run_that_exploded_has_few_rules(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    for level, most in ((2.0, "3"), (1584.9, "1500")):
        monkeypatch.setattr(of_losses, "session", lambda level=level: Sitting((past(level, "failed"),)))
        app = open_link("practice", open="draw", lang="en", draw_task="loss", draw_own="1")
        assert not app.exception
        rules = [written for _, written in shown(app)["grid"]]
        assert (rules[0], rules[-1]) == ("0", most)
        assert len(rules) < 8


class Sitting(NamedTuple):
    """A session with these runs behind it."""

    past: tuple[EarlierRun, ...]


def past(level: float, state: str = "done") -> EarlierRun:
    """A run of 40 updates whose loss stands still."""
    curve = np.stack([np.arange(41, dtype=np.float32), np.full(41, level, np.float32)])
    return EarlierRun(TrainConfig(steps=40, seed=7), state, "", 40, 1.0, None, curve, np.empty((2, 0), np.float32))


@pytest.mark.usefixtures("few_sequences")
@pytest.mark.parametrize(("chapter", "task"), [("attention", "row"), ("positions", "wave"), ("loss", "rate")])
def test_the_chapters_lead_to_the_sheet(open_link: Open, chapter: str, task: str) -> None:
    label = Words("shell", "en")("draw_one")
    app = open_link(chapter, open="all", lang="en", **right(chapter))
    (link,) = [one.proto for one in app.get("page_link") if one.proto.label == label]
    said = dict(parse_qsl(link.query_string))
    assert said.get("draw_task", "row") == task
    assert said["open"] == "draw"
    assert label not in [one.proto.label for one in open_link(chapter, only="story", **right(chapter)).get("page_link")]
