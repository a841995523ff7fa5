"""What travels to the canvas is exactly what the model computed, and what lights up is exactly what was used."""

import base64
import json

import numpy as np
import pytest

from ui.figures.board import Operand, Panel, inside, nearest, payload, scale_of
from ui.figures.formula import I, J, K, Matrix, total


def sent(panel: Panel, *others: Panel) -> dict:
    return json.loads(json.dumps(payload([panel, *others])))["panels"][0]


def received(panel: dict) -> np.ndarray:
    return np.frombuffer(base64.b64decode(panel["values"]), "<f4").reshape(panel["shape"])


def test_every_value_arrives_bit_for_bit() -> None:
    values = np.array([[0.1, -2e-9, np.nan], [np.inf, -np.inf, 3e7]], dtype=np.float32)
    assert received(sent(Panel("x", values))).tobytes() == values.tobytes()


def test_a_transposed_matrix_arrives_as_it_is_seen() -> None:
    values = np.arange(6.0).reshape(2, 3)
    assert received(sent(Panel("x", values.T))).tolist() == [[0, 3], [1, 4], [2, 5]]


def test_a_signed_scale_is_centred_on_zero() -> None:
    assert Panel("x", np.array([[0.5, -2.0, 1.0]])).ends() == (-2.0, 2.0)
    assert Panel("x", np.array([[0.5, -2.0, 1.0]]), high=3.0).ends() == (-3.0, 3.0)
    assert Panel("x", np.zeros((2, 3))).ends() == (-1.0, 1.0)


def test_a_probability_scale_runs_from_zero_to_one_whatever_the_values() -> None:
    assert Panel("x", np.array([[0.2, 0.3]]), scale="probability").ends() == (0.0, 1.0)


def test_a_magnitude_scale_starts_at_zero() -> None:
    assert Panel("x", np.array([[2.0, 7.0]]), scale="magnitude").ends() == (0.0, 7.0)


def test_blocked_and_infinite_cells_do_not_stretch_the_scale() -> None:
    scores = np.array([[1.5, -1e9, -np.inf, np.nan]])
    blocked = np.array([[False, True, False, False]])
    assert Panel("scores", scores, blocked=blocked).ends() == (-1.5, 1.5)


def test_an_empty_cell_is_not_a_masked_one_and_does_not_stretch_the_scale() -> None:
    dropped = np.array([[False, True, False]])
    panel = Panel("x", np.array([[1.5, 9.0, -1.0]]), vacant=dropped)
    assert panel.ends() == (-1.5, 1.5)
    message = sent(panel)
    assert message["hidden"] is None
    assert np.frombuffer(base64.b64decode(message["vacant"]), np.uint8).tolist() == [0, 1, 0]
    assert sent(Panel("x", np.ones((1, 2))))["vacant"] is None


def test_numbers_that_are_never_negative_have_a_scale_that_starts_at_zero() -> None:
    assert scale_of(np.array([[0.0, 2.0]])) == "magnitude"
    assert scale_of(np.array([[0.0, 2.0]]), np.array([[-0.1]])) == "signed"


def test_a_mask_hides_where_it_says_no() -> None:
    mask = np.tril(np.ones((2, 3), dtype=bool))
    hidden = np.frombuffer(base64.b64decode(sent(Panel("mask", mask, scale="mask"))["hidden"]), np.uint8)
    assert hidden.reshape(2, 3).tolist() == [[0, 1, 1], [0, 0, 1]]


def test_a_matrix_without_a_mask_hides_nothing() -> None:
    assert sent(Panel("x", np.ones((2, 3))))["hidden"] is None


def test_a_chosen_cell_outside_the_board_is_none() -> None:
    panels = [Panel("a", np.ones((2, 3))), Panel("b", np.ones((4, 1)))]
    assert inside(panels, ["a", 1, 2]) == ("a", 1, 2)
    assert inside(panels, ("b", 3, 0)) == ("b", 3, 0)
    for cell in (("a", 2, 0), ("a", 0, 3), ("a", -1, 0), ("c", 0, 0), ("a", "0", 0), ("a", True, 0), ("a", 0), None, 7):
        assert inside(panels, cell) is None


def test_a_cell_of_a_matrix_that_shrank_moves_to_its_edge() -> None:
    panels = [Panel("a", np.ones((2, 3))), Panel("b", np.ones((4, 1)))]
    assert nearest(panels, ("a", 1, 2)) == ("a", 1, 2)
    assert nearest(panels, ("a", 9, 1)) == ("a", 1, 1)
    assert nearest(panels, ("b", 2, 9)) == ("b", 2, 0)
    assert nearest(panels, ("c", 0, 0)) is None
    assert nearest(panels, None) is None


@pytest.mark.parametrize("values", [np.ones(3), np.ones((2, 0)), np.ones((1, 2, 3))])
def test_only_a_matrix_can_be_drawn(values: np.ndarray) -> None:
    with pytest.raises(ValueError, match="matrix"):
        Panel("x", values)


def test_labels_and_masks_must_fit_the_matrix() -> None:
    values = np.ones((2, 3))
    with pytest.raises(ValueError, match="3 row_labels for 2"):
        Panel("x", values, row_labels=("a", "b", "c"))
    with pytest.raises(ValueError, match="2 col_labels for 3"):
        Panel("x", values, col_labels=("a", "b"))
    with pytest.raises(ValueError, match="blocked"):
        Panel("x", values, blocked=np.ones((3, 2), dtype=bool))
    with pytest.raises(ValueError, match="vacant"):
        Panel("x", values, vacant=np.ones((3, 2), dtype=bool))
    with pytest.raises(ValueError, match="meaning"):
        Panel("x", values, meaning="question")


def test_a_board_has_no_two_panels_of_one_name() -> None:
    with pytest.raises(ValueError, match="differ"):
        payload([Panel("x", np.ones((1, 2))), Panel("x", np.ones((2, 1)))])


def test_only_what_formulas_name_travels_of_a_matrix_that_is_not_drawn_whole() -> None:
    x, w = np.arange(40.0).reshape(4, 10), np.arange(50.0).reshape(5, 10)
    two, three = (slice(1, 3), slice(None)), (slice(None), slice(2, 5))
    made = total(K, 10, Matrix("x")[I, K] * Matrix("w")[J, K])
    panels = [Panel("x", x, window=three), Panel("y", x @ w.T, made=made, window=(slice(1, 3), slice(3, 5)))]
    message = payload(panels, operands=[Operand("w", w)])
    (sent_x, sent_y), (sent_w,) = message["panels"], message["operands"]
    for matrix, part, first in ((sent_x, x[two], (1, 0)), (sent_w, w[3:5], (3, 0))):
        named = matrix["named"]
        assert named
        assert (named["first"], named["columns"]) == (first, 10)
        assert np.frombuffer(base64.b64decode(named["values"]), "<f4").tolist() == part.ravel().tolist()
    assert sent_y["named"] is None, "no formula names it"
    shown = [Panel("x", x, window=two), Panel("y", 2 * x, made=2.0 * Matrix("x")[I, J], window=two)]
    assert payload(shown)["panels"][0]["named"] is None, "what is drawn is enough"


def test_labels_made_of_words_are_sent_with_what_they_mean() -> None:
    panel = Panel("x", np.ones((3, 1)), row_labels=["花", "⟨s⟩ → 朵", "⟨s⟩ 1"], col_labels=["花 23"])
    (sent,) = payload([panel], glosses={"花": "flower", "朵": "(measure)"})["panels"]
    assert sent["glosses"] == {"row": ["flower", "⟨s⟩ → (measure)", ""], "column": ["flower"]}
    turns = Panel("y", np.ones((2, 1)), row_labels=["3 → 花 ✗", "花 ◂"])
    (sent,) = payload([turns], glosses={"花": "flower"})["panels"]
    assert sent["glosses"]["row"] == ["flower", "flower"]
    assert payload([panel])["panels"][0]["glosses"] == {"row": ["", "", ""], "column": [""]}
