"""A GPT and a BERT on the page of training: set, trained, asked; and what is refused, in words."""

from collections.abc import Iterator
from functools import partial

import pytest

from tests.app.conftest import Open
from tests.app.test_why_attention import press, written
from tests.in_process import InProcess
from transformer_core import load_any
from transformer_core.tasks.one_row import OneRow
from transformer_core.tasks.translation import DIRECTIONS
from transformer_core.training import row_run
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.row_answers import row_answer
from transformer_core.training.row_config import RowConfig
from transformer_core.training.row_file import OneStackCheckpoint, one_stack_bytes
from transformer_core.training.row_run import fresh_one_stack
from ui.cache import ValueCache
from ui.chapters.training import rows, switches
from ui.chapters.training.rows import RowSettings
from ui.text import Words
from ui.training_service import worker as training_worker
from ui.training_service.row_runs import RowRuns
from ui.training_service.runs import Runs
from ui.uploads import take

EN = Words("training", "en")
SMALL = {"row_N": "1", "row_d_model": "24", "row_h": "4", "row_steps": "100"}
OPEN = {"open": "rows", "model": "copy"}


class NoWorker(InProcess):
    """In the place of the worker: trains at once."""

    rows: RowRuns

    def trains(self, steps: int) -> None:
        """So many, of every run that is begun."""
        self.turns = steps

    @property
    def asked(self) -> list[RowConfig]:
        return [RowConfig.from_dict(command["config"]) for command in self.sent if command["do"] == "start"]


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[NoWorker]:
    runs = Runs(partial(NoWorker, turns=None), store=ValueCache())
    monkeypatch.setattr(training_worker, "SLICE", 0.0)
    monkeypatch.setattr(row_run, "FINAL_ROWS", 16)
    monkeypatch.setattr(row_run, "QUICK_ROWS", 8)
    assert isinstance(runs.engine, NoWorker)
    runs.engine.rows = RowRuns(runs)
    for section in (rows, switches):
        monkeypatch.setattr(section, "row_runs", runs.engine.rows)
    yield runs.engine
    runs.close()


@pytest.mark.parametrize(("kind", "lang"), [("gpt", "en"), ("bert", "zh")])
def test_a_link_sets_the_switches_and_the_button_trains(
    open_link: Open, worker: NoWorker, kind: str, lang: str
) -> None:
    text, say = rows.text_for(kind, "both"), Words("training", lang)
    switches = {"row_positions": "rotary", "row_groups": "2", "row_experts": "3", "row_top_k": "2", "row_tied": "1"}
    app = open_link("training", lang=lang, row_kind=kind, row_text=text, **OPEN, **SMALL, **switches)
    assert worker.asked == []
    worker.trains(4)
    press(app, say("rows.start"))
    assert not app.exception
    (config,) = worker.asked
    assert (config.kind, config.positions, config.groups) == (rows.KINDS[kind], "rotary", 2)
    assert (config.experts, config.top_k, config.tied, config.steps) == (3, 2, True, 100)
    app.button(key="training.rows.steer").click().run()
    assert app.button(key="training.rows.steer").label == say("resume")
    assert any(say("rows.answer") in block.proto.body for block in app.get("html"))
    (back,) = [slider for slider in app.select_slider if slider.label == say("row_back")]
    assert back.options == [say("rows.at", step=step) for step in (4, 0)]
    back.set_value(1).run()
    assert say("rows.save", step=0) in [one.proto.label for one in app.get("download_button")]
    assert not app.exception


@pytest.mark.parametrize(
    ("link", "direction"),
    [({"model": "spanish"}, "both-es"), ({"model": "trained"}, "both"),
     ({"model": "spanish", "row_direction": "both"}, "both")],
)  # fmt: skip
def test_rows_are_of_the_languages_of_the_model_at_hand(open_link: Open, link: dict[str, str], direction: str) -> None:
    app = open_link("training", **{"open": "rows"} | link)
    assert not app.exception
    assert app.session_state["training:row_direction"] == direction


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("kind", rows.KINDS)
def test_the_text_of_each_direction_is_one_that_it_knows(kind: str, direction: str) -> None:
    task = OneRow(direction)
    words = task.vocabulary.read(rows.text_for(kind, direction))
    source = [word for word in words[: words.index(task.equals)] if word != task.cover]
    assert set(task.vocabulary.names_of(source)) <= set(task.translation.source.words)
    assert (task.cover in words) == (kind == "bert")


def test_a_run_that_is_lost_says_so_and_can_be_trained_again_up_to_its_step(open_link: Open, worker: NoWorker) -> None:
    worker.trains(3)
    app = open_link("training", lang="en", **OPEN, **SMALL)
    press(app, EN("rows.start"))
    worker.die()
    app.run()
    assert EN("state.lost", step=3, steps=100) in [error.value for error in app.error]
    worker.trains(5)
    press(app, EN("restart"))
    assert not app.error
    assert app.button(key="training.rows.steer").label == EN("pause")
    (config,) = set(worker.asked)
    seen = worker.rows.look(config)
    assert seen is not None
    assert seen.history.step.tolist() == [1, 2, 3, 4, 5]


def test_each_kind_of_model_brings_its_recipe_and_a_text(open_link: Open, worker: NoWorker) -> None:
    app = open_link("training", **OPEN)
    worker.trains(1)
    (kinds,) = [each for each in app.get("button_group") if each.label == EN("row_kind")]
    kinds.set_value("bert").run()
    press(app, EN("rows.start"))
    (config,) = worker.asked
    assert config == RowConfig.of_kind("encoder", norm="layer")


@pytest.mark.parametrize(
    ("said", "reason", "values"),
    [
        ({"row_h": "5"}, "heads", {"d_model": 64, "h": 5}),
        ({"row_groups": "3"}, "groups", {"h": 4, "groups": 3}),
        ({"row_d_model": "12", "row_positions": "rotary"}, "rotary", {"d_k": 3}),
        ({"row_experts": "2", "row_top_k": "3"}, "experts", {"experts": 2, "top_k": 3}),
        ({"row_d_model": "9", "row_h": "3"}, "odd", {"d_model": 9}),
    ],
)
def test_switches_that_exclude_each_other_are_refused_in_words(
    open_link: Open, said: dict[str, str], reason: str, values: dict[str, int]
) -> None:
    app = open_link("training", **OPEN, **said)
    assert not app.exception
    assert EN(f"rows.refused.{reason}", **values) in [warning.value for warning in app.warning]


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("gpt", "two purple flowers =", Words("shell", "en")("sequence.unknown_word", count=0, word="purple")[-30:]),
        ("gpt", "flowers " * 31, EN("rows.refused.long", tokens=33, most=32)),
        ("gpt", "flowers " * 30, ""),  # there is room for one more word
        ("bert", "two flowers", EN("rows.refused.cover", cover="<mask>")),
    ],
)
def test_a_text_is_answered_or_refused_in_words(
    open_link: Open, worker: NoWorker, kind: str, text: str, message: str
) -> None:
    worker.trains(1)
    app = open_link("training", row_kind=kind, row_text=text, **OPEN, **SMALL)
    press(app, EN("rows.start"))
    assert not app.exception
    said = [warning.value for warning in app.warning]
    assert any(message in each for each in said) if message else not said
    assert any(EN("rows.answer") in block.proto.body for block in app.get("html")) != bool(message)


def test_own_pairs_are_for_the_model_of_two_stacks(open_link: Open) -> None:
    assert EN("rows.own_pairs") in written(open_link("training", task="pairs", **OPEN))


def test_whoever_pauses_the_table_begins_no_further_run(open_link: Open, worker: NoWorker) -> None:
    worker.trains(1)
    app = open_link("training", open="switches", model="copy")
    press(app, EN("switches.start"))
    assert len(worker.asked) == 1
    assert app.button(key="training.switches").label == EN("pause")
    app.button(key="training.switches").click().run()
    app.run()
    assert [command["do"] for command in worker.sent] == ["start", "pause"]
    assert app.button(key="training.switches").label == EN("switches.start")


def test_the_parts_are_trained_one_after_the_other(
    open_link: Open, worker: NoWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {"row_N": 1, "row_d_model": 16}
    parts = {name: switches.SWITCHES[name] | small for name in ("plain", "rotary", "tied")}
    monkeypatch.setattr(switches, "SWITCHES", parts)
    monkeypatch.setattr(switches, "STEPS", 52)
    app = open_link("training", open="switches", switch_seed="7", model="copy")
    assert worker.asked == []
    press(app, EN("switches.start"))
    for _ in range(4):
        app.run()
    assert not app.exception
    assert [(run.positions, run.tied, run.seed) for run in worker.asked] == [
        ("sinusoids", False, 7), ("rotary", False, 7), ("sinusoids", True, 7),
    ]  # fmt: skip
    (start,) = [button for button in app.button if button.label == EN("switches.start")]
    assert start.disabled
    seen = {name: worker.rows.look(run) for name, run in switches.runs_of(7).items()}
    losses = {name: switches.loss(one.history) for name, one in seen.items() if one is not None}
    lowest, highest = (EN(f"switches.of.{pick(losses, key=lambda name: losses[name])}") for pick in (min, max))
    said = EN("switches.said", count=3, seed=7, steps=switches.STEPS, least=lowest, most=highest, low="@", high="@")
    assert all(part in written(app) for part in said.split("@"))
    assert all(f"| {value:.3f} |" in written(app) for value in losses.values())


def test_every_part_of_the_table_is_a_run_of_its_own() -> None:
    runs = switches.runs_of(3)
    assert len(set(runs.values())) == len(runs) == len(switches.SWITCHES)
    counted = {name: run.parameters for name, run in runs.items()}
    assert counted["plain"] == counted["rotary"] == counted["window"] == 118_543
    assert counted["one"] < counted["grouped"] < counted["plain"] < counted["swiglu"]


@pytest.mark.parametrize("kind", rows.KINDS)
@pytest.mark.parametrize("switch", switches.SWITCHES)
def test_with_every_part_a_model_answers_before_it_is_trained_and_its_file_is_refused_by_the_chapters(
    switch: str, kind: str
) -> None:
    config = rows.row_config_of(RowSettings(row_kind=kind, **switches.SWITCHES[switch]))
    model = fresh_one_stack(config).eval()
    found = load_any(one_stack_bytes(model, config, 0))
    assert isinstance(found, OneStackCheckpoint)
    assert (found.config, found.step) == (config, 0)
    typed = rows.text_for(kind, "both")
    assert row_answer(found, typed) == row_answer(OneStackCheckpoint(model, config, 0), typed)
    with pytest.raises(NotAModel) as refused:
        take("model.safetensors", one_stack_bytes(model, config, 0))
    assert EN(f"own.refused.{refused.value.reason}").startswith("This file holds a GPT or a BERT.")
