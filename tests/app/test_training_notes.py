"""The run of the lecture notes in the chapter: its rates to choose from, and their lines beside the run's own."""

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import written
from tests.app.conftest import Open
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import EMPTY, History
from transformer_core.training.notes_run import LOSSES, SEQUENCE, begins_as_notes, printed_steps
from transformer_core.training.recipes import NOTES_RATES
from ui.chapters.training import notes
from ui.chapters.training.recipe import Recipe, config_of, settings_of
from ui.figures.figure import Figure
from ui.text import LANGUAGES, Words

NOTES = TrainConfig.notes(eval_updates=True)


def link(config: TrainConfig) -> dict[str, str]:
    return Recipe(**settings_of(config)).to_query()


def of(app: AppTest) -> TrainConfig:
    return config_of(app.session_state["settings"]["training"])


@pytest.mark.usefixtures("small_look")
@pytest.mark.parametrize(("lang", "eval_updates"), [*zip(LANGUAGES, (True, False), strict=True)])
def test_each_rate_can_be_chosen_and_the_one_that_is_has_its_mark(
    open_link: Open, lang: str, eval_updates: bool
) -> None:
    app = open_link("training", only="run", lang=lang, **link(TrainConfig.notes(eval_updates)))
    for name, (factor, warmup) in NOTES_RATES.items():
        button = app.button(key=f"training.rate.{name}")
        assert button.label == Words("training", lang)(f"notes.rate.{name}", factor=f"{factor:g}", warmup=warmup)
        button.click().run()
        assert not app.exception
        assert of(app) == TrainConfig.notes(eval_updates, rate=name)
        marked = [other for other in NOTES_RATES if app.button(key=f"training.rate.{other}").proto.icon]
        assert marked == [name]


def test_an_old_link_to_the_notes_run_still_means_the_rate_that_it_says() -> None:
    old = TrainConfig.notes(eval_updates=True, rate="quick")
    query = link(old)
    assert (query["factor"], query["warmup"]) == ("1", "400"), "neither is what an unsaid one means"
    assert config_of(Recipe.from_query(query)) == old
    for name in ("factor", "warmup"):
        assert name in link(NOTES)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_longer_run_that_is_named_can_be_trained_here(lang: str) -> None:
    said = Words("training", lang)("again.notes")
    found = re.search(r"(\d+) steps, with (\d+) seq|(\d+) 步、每步 (\d+) 条序列", said)
    assert found
    steps, batch = (int(number) for number in found.groups() if number)
    config = replace(TrainConfig.notes(rate="quick"), steps=steps, batch=batch)
    assert (config.factor, config.warmup, config.steps) == (1.0, 400, 400)


@pytest.mark.usefixtures("small_look")
def test_the_lines_stand_with_the_notes_run_and_with_no_other(open_link: Open) -> None:
    for config, there in ((NOTES, True), (TrainConfig.notes(), False), (TrainConfig(), False)):
        text = written(open_link("training", only="run", lang="en", **link(config)))
        assert ("The notes' twenty lines." in text) is there
        assert ("1.0.3 and 1.0.4" in text) is there


def history(steps: int) -> History:
    """Reports 0…steps, whose loss is a hundredth of the step, and whose speed grows with it."""
    step = np.arange(steps + 1, dtype=np.int32)
    speed = (1000 + step).astype(np.float32)
    return EMPTY._replace(step=step, loss=(step / 100).astype(np.float32), tokens_per_second=speed)


@pytest.mark.parametrize(("at", "lines"), [(1, 0), (2, 1), (30, 3), (250, 20)])
def test_beside_each_line_of_the_notes_stands_the_same_step_of_the_run(
    monkeypatch: pytest.MonkeyPatch, at: int, lines: int
) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(notes, "show", lambda chapter, figure: drawn.append(figure))
    said: dict[str, str] = {}

    class Page:
        settings = Recipe()
        say = Words("training", "en")

        def write(self, key: str, **values: str) -> None:
            said[key] = self.say(key, **values)

    notes.printed(Page(), NOTES, history(250), at)  # type: ignore[arg-type]
    (figure,) = drawn
    data = figure.data
    np.testing.assert_array_equal(data[:, 0], printed_steps())
    np.testing.assert_array_equal(data[:, 1], LOSSES)
    assert np.isfinite(data[:, 2]).sum() == lines
    np.testing.assert_allclose(data[:lines, 2], data[:lines, 0] / 100, rtol=1e-6)
    assert ("notes.measured" in said) is (lines > 1)
    if lines == 20:
        assert "this run is 2.27 with dropout and 2.47 without" in said["notes.measured"]
        assert "0.953 and 0.374" in said["notes.measured"]
        assert "1,126 tokens per second. The notes print 310" in said["notes.measured"].replace("\n", " ")


class Ended:
    """A page at the end of a run, whose model is there or not."""

    settings = Recipe()
    lang = "en"
    say = Words("training", "en")

    def __init__(self) -> None:
        self.said: list[str] = []

    def write(self, key: str, **values: object) -> None:
        self.said.append(key)
        self.say(key, **values)


def ended(monkeypatch: pytest.MonkeyPatch, config: TrainConfig, at: int, output: tuple[int, ...] | None) -> list[str]:
    """What is said below a run at step `at` whose model writes `output`; None: the model is not there."""
    page: Any = Ended()
    shown = list[str]()

    def show(what: object, **_: object) -> None:
        shown.append(str(what))

    runs = SimpleNamespace(model=lambda config, step: output)
    monkeypatch.setattr(notes, "session", lambda: SimpleNamespace(runs=runs))
    monkeypatch.setattr(notes, "output_of", lambda at_hand, source: output)
    monkeypatch.setattr(notes, "st", SimpleNamespace(html=show, button=show, info=show))
    notes.copied(page, config, at)
    wrong = sum(row.count("token wrong") for row in shown)
    return [*page.said, f"{len(shown)} shown", f"{wrong} wrong"]


def test_at_the_end_of_the_notes_run_their_sequence_is_decoded_beside_what_they_print(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    amiss = (1, 3, 2, 5, 4, 10, 7, 9, 6, 9)
    said = ["copied.text", "copied.not_back", "copied.change", "3 shown", "4 wrong"]
    assert ended(monkeypatch, NOTES, 250, amiss) == said
    assert ended(monkeypatch, NOTES, 249, amiss) == ["0 shown", "0 wrong"]
    small = replace(NOTES, embedding_std=TrainConfig().embedding_std)
    assert ended(monkeypatch, small, 250, SEQUENCE) == ["copied.text", "copied.back", "2 shown", "0 wrong"]
    assert ended(monkeypatch, TrainConfig(), TrainConfig().steps, SEQUENCE) == ["0 shown", "0 wrong"]
    assert ended(monkeypatch, NOTES, 250, None) == ["copied.text", "1 shown", "0 wrong"]


def test_the_smallest_change_is_one_control_of_the_page() -> None:
    small = replace(NOTES, embedding_std=TrainConfig().embedding_std)
    assert begins_as_notes(small)
    assert not begins_as_notes(replace(small, batch=9))
    assert link(NOTES).keys() - link(small).keys() == {"embedding"}
    assert config_of(Recipe.from_query(link(small))) == small
