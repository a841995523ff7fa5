"""What a stop of a lesson says, and what its question calls right, is so of the very figure that the stop opens."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.app.answers import replied, right
from tests.app.conftest import Open, in_turn
from tests.app.lesson_later import CLAIMS, MARGIN, Seen, of
from transformer_core import greedy_decode, noam_rate, padding_mask, record
from transformer_core.attention import BLOCKED
from transformer_core.exercises.faults.which_fault import fault_of, hidden
from transformer_core.exercises.parsons import PUZZLES
from transformer_core.exercises.parsons.assembly import read
from transformer_core.exercises.parsons.puzzle import Distractor
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model
from ui.chapters.practice.worksheet import numbers
from ui.chapters.teachers.stops import question_of
from ui.figures.figure import Board, Figure
from ui.model.shipped import shipped
from ui.sections.question import Choice
from ui.settings.lessons import LESSONS


@in_turn(("lesson", "number"), [(name, at) for name, stops in LESSONS.items() for at in range(1, len(stops) + 1)])
def test_what_a_stop_says_is_so_of_its_figure(
    open_link: Open, shown: list[Figure], lesson: str, number: int, lang: str
) -> None:
    stop = LESSONS[lesson][number - 1]
    question = question_of(stop)
    link = {"open": "", "lang": lang} | dict(stop.settings) | {"present": "1"} | right(stop.chapter)
    if isinstance(question, Choice) and question.in_section:
        link |= replied(stop, question.replies[-1] if question.by_hand else question.right)
    shown.clear()
    app = open_link(stop.chapter, **link)
    assert not app.exception
    CLAIMS[lesson, number](Seen(stop, {figure.name: figure for figure in shown}, app))


# ---------------------------------------------------------------- what one head computes


@of("attention", 1)
def a_product_adds_up_as_many_as_there_are_dimensions(seen: Seen) -> None:
    q, k, products = seen.of("stages", "q", "k", "products")
    np.testing.assert_allclose(products, q @ k.T, rtol=1e-4, atol=1e-4)
    assert seen.question.right == "dimensions"
    assert len({q.shape[1], len(k), 1}) == 3, "the three replies are three numbers"


@of("attention", 2)
def the_division_changes_the_scale_alone(seen: Seen) -> None:
    products, scores = seen.of("stages", "products", "scores")
    d_k = shipped("translate").config.d_model // shipped("translate").config.h
    np.testing.assert_allclose(scores * math.sqrt(d_k), products, rtol=1e-4, atol=1e-5)
    assert seen.question.right == "size"


@of("attention", 3)
def rows_sum_to_one_and_columns_do_not(seen: Seen) -> None:
    (weights,) = seen.of("stages", "weights")
    np.testing.assert_allclose(weights.sum(1), 1, atol=1e-5)
    assert weights.sum(0).max() > 1 + MARGIN
    assert seen.question.right == "rows"


@of("attention", 4)
def a_number_of_the_output_takes_one_column_of_the_values(seen: Seen) -> None:
    weights, v, output = seen.of("stages", "weights", "v", "output")
    for column in range(v.shape[1]):
        np.testing.assert_allclose(output[:, column], weights @ v[:, column], rtol=1e-4, atol=1e-5)
    assert seen.question.right == "column"


@of("attention", 5)
def each_word_looks_at_what_it_stands_for_and_the_order_is_another_one(seen: Seen) -> None:
    (weights,) = seen.of("stages", "weights")
    panel, words = seen.panel("stages", "weights"), shipped("translate").config.words
    source, target = list(panel.col_labels), ["⟨s⟩", *(name.split(" → ")[1] for name in panel.row_labels)]
    assert words is not None
    places = words.alignment(words.source.tokens_of(source), words.target.tokens_of(target))
    assert places is not None, "the target is the task's own answer"
    aligned = {row: keys for row, keys in enumerate(places[1:-1]) if keys}
    for row, keys in aligned.items():
        others = np.delete(weights[row], keys)
        assert weights[row, list(keys)].sum() > 0.5 + MARGIN, f"{panel.row_labels[row]}: {weights[row]}"
        assert weights[row, list(keys)].max() > others.max() + MARGIN
    order = [min(keys) for keys in aligned.values()]
    assert order != sorted(order), "the output keeps the order of its source"
    assert seen.question.right == "aligned"


# ---------------------------------------------------------------- masks


@of("masks", 1)
def so_many_pairs_are_open(seen: Seen) -> None:
    (mask,) = seen.of("look_ahead", "mask")
    assert mask.shape == (8, 8)
    np.testing.assert_array_equal(mask, np.tri(8))
    assert seen.question.right == mask.sum()


@of("masks", 2)
def padding_blocks_its_column_in_every_row(seen: Seen) -> None:
    padding, ahead, both = seen.of("both", "padding", "ahead", "both")
    (blocked,) = np.nonzero(padding[0] == 0)
    assert len(blocked)
    assert not both[:, blocked].any()
    np.testing.assert_array_equal(both, ahead * padding)
    assert both[blocked].any(1).all(), "its row stays open"
    assert seen.question.right == "column"


@of("masks", 3)
def a_masked_score_has_the_weight_zero(seen: Seen) -> None:
    scores, mask, masked = seen.of("stages", "scores", "mask", "masked")
    np.testing.assert_array_equal(masked, np.where(mask > 0, scores, BLOCKED))
    weights = torch.tensor(masked, dtype=torch.float32).softmax(-1).numpy()
    assert not weights[mask == 0].any()
    assert BLOCKED == -1e9
    assert seen.question.right == "zero"


@of("masks", 4)
def a_row_with_nothing_left_has_equal_weights(seen: Seen) -> None:
    panel = seen.panel("fill", "masked")
    assert panel.blocked is not None
    (row,) = np.nonzero(np.asarray(panel.blocked).all(1))[0]
    masked, weights = seen.of("fill", "masked", "weights")
    assert (masked[row] == BLOCKED).all()
    assert masked.shape[1] == 5
    np.testing.assert_allclose(weights[row], 1 / 5, rtol=1e-5)
    assert seen.question.right == "uniform"


@of("masks", 5)
def a_later_word_changes_no_earlier_output(seen: Seen) -> None:
    (change,) = seen.of("causality", "difference")  # of each output, by the token that is another one
    assert not np.triu(change, 1).any()
    assert np.diag(change).min() > MARGIN
    assert seen.question.right == "from"


# ---------------------------------------------------------------- softmax and scaling


@of("scale", 1)
def the_largest_cell_is_where_the_softmax_is_undecided(seen: Seen) -> None:
    shares, jacobian = seen.of("steps", "shares", "jacobian")
    p = shares[:, 1]
    place = int(np.abs(p - 0.5).argmin())
    assert jacobian[place, place] == jacobian.max() > np.sort(jacobian.ravel())[-2] + MARGIN
    assert jacobian.shape == (5, 5)
    assert seen.question.right == "half"


@of("scale", 2)
def next_to_nothing_is_left_of_it(seen: Seen) -> None:
    shares, jacobian = seen.of("steps", "shares", "jacobian")
    assert dict(seen.stop.settings)["factor"] == "8"
    assert np.abs(jacobian).max() < MARGIN
    assert shares[:, 1].max() > 1 - MARGIN
    assert seen.question.right == "nothing"


@of("scale", 3)
def the_spread_is_the_root_of_d_k(seen: Seen) -> None:
    table = np.asarray(seen.figures["sizes"].data)
    sizes, plain, scaled = table[:, [0, 1, 4]].T  # of the variance without the division, and with it
    assert np.sqrt(plain[sizes == 64]) == pytest.approx(8, rel=0.1)
    np.testing.assert_allclose(scaled, 1, atol=0.2)
    assert seen.question.right == 8


@of("scale", 4)
def a_token_looks_at_itself(seen: Seen) -> None:
    (weights,) = seen.of("self", "weights")
    assert np.diag(weights).min() > 0.5 + MARGIN
    assert seen.question.right == "itself"


@of("scale", 5)
def the_runs_begin_with_scores_that_differ_by_the_root_of_d_k(seen: Seen) -> None:
    config = TrainConfig(h=1)
    one, other = (fresh_model(replace(config, scale=scale)) for scale in (True, False))
    src = torch.tensor([[1, *range(config.vocab - 1, 1, -1)]])
    first = []
    for model in (one, other):
        with torch.no_grad(), record(model) as trace:
            model.eval().encode(src, padding_mask(src))
        first.append(trace["encoder.layers.0.self_attn.scores"])
    torch.testing.assert_close(first[1], first[0] * math.sqrt(config.d_model // config.h))
    assert seen.question.right == "root"
    # Both stand there at once, (batch, h, T, S) by heads and rows: the answer is what the figure shows.
    plain, scaled = (seen.figures["first_scores"].board.panels[at].values for at in (0, 1))
    np.testing.assert_allclose(plain, scaled * math.sqrt(config.d_model // config.h), rtol=1e-4, atol=1e-5)


# ---------------------------------------------------------------- order


@of("order", 1)
def without_positions_a_row_goes_where_its_token_goes(seen: Seen) -> None:
    without, with_positions = seen.of("order", "without", "with")
    assert np.abs(without).max() < 1e-4
    assert np.abs(with_positions).max() > MARGIN
    assert seen.question.right == "moved"


@of("order", 2)
def the_first_columns_change_fastest(seen: Seen) -> None:
    (code,) = seen.of("code", "code")
    change = np.abs(np.diff(code, axis=0)).mean(0).reshape(-1, 2).mean(1)  # of each pair of columns
    assert (change[:-1] > change[1:]).all()
    assert seen.question.right == "left"


@of("order", 3)
def the_wavelengths_go_from_one_turn_to_nearly_ten_thousand(seen: Seen) -> None:
    lengths = np.asarray(seen.figures["wavelengths"].data).ravel()
    assert lengths[0] == pytest.approx(2 * math.pi, rel=1e-5)
    assert 0.9 * 10000 < lengths[-1] / (2 * math.pi) < 10000
    assert seen.question.right == pytest.approx(2 * math.pi * 100)


@of("order", 4)
def a_product_depends_on_the_distance_alone(seen: Seen) -> None:
    (products,) = seen.of("products", "products")
    diagonals = [np.diag(products, by) for by in range(len(products))]
    assert all(np.ptp(each) < 1e-4 for each in diagonals)
    assert diagonals[0][0] - diagonals[1][0] > MARGIN
    assert seen.question.right == "distance"


@of("order", 5)
def a_word_that_stands_twice_has_two_vectors_that_are_alike(seen: Seen) -> None:
    embeddings, total, cosines = seen.of("sum", "embeddings", "sum", "cos_sum")
    names = list(seen.panel("sum", "sum").row_labels)
    twice = next(name for name in names if names.count(name) == 2)
    one, other = (at for at, name in enumerate(names) if name == twice)
    np.testing.assert_array_equal(embeddings[one], embeddings[other])
    assert np.abs(total[one] - total[other]).max() > MARGIN
    assert cosines[one, other] > 0.5 + MARGIN
    assert seen.question.right == "alike"


# ---------------------------------------------------------------- training


@of("training", 1)
def the_others_share_what_is_taken(seen: Seen) -> None:
    (targets,) = seen.of("smoothing", "targets")
    for answer, row in zip((2, 1), targets):
        others = np.delete(row, [0, answer])
        np.testing.assert_allclose(others, (1 - row[answer]) / (targets.shape[1] - 2), rtol=1e-5)
        assert row[0] == 0
        assert others.min() > 0
    assert seen.question.right == "others"


@of("training", 2)
def a_warm_up_twice_as_long_has_a_lower_peak(seen: Seen) -> None:
    rates = np.asarray(seen.figures["rate"].data)
    peak, later = (noam_rate(warmup, 512, 1.0, warmup) for warmup in (4000, 8000))
    assert np.isclose(rates, peak, rtol=1e-4).any()
    assert later / peak == pytest.approx(0.707, abs=0.001)
    assert seen.question.right == "lower"


@of("training", 3)
def guessing_gets_no_sequence_right(seen: Seen) -> None:
    config = TrainConfig()
    assert (config.vocab - 1, config.length - 1) == (10, 9), "ten tokens to guess among, nine to guess"
    assert seen.figures["curves"].picture is not None
    assert seen.question.right == "none"


@of("training", 4)
def the_diagonals_are_those_of_cross_attention(seen: Seen) -> None:
    picture = seen.figures["wall"].picture
    assert isinstance(picture, Board)
    copies = {panel.key: np.diag(panel.shown, 1).mean() for panel in picture.panels}
    best = max((key for key in copies if key.startswith("cross")), key=copies.__getitem__)
    assert copies[best] > 0.5 + MARGIN
    assert seen.question.right == "cross"


@of("training", 5)
def at_first_there_is_the_source_and_the_start_symbol(seen: Seen) -> None:
    mask, cross = seen.of("turn", "mask", "cross")
    assert mask.shape == (1, 1)
    assert list(seen.panel("turn", "mask").row_labels) == ["⟨s⟩"]
    np.testing.assert_allclose(cross.sum(1), 1, atol=1e-5)
    assert cross.shape[1] > 1
    assert seen.question.right == "source"


# ---------------------------------------------------------------- by hand


def scores(seen: Seen) -> tuple[np.ndarray, np.ndarray]:
    q, k, mask = seen.of("sheet", "q", "k", "mask")
    return (q @ k.T / math.sqrt(q.shape[1]))[0], mask[0] > 0


@of("hand", 1)
def a_score_is_a_dot_product_divided_by_the_root(seen: Seen) -> None:
    assert seen.question.right == pytest.approx(scores(seen)[0][0])


@of("hand", 2)
def a_weight_is_a_softmax_over_what_may_be_seen(seen: Seen) -> None:
    given, mask = scores(seen)
    weights = np.where(mask, np.exp(given), 0)
    assert seen.question.right == pytest.approx((weights / weights.sum())[0])
    assert not mask.all()


@of("hand", 3)
def a_spread_is_divided_by_one_less(seen: Seen) -> None:
    (x,) = seen.of("sheet", "x")
    assert seen.question.right == pytest.approx(x.std(ddof=1))
    assert abs(x.std(ddof=1) - x.std()) > MARGIN


@of("hand", 4)
def a_gradient_is_what_was_given_less_what_is_right(seen: Seen) -> None:
    (p,) = seen.of("sheet", "p")
    exercise = numbers("loss", 1)
    blank = exercise.blanks[int(seen.stop.settings["sheet_blank"])]
    (at,) = [token for token in range(4) if f"({('⟨pad⟩', 'A', 'B', 'C')[token]})" in blank.place]
    (target,) = [one.right for one in exercise.blanks if one.row == "target" and one.place[1:] == blank.place[1:]]
    assert blank.row == "gradient"
    assert seen.question.right == pytest.approx(p[0, at] - target)


@of("hand", 5)
def one_of_the_lines_comes_from_a_bug(seen: Seen) -> None:
    puzzle = PUZZLES["attention"]
    lines = [puzzle.every[one.line] for one in read(puzzle, seen.stop.settings["mend_order"]) or ()]
    (bug,) = [line for line in lines if isinstance(line, Distractor)]
    assert bug.law == seen.question.right


# ---------------------------------------------------------------- drawing and finding


@of("doing", 1)
def a_row_of_attention_is_drawn(seen: Seen) -> None:
    assert seen.truth().sum() == pytest.approx(1, abs=1e-4)


@of("doing", 2)
def a_wave_begins_at_zero_or_one_and_comes_round_within_the_sheet(seen: Seen) -> None:
    wave = seen.truth()
    assert min(abs(wave[0]), abs(wave[0] - 1)) < 1e-6
    assert np.ptp(wave) > 1.9
    assert np.abs(wave[len(wave) // 2 :] - wave[0]).min() < MARGIN, "it comes back to where it began"


@of("doing", 3)
def a_rate_has_a_peak_and_falls(seen: Seen) -> None:
    rate = seen.truth()
    peak = int(rate.argmax())
    assert 0 < peak < len(rate) - 1
    assert (np.diff(rate[: peak + 1]) > 0).all()
    assert (np.diff(rate[peak:]) < 0).all()


@of("doing", 4)
def what_should_sum_to_one_does_not(seen: Seen) -> None:
    healthy, here = seen.of("evidence", "healthy", "here")
    np.testing.assert_allclose(healthy.sum(1), 1, atol=1e-4)
    assert np.abs(here.sum(1) - 1).max() > MARGIN
    assert fault_of(int(seen.stop.settings["fault"])).name == seen.question.right


@of("doing", 5)
def the_output_does_not_betray_the_fault(seen: Seen) -> None:
    seed, found = int(seen.stop.settings["fault"]), shipped("translate")
    assert fault_of(seed).name == seen.question.right
    names = list(seen.panel("evidence", "here").row_labels)
    assert names[0] == "⟨s⟩"
    assert found.config.words is not None
    outputs = found.config.words.target.tokens_of([name for name in names if not name.startswith("⟨")])
    source = torch.tensor([found.config.words.answer(found.config.words.target.sequence(outputs))])
    written = [
        greedy_decode(model, source, padding_mask(source), 20, 1)[0].tolist()
        for model in (found.model, hidden(found.model, seed))
    ]
    assert written[0] == written[1]
