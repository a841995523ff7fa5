"""The loss chapter: what it shows is what the core computes."""

import json
import math
from typing import Any

import numpy as np
import pytest
import torch

from tests.app import boards
from tests.app.conftest import Open, look_again
from tests.series import drawn
from transformer_core import LabelSmoothing, divergence_terms, noam_rate, smoothed_targets
from transformer_core.tasks.random_task import TRAINED, random_pairs
from transformer_core.training.config import TrainConfig
from transformer_core.training.evaluation import FINAL_SEQUENCES
from ui.figures.number import number
from ui.model.current_model import model_at_hand
from ui.model.recorded import forward
from ui.settings.frame import Frame
from ui.text import Words


def test_the_notes_picture_is_the_default(open_link: Open) -> None:
    app = open_link("loss", open="")
    assert boards.panel(app, "loss.smoothing", "targets")["made"]
    shown = boards.matrices(app, "loss.smoothing")["targets"]
    rows = np.array([[0, 1 / 6, 1 / 2, 1 / 6, 1 / 6], [0, 1 / 2, 1 / 6, 1 / 6, 1 / 6], [0] * 5])
    np.testing.assert_allclose(shown, rows, atol=1e-6)


def test_the_picture_and_the_divergence_have_a_smoothing_each(open_link: Open) -> None:
    app = open_link("loss", smoothing="0.8", src="1 3 2")
    (row, _) = boards.matrices(app, "loss.divergence")["t"]
    assert row.tolist() == pytest.approx([0, *[0.1 / 9] * 2, 0.9, *[0.1 / 9] * 7])
    app.slider(key="loss:asked_smoothing").set_value(0.0).run()
    assert boards.matrices(app, "loss.divergence")["t"].tolist() == torch.eye(11)[[3, 2]].tolist()
    assert boards.matrices(app, "loss.smoothing")["targets"][0, 2] == pytest.approx(0.2)


def test_the_trained_model_is_far_better_than_a_guess_and_both_are_measured(open_link: Open) -> None:
    log_probs, _ = forward(model_at_hand(Frame()).load(), (1, 3, 0, 2), (1, 3, 0))
    targets = smoothed_targets(torch.tensor([3, 0, 2]), 11, 0, 0.1)
    mean = torch.nn.functional.kl_div(log_probs[0], targets, reduction="sum") / 2
    guess = math.log(11) + 0.9 * math.log(0.9) + 0.1 * math.log(0.1 / 9)
    app = open_link("loss", src="1 3 0 2", lang="en")
    expected = Words("loss", "en")("mean", mean=number(float(mean), 3), guess=number(guess, 3), vocab=11)
    assert expected in boards.written(app)


def test_the_smoothing_a_model_was_trained_with_is_said_if_it_was_trained(open_link: Open) -> None:
    run = "smoothing:0.2,steps:2,warmup:1,seed:0"
    apps = [open_link("loss", model=model, run=run, lang="en") for model in ("run", "trained", "fresh")]
    told = [[b.value for b in app.markdown if b.value.startswith("(The current model was trained")] for app in apps]
    assert [len(found) for found in told] == [1, 1, 0]
    assert "smoothing of 0.2." in told[0][0]


def test_the_padding_tokens_column_and_rows_are_marked_and_have_no_gradient_of_their_own(open_link: Open) -> None:
    app = open_link("loss", src="1 3 0 2")
    assert boards.panel(app, "loss.divergence", "gradient")["padded"] == {"row": [1], "column": [0]}
    shown = boards.matrices(app, "loss.divergence")
    ends = [boards.panel(app, "loss.divergence", name)["ends"][1] for name in ("terms", "kl", "gradient")]
    assert ends == pytest.approx([math.log(11), math.log(11), 1])  # as for guessing: what is solved looks solved
    assert not shown["gradient"][1].any()
    assert not shown["terms"][1].any()
    assert shown["gradient"][0, 0] == pytest.approx(shown["p"][0, 0])
    assert shown["gradient"][2] == pytest.approx(shown["p"][2] - shown["t"][2], abs=1e-6)


@pytest.mark.parametrize(
    "query",
    [
        {"src": "", "targets": ""},
        {"src": "1 " * 40, "targets": "1 " * 40, "vocabulary": "20"},
        {"src": "1 0 0", "targets": "0", "picture": "targets.99.99", "cell": "kl.99.9"},
    ],
)
def test_no_link_breaks_the_page(open_link: Open, query: dict[str, str]) -> None:
    app = open_link("loss", **query)
    assert not app.exception
    assert len(app.header) == 5


@pytest.mark.parametrize("at", [50, 900])
def test_the_chosen_step_is_read_off_the_noam_curve_and_worked_out(open_link: Open, at: int) -> None:
    app = open_link("loss", open="rate", width="128", factor="2", warmup="100", at=str(at), lang="en")
    (said,) = [block.value for block in app.markdown if block.value.startswith("**At step")]
    least = number(min(at**-0.5, at * 100**-1.5))
    assert said.endswith(f" = 2 · {number(128**-0.5)} · {least} = **{number(noam_rate(at, 128, 2.0, 100))}**")
    (chart,) = [e for e in app.get("echarts_chart") if e.proto.id.endswith("-loss.rate")]
    line, point = drawn(json.loads(chart.proto.spec))
    assert max(line["data"], key=lambda row: row[1])[0] == 100
    assert point["data"][0][:2] == [at, pytest.approx(noam_rate(at, 128, 2.0, 100))]
    assert [rule["xAxis"] for rule in line["markLine"]["data"]] == [100]


def test_the_peak_of_the_noam_rate_stands_at_the_end_of_the_warm_up() -> None:
    assert noam_rate(400, 512, 1.0, 400) == pytest.approx((512 * 400) ** -0.5)
    assert max(range(1, 2000), key=lambda step: noam_rate(step, 512, 1.0, 400)) == 400


def test_answers_that_are_no_tokens_get_a_sentence_and_the_rest_goes_on(open_link: Open) -> None:
    app = open_link("loss", targets="2 9")
    assert not app.exception
    assert "9" in app.warning[0].value
    assert len(app.header) == 5


def test_what_the_notes_say_of_a_label_waits_until_it_is_opened(open_link: Open) -> None:
    said = Words("loss", "en")("misread.text")
    assert said not in boards.written(open_link("loss", open="", lang="en"))
    assert said in boards.written(open_link("loss", open="misread", lang="en"))


def test_divergence_terms_sum_to_the_loss() -> None:
    log_probs = torch.randn(3, 7, generator=torch.Generator().manual_seed(5)).log_softmax(-1)
    target = torch.tensor([4, 0, 6])
    terms = divergence_terms(log_probs, smoothed_targets(target, 7, 0, 0.3))
    torch.testing.assert_close(terms.sum(), LabelSmoothing(7, 0, 0.3)(log_probs, target))
    assert terms[1].eq(0).all()  # padding costs nothing


def test_one_hot_targets_make_the_divergence_a_cross_entropy() -> None:
    log_probs = torch.tensor([[0.1, 0.2, 0.7]]).log()
    terms = divergence_terms(log_probs, smoothed_targets(torch.tensor([2]), 3, 0, 0.0))
    assert float(terms.sum()) == pytest.approx(-math.log(0.7))


QUICK = TrainConfig(
    task="random", vocab=50, length=6, d_model=16, h=2, batch=8, rate=1e-4, schedule="constant", steps=10, clip=1.0
)


def test_random_answers_are_trained_after_the_question_and_what_is_held_out_stands_beside(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TrainConfig, "random", lambda seed=0: QUICK)
    app = open_link("loss", lang="en")
    assert not [button for button in app.button if button.key == "loss.start"]
    app = open_link("loss", learned="rule", lang="en")
    app.button(key="loss.start").click().run()
    look_again(app)
    (chart,) = [e for e in app.get("echarts_chart") if e.proto.id.endswith("-loss.random")]
    series = drawn(json.loads(chart.proto.spec))
    names: dict[str, Any] = {}
    exec(boards.snippet(app, "loss.random"), names)
    assert [step for step, _, _ in names["shown"]] == [0, 5, 10]
    for column, line in enumerate(series[:2], 1):
        assert [point[:2] for point in line["data"]] == [
            [row[0], pytest.approx(row[column], abs=1e-5)] for row in names["shown"]
        ]
    assert [y for _, y, _ in series[2]["data"]] == [
        pytest.approx(math.log(49))
    ] * 3  # of 50 tokens one is padding, never an answer


def test_the_notes_run_is_over_after_a_sixteenth_of_the_papers_warm_up() -> None:
    assert TrainConfig.notes(eval_updates=True).steps * 16 == 4000
    for lang, sixteenth in (("en", "250 updates"), ("zh", "250 次")):
        assert sixteenth in Words("loss", lang)("rate_why")


def test_the_words_on_random_answers_are_true_of_the_real_run() -> None:
    config = TrainConfig.random()
    assert int(random_pairs(config.vocab, 500).tgt.min()) == 1  # never padding: V - 1 tokens an answer can be
    assert (config.N, config.d_model, config.length, TRAINED, FINAL_SEQUENCES) == (1, 128, 10, 32, 1000)
