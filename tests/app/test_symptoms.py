"""From symptom to cause: one press makes a symptom, and the page says which line is true."""

import pytest

from tests.app import boards
from tests.app.conftest import Open
from transformer_core.exercises.symptoms.every_symptom import SYMPTOMS
from ui.figures.curves import Curves
from ui.figures.figure import Figure
from ui.text import LANGUAGES, Words


@pytest.mark.parametrize("lang", LANGUAGES)
def test_one_press_makes_a_symptom_and_its_line_alone_is_true(open_link: Open, lang: str) -> None:
    app, say = open_link("symptoms", lang=lang), Words("symptoms", lang)
    for name in ("nan", "rows", "alone"):
        app.button_group(key="symptoms:symptom").set_value(name).run()
        for at in range(3):
            app.selectbox(key="symptoms:cause").set_value(at).run()
            said = boards.written(app)
            for number in (1, 2, 3):
                here = say("found" if number == at + 1 else "not_found")
                assert say("told", number=number, here=here, healthy=say("not_found")) in said
            assert say(f"apart.{name}") in said
    assert not app.exception


def test_the_matrices_of_both_states_are_those_of_the_cause_and_of_none(open_link: Open) -> None:
    shown = boards.matrices(open_link("symptoms", symptom="nan", cause="2", symptom_seed="5"), "symptoms.made")
    assert shown["here"].sum(1).tolist() == [0, 0, 0, shown["here"].shape[1]]
    assert not shown["healthy"].any()


def test_a_run_that_is_stuck_is_drawn_beside_a_healthy_one(open_link: Open, shown: list[Figure]) -> None:
    open_link("symptoms", symptom="stuck", cause="1", lang="en")
    (figure,) = shown
    assert [type(picture) for picture in figure.pictures] == [Curves] * 3
    step, loss, _, moved, healthy_loss, _, healthy_moved = figure.data.T
    assert step.tolist() == list(range(1, len(step) + 1))
    assert loss[-1] > 5 * healthy_loss[-1]
    assert moved[-1] < 0.01
    assert healthy_moved[-1] > 1


def test_a_link_with_an_unknown_symptom_or_cause_shows_the_first_one(open_link: Open) -> None:
    first = boards.written(open_link("symptoms", lang="en"))
    unknown = open_link("symptoms", symptom="fever", cause="3", symptom_seed="-1", lang="en")
    assert boards.written(unknown) == first
    assert unknown.button_group(key="symptoms:symptom").value == next(iter(SYMPTOMS))
