"""One attention as panels."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from transformer_core import attention_steps, softmax_steps
from ui.chapters.attention.stages import NAMES as STAGES
from ui.figures.board import nearest, payload
from ui.figures.evaluated import evaluated
from ui.figures.stages import LINES, PAIRS, HeadValues, Names, arrive, board, follow, pair

T, S, D = 3, 5, 4
TITLES = {name: name for line in LINES["all"] for name in line} | {"mask": "mask", "exponentials": "e"}


@pytest.fixture
def head() -> HeadValues:
    q, k, v = torch.randn(T, D), torch.randn(S, D), torch.randn(S, D)
    mask = torch.ones(T, S, dtype=torch.bool).tril(1)
    steps = attention_steps(q, k, v, mask)
    arrays = {name: getattr(steps, name).numpy() for name in ("products", "scores", "masked", "weights", "output")}
    exponentials = softmax_steps(steps.masked).exponentials.numpy()
    return HeadValues(
        q.numpy(), k.numpy(), v.numpy(), **arrays, mask=mask.numpy(), exponentials=exponentials, blocked=-1e9
    )


@pytest.fixture
def names() -> Names:
    return Names(TITLES, "queries", "keys", "keys", "dimension", list("abc"), list("vwxyz"), padded_keys=[4])


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_is_a_board_whose_sources_are_on_it(head: HeadValues, names: Names, stage: str) -> None:
    assert [
        panel["key"]
        for panel in payload(board(head, names, stage).panels, operands=board(head, names, stage).operands)["panels"]
    ] == [name for line in LINES[stage] for name in line]


def test_a_matrix_has_a_formula_where_its_operands_are_shown(head: HeadValues, names: Names) -> None:
    made = {stage: [panel.key for panel in board(head, names, stage).panels if panel.made] for stage in STAGES}
    assert made == {
        "products": ["products"],
        "scores": ["scores"],
        "masked": ["masked"],
        "weights": ["exponentials", "weights"],
        "output": ["output"],
        "all": ["products", "scores", "masked", "weights", "output"],
    }


def test_a_blocked_score_is_minus_a_billion_and_an_open_one_the_score(head: HeadValues, names: Names) -> None:
    (masked,) = [panel for panel in board(head, names, "masked").panels if panel.key == "masked"]
    scores = np.full_like(head.scores, 0.5)
    assert masked.made
    made = evaluated(masked.made, {"scores": scores, "mask": head.mask}, *masked.places)
    assert np.unique(made[head.mask]).tolist() == [0.5]
    assert np.unique(made[~head.mask]).tolist() == [-1e9]


def test_without_the_scale_a_score_is_the_product(head: HeadValues, names: Names) -> None:
    unscaled = replace(head, scores=head.products, scale=False)
    for one, factor in ((head, 1 / 2), (unscaled, 1)):  # √4
        (scores,) = [panel for panel in board(one, names, "scores").panels if panel.key == "scores"]
        assert scores.made
        made = evaluated(scores.made, {"products": head.products}, *scores.places)
        np.testing.assert_allclose(made, head.products * factor, rtol=1e-6)


def test_blocked_cells_are_hatched_from_the_mask_on(head: HeadValues, names: Names) -> None:
    panels = {panel.key: panel for panel in board(head, names, "weights").panels}
    for name in ("masked", "exponentials", "weights"):
        np.testing.assert_array_equal(panels[name].blocked, ~head.mask)


def test_the_mask_does_not_change_the_colours_of_what_it_lets_through(head: HeadValues, names: Names) -> None:
    ends = {panel.key: panel.ends() for panel in board(head, names, "masked").panels}
    assert ends["masked"] == ends["scores"]


def test_products_and_scores_have_one_scale_so_that_the_root_is_seen_to_shrink_them(
    head: HeadValues, names: Names
) -> None:
    largest = float(np.abs(head.products).max())
    for stage in STAGES:
        ends = {panel.key: panel.ends() for panel in board(head, names, stage, follows=True).panels}
        assert {ends[name] for name in ("products", "scores", "masked") if name in ends} <= {(-largest, largest)}, stage
    alone = {panel.key: panel.ends() for panel in board(head, names, "weights").panels}
    assert alone["masked"] == (-float(np.abs(head.scores).max()), float(np.abs(head.scores).max()))


def test_a_stage_is_entered_at_its_result_for_the_same_query_and_key() -> None:
    assert arrive(("products", 2, 4), "scores") == ("scores", 2, 4)
    assert arrive(("weights", 2, 4), "output") == ("output", 2, 0)
    assert arrive(("weights", 2, 4), "all") == ("weights", 2, 4)
    assert arrive(None, "scores") is None


def test_a_cell_outside_the_matrix_moves_to_its_edge(head: HeadValues, names: Names) -> None:
    shown = {stage: board(head, names, stage).panels for stage in ("products", "weights")}
    assert nearest(shown["products"], follow(("products", 9, 9), "products")) == ("products", T - 1, S - 1)
    assert nearest(shown["weights"], follow(("q", 9, 9), "weights")) == ("weights", T - 1, 0)
    assert nearest(shown["weights"], follow(None, "weights")) is None


def test_a_cell_names_its_query_and_key_as_far_as_it_has_them() -> None:
    assert {name: pair((name, 1, 2)) for name in PAIRS} == dict.fromkeys(PAIRS, (1, 2))
    assert (pair(("q", 1, 2)), pair(("v", 1, 2)), pair(None)) == ((1, None), (None, 1), (None, None))
