"""The chapter on recurrence, convolution and attention: its curves by hand, what it measures, three runs at once."""

import json
from typing import Any

import numpy as np
import pytest

from tests.app.answers import right
from tests.app.boards import matrices, snippet
from tests.app.conftest import Open, look_again
from tests.series import drawn
from transformer_core.experiments.sequence_layers import LAYERS, Point
from transformer_core.train import train
from transformer_core.training.config import TrainConfig
from ui.chapters.why_attention import measured as why_measured
from ui.chapters.why_attention import rivals as why_rivals
from ui.session import ReaderSession
from ui.text import Words
from ui.training_service.layer_timings import Measurements
from ui.training_service.runs import all_runs

EN = Words("why_attention", "en")
ANSWERED = right("why_attention")
SMALL = TrainConfig(vocab=5, length=4, d_model=8, h=2, batch=4, steps=20, warmup=5)
POINTS = [Point(layer, n, 1e-6 * n * (at + 1), 2e-6 * n, 100 * n) for n in (16, 32) for at, layer in enumerate(LAYERS)]


def written(app: Any) -> str:
    return "\n".join(block.value for block in app.markdown)


def series(app: Any, figure: str) -> dict[str, np.ndarray]:
    """Lines, dots and points of a chart by name, (n, 2) each."""
    charts = app.get("echarts_chart")
    (spec,) = [json.loads(c.proto.spec) for c in charts if c.proto.id.endswith(f"-why_attention.{figure}")]
    return {one["name"]: np.array([point[:2] for point in one["data"]], dtype=np.float64) for one in drawn(spec)}


class NoWorker:
    """In the place of the worker: answers every measurement at once, with `POINTS`."""

    def __init__(self, state: str) -> None:
        self.state, self.asked = state, 0

    def start_background_task(self, hear: Any, **command: Any) -> str:
        self.asked += 1
        rows = [(list(LAYERS).index(point.layer), *point[1:]) for point in POINTS]
        hear(self.state, {"points": np.array(rows, np.float64)})
        return "task"

    def end_background_task(self, name: str) -> None:
        self.asked -= 1


@pytest.fixture
def worker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> NoWorker:
    fake = NoWorker(getattr(request, "param", "done"))
    monkeypatch.setattr(why_measured, "measurements", Measurements(fake))
    return fake


def press(app: Any, label: str) -> None:
    (button,) = [button for button in app.button if button.label == label]
    button.click().run()


@pytest.mark.parametrize(("count", "factors"), [("table", (1, 3, 0, 1)), ("all", (6, 3, 4, 2))])
def test_the_curves_are_those_of_table_1_and_cross_where_it_says(
    open_link: Open, count: str, factors: tuple[int, int, int, int]
) -> None:
    app = open_link("why_attention", d="64", count=count)
    shown, d = series(app, "cost"), 64.0
    gru, kernel, projections, pairs = factors
    n = shown["recurrence"][:, 0]
    assert (n[0], n[-1]) == (4, 4096)
    expected = (gru * n * d**2, kernel * n * d**2, projections * n * d**2 + pairs * n**2 * d)
    for name, cost in zip(("recurrence", "convolution", "self-attention"), expected):
        np.testing.assert_allclose(shown[name][:, 1], cost / 1e6, rtol=1e-5)
    crossings = [name for name in shown if name.startswith("n = ")]
    assert crossings == (["n = 64", "n = 192"] if count == "table" else ["n = 64"])
    assert EN("crossing.never", other="convolution", kernel=3) in written(app) or count == "table"


def test_along_d_the_crossings_lie_at_n_and_at_n_over_k(open_link: Open) -> None:
    app = open_link("why_attention", over="d", n="400", kernel="4")
    shown = series(app, "cost")
    d = shown["self-attention"][:, 0]
    np.testing.assert_allclose(shown["self-attention"][:, 1], 400**2 * d / 1e6, rtol=1e-5)
    assert [name for name in shown if name.startswith("d = ")] == ["d = 400", "d = 100"]
    assert EN("crossing.d", other="convolution", n=400, at=100) in written(app)


def test_the_small_figures_have_steps_and_paths(open_link: Open) -> None:
    app = open_link("why_attention", kernel="4")
    steps, paths = series(app, "waiting_0"), series(app, "waiting_1")
    assert {name: line[-1, 1] for name, line in steps.items()} == {
        "recurrence": 4096, "convolution": 1, "self-attention": 1,
    }  # fmt: skip
    last = [line[-1, 1] for line in paths.values()]
    np.testing.assert_allclose(last, [4096, 1024, 6, 1], rtol=1e-6)


def test_who_hears_whom_is_on_the_board_and_a_cell_says_it(open_link: Open) -> None:
    app = open_link("why_attention", reach="9", reach_kernel="3", reach_cell="near.1.4", **ANSWERED)
    shown = matrices(app, "why_attention.reach")
    assert {name: rows.shape for name, rows in shown.items()} == {
        "recurrent": (9, 9), "near": (4, 9), "wide": (2, 9), "attention": (1, 9),
    }  # fmt: skip
    assert shown["near"].sum(1).tolist() == [3, 5, 7, 9]
    assert shown["wide"].sum(1).tolist() == [3, 9]
    assert EN("path.heard", last=8, position=4, step=2, unit="layers") in written(app)


# ---------------------------------------------------------------- measured


def test_a_link_measures_nothing_and_the_button_does(open_link: Open, worker: NoWorker) -> None:
    app = open_link("why_attention", size="32")
    assert worker.asked == 0
    press(app, EN("measured.start"))
    assert worker.asked == 1
    assert not app.exception
    assert [button.label for button in app.button if button.label == EN("measured.again")]
    time, memory = series(app, "measured_0"), series(app, "measured_1")
    np.testing.assert_allclose(time["attention"], [[16, 0.048], [32, 0.096]])
    np.testing.assert_allclose(time["GRU"], [[16, 0.08], [32, 0.16]])
    np.testing.assert_allclose(memory["convolution"], [[16, 1.6], [32, 3.2]])
    np.testing.assert_allclose(memory["n²"][-1], [1024, 4 * 1024**2 / 1e3])
    np.testing.assert_allclose(memory["nd"][-1], [1024, 4 * 1024 * 32 / 1e3])


def test_one_factor_leads_attentions_curve_through_its_last_point(open_link: Open, worker: NoWorker) -> None:
    for against, ratio in (("table", 32 * 32**2 / (32**2 * 32)), ("all", 6 / (4 + 2))):
        app = open_link("why_attention", size="32", way="forward", against=against)
        press(app, EN("measured.start" if against == "table" else "measured.again"))
        time = series(app, "measured_0")
        x = time["self-attention"][:, 0]
        at_32 = {
            name: np.exp(np.interp(np.log(32), np.log(x), np.log(time[name][:, 1])))
            for name in ("self-attention", "recurrence")
        }
        assert at_32["self-attention"] == pytest.approx(0.032, rel=0.02)
        assert at_32["recurrence"] / at_32["self-attention"] == pytest.approx(ratio, rel=0.02)


def test_what_the_table_leaves_out_is_computed_from_the_points(open_link: Open, worker: NoWorker) -> None:
    app = open_link("why_attention", size="32")
    press(app, EN("measured.start"))
    # multiplications: 6 and 3 against 4 + 2 times n·d²; times: 3, 4 and 2 against 1
    assert EN("measured.outcome", n=32, d=32, gru=3, convolution=8, fused_time=2, fused_memory=1) in written(app)
    (table,) = [frame.value for frame in app.dataframe]
    assert table[EN("measured.steps")].tolist() == ["1", "1", "32", "1"]
    assert table[EN("measured.at_once")].tolist() == ["196,608", "196,608", "6,144", "98,304"]


@pytest.mark.parametrize("worker", ["running"], indirect=True)
def test_a_measurement_on_its_way_can_be_stopped_and_keeps_its_points(open_link: Open, worker: NoWorker) -> None:
    app = open_link("why_attention")
    press(app, EN("measured.start"))
    press(app, EN("measured.stop"))
    assert worker.asked == 0
    assert not [button for button in app.button if button.label == EN("measured.stop")]
    assert len(series(app, "measured_0")["GRU"]) == 2


def test_no_reader_is_taken_for_one_who_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address would do for a name only as long as the session is there."""
    monkeypatch.setattr(why_measured, "session", lambda: ReaderSession(all_runs))
    assert len({why_measured.reader() for _ in range(50)}) == 50


@pytest.mark.parametrize("worker", ["lost"], indirect=True)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_measurement_that_is_lost_says_so(open_link: Open, worker: NoWorker, lang: str) -> None:
    say = Words("why_attention", lang)
    app = open_link("why_attention", lang=lang)
    press(app, say("measured.start"))
    assert [warning.value for warning in app.warning] == [say("measured.lost")]


# ---------------------------------------------------------------- rivals


def test_three_models_are_trained_side_by_side_and_what_is_shown_is_what_training_gives(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = {name: TrainConfig(**SMALL.to_dict() | {"architecture": name}) for name in why_rivals.COLORS}
    monkeypatch.setattr(why_rivals, "runs_of", lambda chapter: runs)
    app = open_link("why_attention", trained="180.0")
    look_again(app)
    match, loss = series(app, "rivals_0"), series(app, "rivals_1")
    (table,) = [frame.value for frame in app.dataframe]
    for at, (name, config) in enumerate(runs.items()):
        reports = list(train(config))
        title = EN(f"rival.{name}")
        np.testing.assert_allclose(loss[title], [[r.step, r.loss] for r in reports], rtol=1e-5)
        seen = [[r.step, r.exact_match] for r in reports if r.exact_match is not None]
        np.testing.assert_allclose(match[title], seen, rtol=1e-5)
        assert table.values[at].tolist()[:3] == [title, f"{config.parameters:,}", str(config.width)]
    names: dict[str, Any] = {}
    exec(snippet(app, "why_attention.rivals"), names)
    np.testing.assert_allclose(names["shown"][:, 2::2].T, [loss[EN(f"rival.{name}")][:, 1] for name in runs], rtol=1e-4)
    in_seconds = open_link("why_attention", trained="180.0", seconds="1")
    for name, line in series(in_seconds, "rivals_0").items():
        assert (np.diff(line[:, 0]) > 0).all()
        np.testing.assert_allclose(line[:, 1], match[name][:, 1])
