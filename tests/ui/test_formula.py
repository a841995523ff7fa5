"""A formula gives the numbers that a hand finds, names what it uses, and cannot name what is not there."""

import base64
import math
import re
from typing import Any

import numpy as np
import pytest

from ui.figures import formula
from ui.figures.board import Operand, Panel, payload
from ui.figures.evaluated import evaluated, furthest
from ui.figures.figure import Board
from ui.figures.formula import (
    CELL,
    Cases,
    Choose,
    Formula,
    I,
    J,
    K,
    L,
    Matrix,
    Named,
    Number,
    absolute,
    by_cell,
    by_column,
    by_row,
    cos,
    exp,
    largest,
    ln,
    mean,
    message,
    relu,
    root,
    sin,
    total,
)

A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, -6.0]])
a = Matrix("a")


def given(made: Formula | Cases, rows: int = 2, columns: int = 3, **others: Any) -> list[list[float]]:
    return evaluated(made, {"a": A} | others, range(rows), range(columns)).tolist()


def test_sums_products_and_powers_by_hand() -> None:
    assert given(2 * a[I, J] - 1) == [[1, 3, 5], [7, 9, -13]]
    assert given(a[I, J] ** 2 / 4 + (1 - a[I, J])) == [[0.25, 0, 0.25], [1, 2.25, 16]]
    assert given(-a[0, J], rows=1) == [[-1, -2, -3]]
    assert np.allclose(given(2 ** (a[I, 0] / 2), columns=1), [[2**0.5], [4.0]])


def test_functions_by_hand() -> None:
    assert given(absolute(a[1, J]), rows=1) == [[4, 5, 6]]
    assert given(relu(a[1, J]), rows=1) == [[4, 5, 0]]
    assert given(root(a[I, 0]), columns=1) == [[1], [2]]
    np.testing.assert_allclose(given(ln(exp(a[I, J]))), A)
    assert np.allclose(given(sin(a[I, J]) ** 2 + cos(a[I, J]) ** 2), 1)


def test_folds_run_over_an_axis_or_over_the_indices_named() -> None:
    assert given(total(K, 3, a[I, K]), columns=1) == [[6], [3]]
    assert given(mean(K, 2, a[K, J]), rows=1) == [[2.5, 3.5, -1.5]]
    assert given(largest(K, 3, a[I, K]), columns=1) == [[3], [5]]
    assert given(total(K, (0, 2), a[I, K]), columns=1) == [[4], [-2]]
    assert given(total(K, 3, Number(2)), rows=1, columns=1) == [[6]]
    inner = total(K, 2, total(L, 3, a[K, L] * (K + 1)))  # rows counted once and twice
    assert given(inner, rows=1, columns=1) == [[6 + 2 * 3]]


def test_a_product_of_matrices_and_a_softmax() -> None:
    w = np.array([[1.0, 0.0, 2.0], [0.5, -1.0, 1.0], [3.0, 2.0, 1.0], [0.0, 0.0, 1.0]])
    product = total(K, 3, a[I, K] * Matrix("w")[J, K])
    np.testing.assert_allclose(evaluated(product, {"a": A, "w": w}, range(2), range(4)), A @ w.T)
    soft = np.array(given(exp(a[I, J]) / total(K, 3, exp(a[I, K]))))
    np.testing.assert_allclose(soft.sum(1), 1)


def test_indices_are_numbers_too_and_look_things_up() -> None:
    assert given(I * 10 + J) == [[0, 1, 2], [10, 11, 12]]
    assert given(a[I.of([1, 0], "id"), J]) == A[::-1].tolist()
    assert given(a[0, J.moved(1)], rows=1, columns=2) == [[2, 3]]
    assert given(a[0, CELL.of([2, 2, 0, 0, 1, 1], "c")]) == [[3, 3, 1], [1, 2, 2]]
    assert given(J.at_most(I)) == [[1, 0, 0], [1, 1, 0]]
    assert given(a[I, J].differs_from(5)) == [[1, 1, 1], [1, 0, 1]]


def test_a_mask_chooses_and_a_named_step_changes_nothing() -> None:
    mask = np.array([[True, False, True], [False, True, True]])
    chosen = Choose(Matrix("mask")[I, J], a[I, J], Number(-1e9))
    assert given(chosen, mask=mask) == np.where(mask, A, -1e9).tolist()
    assert given(Named("mean", mean(K, 3, a[I, K])) - 1, columns=1) == [[1], [0]]


def test_rows_columns_and_cells_may_have_formulas_of_their_own() -> None:
    assert given(by_row(a[I, J], Number(7))) == [[1, 2, 3], [7, 7, 7]]
    columns = np.array(given(by_column(None, a[I, 0], a[I, 1])))
    assert np.isnan(columns[:, 0]).all()
    assert columns[:, 1:].tolist() == [[1, 2], [4, 5]]
    turned = by_cell(*[a[c % 2, c // 2] for c in range(6)])
    assert given(turned, rows=3, columns=2) == A.T.tolist()


def test_of_a_window_the_formula_is_about_the_whole() -> None:
    x = np.arange(12.0).reshape(3, 4)
    found = evaluated(Matrix("x")[I, J] * J, {"x": x}, range(1, 3), range(2, 4))
    assert found.tolist() == [[6 * 2, 7 * 3], [10 * 2, 11 * 3]]


@pytest.mark.parametrize(
    ("shown", "off"), [(1.0, np.inf), (np.nan, 0.0)], ids=["where a number is shown", "where none is"]
)
def test_a_formula_that_gives_no_number_is_held_against_what_is_shown(shown: float, off: float) -> None:
    made = by_column(None, root(a[I, J] - 10), Number(1))  # given; of a number below 0; right
    values = np.array([[5.0, shown, 1.0], [5.0, shown, 1.0]])
    assert furthest(Board([Panel("a", A), Panel("b", values, made=made)])) == off


def panels(made: Any, **more: Any) -> list[Panel]:
    return [Panel("a", A), Panel("b", np.ones((2, 3)), made=made, **more)]


@pytest.mark.parametrize(
    ("made", "named"),
    [
        (Matrix("nowhere")[I, J], "'nowhere'"),
        (a[J, I], "row that 'a'"),
        (a[I, J.moved(1)], "column that 'a'"),
        (total(K, 4, a[I, K]), "column that 'a'"),
        (a[I, K], "column that 'a'"),
        (a[I.of([0, 2], "id"), J], "row that 'a'"),
        (a[I.of([0], "id"), J], "row that 'a'"),
        (a[-1, J], "row that 'a'"),
        (Choose(Matrix("mask")[I, J], a[I, J], Number(0)), "'mask'"),
        (by_column(None, a[I, 3], None), "column that 'a'"),
    ],
)
def test_what_is_not_there_is_refused_by_both_names(made: Any, named: str) -> None:
    with pytest.raises(ValueError, match=f"panel 'b'.*{named}"):
        payload(panels(made))


@pytest.mark.parametrize(
    "step", [Named("same", a[I, K] ** 2), Named("same", total(L, 3, a[I, L]) * K), Named("o", Named("same", a[0, K]))]
)
def test_a_step_that_is_not_the_same_for_the_whole_cell_is_refused(step: Named) -> None:
    with pytest.raises(ValueError, match=f"panel 'b'.*step '{step.name}'.*'u'"):
        payload(panels(total(K, 3, step)))


def test_a_step_with_a_sum_of_its_own_may_stand_in_a_sum() -> None:
    step = Named("mean", mean(K, 3, a[I, K]))
    assert payload(panels(total(K, 3, (a[I, K] - step) ** 2)))
    assert payload(panels(total(L, 3, a[I, L] - step)))


def test_a_window_does_not_hide_what_the_formula_may_use() -> None:
    wide = Panel("a", A, window=(slice(None), slice(0, 1)))
    sent = payload([wide, Panel("b", np.ones((2, 1)), made=total(K, 3, a[I, K]))])["panels"]
    assert (sent[0]["shape"], sent[0]["size"], sent[0]["first"]) == ((2, 1), (2, 3), (0, 0))
    named = sent[0]["named"]
    assert named
    assert (named["first"], named["columns"]) == ((0, 0), 3)
    assert np.frombuffer(base64.b64decode(named["values"]), "<f4").tolist() == A.ravel().tolist()
    assert sent[1]["named"] is None


def test_only_the_operands_that_a_formula_names_travel() -> None:
    operands = [Operand("w", A, "W^Q"), Operand("unused", A)]
    sent = payload([Panel("b", A, made=Matrix("w")[I, J])], operands=operands)["operands"]
    assert [(operand["key"], operand["symbol"]) for operand in sent] == [("w", "W^Q")]
    with pytest.raises(ValueError, match="differ"):
        payload([Panel("w", A)], operands=operands)


def test_the_message_holds_each_formula_once() -> None:
    sent = message(by_column(a[I, J], None, a[I, J]))
    assert sent == {"axis": "j", "table": [0, -1, 0], "formulas": [["cell", "a", ["i", 0], ["j", 0]]]}
    assert message(None) is None
    fold = message(total(K, 3, a[I.of([1, 0], "id", held=("ids", 2)), K]))
    assert fold
    assert fold["formulas"] == [["fold", "sum", "u", 3, ["cell", "a", ["i", 0, [1, 0], "id", ("ids", 2)], ["u", 0]]]]


def test_the_examples_of_its_description_are_formulas_with_the_numbers_that_they_name() -> None:
    """Each line of it, with matrices by the names that it uses."""
    lines = re.findall(r"^    (.+?) {2,}(\S.*)$", formula.__doc__ or "", re.MULTILINE)
    numbers = np.random.default_rng(0)
    d_k, S, T, token_ids = 5, 4, 3, [6, 0, 2]
    sizes = {"q": (T, d_k), "k": (S, d_k), "products": (T, S), "e": (T, S), "table": (7, S), "scores": (T, S)}
    given = {name: numbers.normal(size=size) for name, size in sizes.items()} | {"mask": np.eye(T, S)}
    names = vars(formula) | {name: Matrix(name) for name in given} | {"d_k": d_k, "S": S, "token_ids": token_ids}
    expected = {
        "q · kᵀ": given["q"] @ given["k"].T,
        "/ √d_k": given["products"] / math.sqrt(d_k),
        "softmax": given["e"] / given["e"].sum(1, keepdims=True),
        "embedding": given["table"][token_ids],
        "mask": np.where(given["mask"] == 1, given["scores"], -1e9),
    }
    assert [name for name, _ in lines] == [*expected]
    for name, line in lines:
        made = eval(line, names)
        np.testing.assert_allclose(evaluated(made, given, range(T), range(S)), expected[name], err_msg=name)
