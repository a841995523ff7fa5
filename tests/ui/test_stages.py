"""One attention as panels."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from transformer_core import attention_steps, softmax_steps
from ui.figures.arithmetic import number
from ui.figures.board import nearest, payload
from ui.figures.stages import LINES, PAIRS, Head, Names, arithmetic_of, arrive, board, follow, pair
from ui.settings.attention import STAGES

T, S, D = 3, 5, 4
TITLES = {name: name for line in LINES["all"] for name in line} | {"mask": "mask", "exponentials": "e"}


@pytest.fixture
def head() -> Head:
    q, k, v = torch.randn(T, D), torch.randn(S, D), torch.randn(S, D)
    mask = torch.ones(T, S, dtype=torch.bool).tril(1)
    steps = attention_steps(q, k, v, mask)
    arrays = {name: getattr(steps, name).numpy() for name in ("products", "scores", "masked", "weights", "output")}
    exponentials = softmax_steps(steps.masked).exponentials.numpy()
    return Head(q.numpy(), k.numpy(), v.numpy(), **arrays, mask=mask.numpy(), exponentials=exponentials)


@pytest.fixture
def names() -> Names:
    return Names(TITLES, "queries", "keys", "keys", "dimension", list("abc"), list("vwxyz"), padded_keys=[4])


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_is_a_board_whose_sources_are_on_it(head: Head, names: Names, stage: str) -> None:
    assert [panel["key"] for panel in payload(board(head, names, stage))["panels"]] == [
        name for line in LINES[stage] for name in line
    ]


@pytest.mark.parametrize("name", ["products", "scores", "masked", "exponentials", "weights", "output"])
def test_the_arithmetic_of_every_cell_ends_with_its_value(head: Head, name: str) -> None:
    values = getattr(head, name)
    for i, j in np.ndindex(*values.shape):
        written = arithmetic_of(head, (name, i, j))
        assert written.endswith(f'<b class="chosen">{number(float(values[i, j]))}</b></div>'), (name, i, j)


def test_a_blocked_score_is_written_once_and_an_open_one_with_the_score_it_keeps(head: Head) -> None:
    for i, j in np.ndindex(*head.mask.shape):
        written = arithmetic_of(head, ("masked", i, j))
        assert written.count(" = ") == (2 if head.mask[i, j] else 1)
        assert (" = s<sub>" in written) == head.mask[i, j]


def test_without_the_scale_a_score_is_the_product(head: Head) -> None:
    unscaled = replace(head, scores=head.products, scale=False)
    assert "√" in arithmetic_of(head, ("scores", 1, 2))
    written = arithmetic_of(unscaled, ("scores", 1, 2))
    assert "√" not in written
    assert written.endswith(f"{number(float(head.products[1, 2]))}</b></div>")


def test_an_operand_is_only_shown(head: Head) -> None:
    assert arithmetic_of(head, ("q", 0, 0)) == ""


def test_blocked_cells_are_hatched_from_the_mask_on(head: Head, names: Names) -> None:
    panels = {panel.key: panel for panel in board(head, names, "weights")}
    for name in ("masked", "exponentials", "weights"):
        np.testing.assert_array_equal(panels[name].blocked, ~head.mask)


def test_the_mask_does_not_change_the_colours_of_what_it_lets_through(head: Head, names: Names) -> None:
    ends = {panel.key: panel.ends() for panel in board(head, names, "masked")}
    assert ends["masked"] == ends["scores"]


def test_a_stage_is_entered_at_its_result_for_the_same_query_and_key() -> None:
    assert arrive(("products", 2, 4), "scores") == ("scores", 2, 4)
    assert arrive(("weights", 2, 4), "output") == ("output", 2, 0)
    assert arrive(("weights", 2, 4), "all") == ("weights", 2, 4)
    assert arrive(None, "scores") is None


def test_a_cell_outside_the_matrix_moves_to_its_edge(head: Head, names: Names) -> None:
    shown = {stage: board(head, names, stage) for stage in ("products", "weights")}
    assert nearest(shown["products"], follow(("products", 9, 9), "products")) == ("products", T - 1, S - 1)
    assert nearest(shown["weights"], follow(("q", 9, 9), "weights")) == ("weights", T - 1, 0)
    assert nearest(shown["weights"], follow(None, "weights")) is None


def test_a_cell_names_its_query_and_key_as_far_as_it_has_them() -> None:
    assert {name: pair((name, 1, 2)) for name in PAIRS} == dict.fromkeys(PAIRS, (1, 2))
    assert (pair(("q", 1, 2)), pair(("v", 1, 2)), pair(None)) == ((1, None), (None, 1), (None, None))
