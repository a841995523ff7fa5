"""The chapter on softmax and scaling: its numbers against independent ones, its sentences, its snippets, its runs."""

import json
import math
from functools import partial
from statistics import median
from typing import Any

import numpy as np
import pytest

from tests.app.answers import right
from tests.app.boards import boards, matrices, panel, snippet
from tests.app.conftest import Open, in_turn, linked, look_again
from tests.series import drawn
from transformer_core.train import train
from transformer_core.training import config as train_config
from transformer_core.training.config import TrainConfig
from transformer_core.training.report import Report
from ui.chapters.scaling import runs as scaling_runs
from ui.chapters.scaling.notes import PRINTED, PRINTED_DIAGONALS, SCORES, TEMPERATURES
from ui.chapters.scaling.scores import NotScores, parse
from ui.figures.evaluated import evaluated
from ui.figures.number import number
from ui.figures.paper import jacobian
from ui.text import LANGUAGES, Typed, Words

EN = Words("scaling", "en")
ANSWERED = right("scaling")


def written(app: Any) -> str:
    return "\n".join(block.value for block in app.markdown)


def softmax(scores: list[float]) -> np.ndarray:
    """Worked out in plain numpy."""
    powers = np.exp(np.array(scores) - max(scores))
    return np.asarray(powers / powers.sum())


@pytest.mark.parametrize("factor", ["0", "1", "2.5", "20"])
def test_the_steps_of_the_softmax_and_its_jacobian_are_on_the_board(open_link: Open, factor: str) -> None:
    app = open_link("scaling", scores="0.5 -1.25 2 0.75", factor=factor)
    shown = matrices(app, "scaling.steps")
    scaled = [float(factor) * score for score in (0.5, -1.25, 2, 0.75)]
    p = softmax(scaled)
    np.testing.assert_allclose(shown["x"], np.column_stack([[0.5, -1.25, 2, 0.75], scaled]), atol=1e-6)
    np.testing.assert_allclose(shown["shares"], np.column_stack([p / p.max(), p]), atol=1e-6)
    np.testing.assert_allclose(shown["jacobian"], np.diag(p) - np.outer(p, p), atol=1e-6)
    assert shown["difference"].max() < 1e-15


def test_the_colours_of_scores_keep_their_ends_while_the_factor_or_the_size_moves(open_link: Open) -> None:
    factors = [open_link("scaling", factor=factor) for factor in ("0.1", "1", "20")]
    ends = [panel(app, "scaling.steps", "x")["ends"] for app in factors]
    assert all(end == ends[0] for end in ends)
    sizes = [open_link("scaling", open="size", d_k=d_k, **ANSWERED) for d_k in ("4", "64", "512")]
    ends = [panel(app, "scaling.few", key)["ends"] for app in sizes for key in ("plain", "scaled")]
    assert all(end == ends[0] for end in ends)


def test_moving_the_factor_sharpens_the_softmax(open_link: Open) -> None:
    app = open_link("scaling")
    before = matrices(app, "scaling.steps")["shares"][:, 1].max()
    app.slider(key="scaling:factor").set_value(10.0).run()
    after = matrices(app, "scaling.steps")["shares"][:, 1].max()
    assert before == pytest.approx(0.5595, abs=1e-4)
    assert after == pytest.approx(0.9999, abs=1e-4)


@in_turn(
    ("scores", "problem", "blanks"),
    [
        ("", "few", {}),
        ("1.5", "few", {}),
        ("1 " * 13, "many", {"count": 13}),
        ("1 two 3", "letters", {"word": "two"}),
        ("1 1_0", "letters", {"word": "1_0"}),
        ("1 ٢", "letters", {"word": "٢"}),
        ("1 NaN", "no_number", {"word": "NaN"}),
        ("inf 1", "no_number", {"word": "inf"}),
        ("1 1e400", "no_number", {"word": "1e400"}),
        ("1 -1e9", "huge", {"word": "-1e9"}),
    ],
)
def test_scores_that_are_none_get_a_sentence_and_the_rest_goes_on(
    open_link: Open, scores: str, problem: str, blanks: dict[str, object], lang: str
) -> None:
    app = open_link("scaling", scores=scores, lang=lang, **ANSWERED)
    say = Words("scaling", lang)
    assert not app.exception
    shown = {name: Typed(value) if isinstance(value, str) else value for name, value in blanks.items()}
    limits = {"fewest": 2, "most": 12, "largest": 1000}
    sentences = [say(f"scores_problem.{problem}", **shown, **limits), say("needs_scores")]
    assert [warning.value for warning in app.warning] == sentences
    assert boards(app) == ["scaling.few", "scaling.first_scores", "scaling.self", "scaling.notes"]


def test_scores_may_be_written_with_commas_brackets_and_a_true_minus() -> None:
    assert parse("[0.5, −1.25; 2e0]") == (0.5, -1.25, 2.0)
    with pytest.raises(NotScores):
        parse("0.5 0,5x")


def test_equal_scores_and_the_largest_allowed_ones_are_drawn(open_link: Open) -> None:
    app = open_link("scaling", scores="1000 -1000 0", factor="20", **ANSWERED)
    assert matrices(app, "scaling.steps")["shares"].tolist() == [[1, 1], [0, 0], [0, 0]]
    assert not open_link("scaling", scores="0 0 0", **ANSWERED).exception


def test_the_printed_numbers_of_the_notes_are_the_computed_ones(open_link: Open) -> None:
    app = open_link("scaling", notes="1", **ANSWERED)
    (table,) = [block.value for block in app.markdown if block.value.startswith(f"| {EN('scores')} |")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    for printed, computed in zip(rows[0::2], rows[1::2], strict=True):
        relative = 1e-3 if "e" in printed[1] else 0.0
        np.testing.assert_allclose([float(v) for v in computed[1:]], [float(v) for v in printed[1:]], relative, 1.01e-4)
    shown = matrices(app, "scaling.notes")
    for at, (factor, text) in enumerate(PRINTED.items()):
        expected = softmax([factor * score for score in SCORES])
        np.testing.assert_allclose(shown["p"][:, at], expected, rtol=1e-5)
        np.testing.assert_allclose(expected, [float(v) for v in text.split()], rtol=1e-3, atol=1e-4)
    tiny = [float(value) for value in PRINTED_DIAGONALS[10.0].split()]
    np.testing.assert_allclose(shown["J2"].diagonal(), tiny, rtol=2e-3)


def test_a_temperature_divides_the_scores(open_link: Open) -> None:
    shown = matrices(open_link("scaling", scores="1 2 4"), "scaling.warm")
    for row, temperature in enumerate(TEMPERATURES):
        p = softmax([score / temperature for score in (1, 2, 4)])
        np.testing.assert_allclose(shown["temperatures"][row], p, atol=1e-6)
        assert shown["entropies"][row, 0] == pytest.approx(-sum(v * math.log(v) for v in p if v), abs=1e-5)


@pytest.mark.parametrize("d_k", [1, 100, 512])
def test_the_measured_variance_is_near_d_k_and_near_one_after_the_scale(open_link: Open, d_k: int) -> None:
    app = open_link("scaling", d_k=str(d_k), **ANSWERED)
    (table,) = [frame.value for frame in app.dataframe if len(frame.value) == 2]
    plain, scaled = (float(value) for value in table[EN("size.variance")])
    assert plain == pytest.approx(d_k, rel=0.15)
    assert scaled == pytest.approx(plain / d_k, rel=1e-3)


def test_another_seed_is_another_sample_and_the_same_seed_the_same(open_link: Open) -> None:
    def table(seed: str) -> list[str]:
        app = open_link("scaling", seed=seed, **ANSWERED)
        (found,) = [frame.value for frame in app.dataframe if len(frame.value) == 2]
        return list(found[EN("size.variance")])

    assert table("3") == table("3") != table("4")


def test_drawing_again_takes_the_next_seed(open_link: Open) -> None:
    app = open_link("scaling", seed="3", **ANSWERED)
    (button,) = [button for button in app.button if button.label == EN("draw_again", seed=3)]
    button.click().run()
    assert app.query_params["seed"] == "4"


@pytest.mark.parametrize("divide", ["1", "0"])
@pytest.mark.parametrize("enlarge", ["1", "0"])
def test_wide_embeddings_see_only_themselves_with_and_without_the_scale(
    open_link: Open, enlarge: str, divide: str
) -> None:
    shown = matrices(open_link("scaling", enlarge=enlarge, divide=divide), "scaling.self")
    np.testing.assert_allclose(shown["weights"], np.eye(4), atol=1e-4)
    grown = (512 if enlarge == "1" else 1) * (1 if divide == "1" else math.sqrt(512))
    assert shown["scores"].diagonal().mean() / grown == pytest.approx(math.sqrt(512), rel=0.1)


# ---------------------------------------------------------------- formulas and curves


def test_an_entry_of_the_jacobian_is_exact_where_one_probability_is_nearly_all() -> None:
    p = np.array([[1 - 3e-12], [1e-12], [2e-12]])
    exact = np.array([[3e-12, -1e-12, -2e-12], [-1e-12, 1e-12, -2e-24], [-2e-12, -2e-24, 2e-12]])
    made = jacobian("p", 0, 3)
    np.testing.assert_allclose(evaluated(made, {"p": p.astype(np.float32)}, range(3), range(3)), exact, rtol=1e-6)


def test_an_entropy_leaves_out_what_is_nothing(open_link: Open) -> None:
    """0 ln 0 counts as 0, also where a probability is too small to be told from 0."""
    shown = matrices(open_link("scaling", scores="0 -40 3", open="warm"), "scaling.warm")
    assert np.count_nonzero(shown["temperatures"][0]) < 3
    assert shown["entropies"][0, 0] == pytest.approx(0, abs=1e-6)


def lines(app: Any, figure: str) -> np.ndarray:
    """The curves of one chart as they are drawn: x, then a column per line; points and rules left out."""
    (spec,) = [json.loads(c.proto.spec) for c in app.get("echarts_chart") if c.proto.id.endswith(f"-scaling.{figure}")]
    columns = [
        np.array([point[:2] for point in line["data"]], dtype=float) for line in drawn(spec) if line["type"] == "line"
    ]
    return np.column_stack([columns[0][:, 0], *(line[:, 1] for line in columns)])


def test_the_curves_over_the_factor_end_in_certainty(open_link: Open) -> None:
    app = open_link("scaling", scores="1 0.5 -2", factor="4", open="")
    assert lines(app, "curves_0")[0, 1] == pytest.approx(math.log(3), abs=5e-3)
    assert lines(app, "curves_1")[-1, 1] < 1e-6


def test_the_histograms_count_every_score_on_an_axis_that_stays(open_link: Open) -> None:
    axes = []
    for d_k in (2, 300):
        app = open_link("scaling", d_k=str(d_k), seed="7", **ANSWERED)
        for at, variance in enumerate((d_k, 1)):
            score, share = lines(app, f"histogram_{at}").T
            assert share.sum() == pytest.approx(1.0)
            assert (share * score**2).sum() == pytest.approx(variance, rel=0.15)
            axes.append((score[0], score[-1]))
    assert len(set(axes)) == 1


# ---------------------------------------------------------------- the real model


def last_entropy(run: list[Report]) -> float:
    """Of the cross-attention on the probe, after the last step."""
    assert run[-1].probe is not None
    weights = run[-1].probe.cross_attention.astype(float)
    return float(-np.where(weights > 0, weights * np.log(np.maximum(weights, 1e-30)), 0).sum(-1).mean())


def test_a_link_to_a_trained_pair_trains_it_and_shows_what_training_here_gives(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = partial(TrainConfig, steps=20)  # the page and its program leave the steps as they are by default
    for place in (scaling_runs, train_config):
        monkeypatch.setattr(place, "TrainConfig", config)
    app = open_link("scaling", trained="8.3", run_heads="8", run_seed="3")
    assert app.button(key="scaling.stop")
    look_again(app)
    runs = {scale: list(train(config(h=8, seed=3, scale=scale))) for scale in (True, False)}
    sentence = EN(
        "run.outcome",
        scaled=f"{runs[True][-1].exact_match:.1%}",
        plain=f"{runs[False][-1].exact_match:.1%}",
        scaled_loss=number(runs[True][-1].loss, 2),
        plain_loss=number(runs[False][-1].loss, 2),
        ratio=number(runs[False][1].query_norm / runs[True][1].query_norm, 2),
        scaled_late=number(median(report.query_norm for report in runs[True][10:]), 2),
        plain_late=number(median(report.query_norm for report in runs[False][10:]), 2),
        scaled_entropy=number(last_entropy(runs[True]), 2),
        plain_entropy=number(last_entropy(runs[False]), 2),
    )
    assert sentence in written(app)
    names: dict[str, Any] = {}
    exec(snippet(app, "scaling.runs"), names)
    (pills,) = [group for group in app.get("button_group") if group.key == "scaling.runs.caption"]
    pills.set_value("numbers").run()
    table = app.dataframe[-1].value.to_numpy()  # step, then loss, entropy and two gradients for each run
    np.testing.assert_allclose(names["shown"], table, rtol=1e-5)
    for at, measured in enumerate(("loss", "entropy", "query_norm", "key_norm")):
        drawn = lines(app, f"runs_{at}")
        known = table[~np.isnan(table[:, at + 1])]
        np.testing.assert_allclose(drawn, known[:, [0, at + 1, at + 5]], rtol=1e-5)
        if measured != "entropy":
            np.testing.assert_allclose(drawn[:, 1], [getattr(report, measured) for report in runs[True][1:]], rtol=1e-5)


def test_a_slider_writes_a_factor_between_two_of_its_steps_as_it_is(open_link: Open) -> None:
    app = open_link("scaling", factor="0.0625", only="steps")
    slider = app.slider(key="scaling:factor")
    assert slider.value == 0.0625
    assert slider.proto.format % slider.value == "0.0625"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_one_press_on_the_first_screen_shows_the_jacobians_of_three_factors(open_link: Open, lang: str) -> None:
    app = linked("scaling", lang=lang, open="")
    app.button(key="scaling.three").click().run()
    assert not app.exception
    assert boards(app) == ["scaling.notes"]
    shown = matrices(app, "scaling.notes")
    for at, factor in enumerate((0.1, 1.0, 10.0)):
        p = softmax([factor * score for score in SCORES])
        np.testing.assert_allclose(shown[f"J{at}"], np.diag(p) - np.outer(p, p), atol=1e-6)
    assert not app.success, "whoever asks for the picture has not answered its question"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_menu_leads_to_them_and_the_largest_factor_comes_with_a_reply(open_link: Open, lang: str) -> None:
    app = open_link("scaling", lang=lang, open="", notes_cell="J2.1.2")
    assert Words("scaling", lang)("notes.title") in [heading.value for heading in app.header]
    for reply, factors in (({}, 2), ({"sharp": "ten"}, 3)):
        shown = matrices(open_link("scaling", lang=lang, open="", **reply), "scaling.notes")
        assert shown.keys() == {"p", *(f"J{at}" for at in range(factors))}
        assert shown["p"].shape == (5, factors)


def test_the_press_leaves_a_reply_as_it_was_given(open_link: Open) -> None:
    app = open_link("scaling", lang="en", open="", sharp="ten")
    app.button(key="scaling.three").click().run()
    assert app.query_params["sharp"] in ("ten", ["ten"])


@pytest.mark.parametrize("link", [{"present": "1"}, {"lesson": "scale", "stop": "1"}])
def test_neither_a_lecture_nor_a_lesson_has_the_button(open_link: Open, link: dict[str, str]) -> None:
    app = open_link("scaling", lang="en", only="steps", **link)
    assert "scaling.three" not in [button.key for button in app.button]
