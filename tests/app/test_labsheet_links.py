"""The lab sheet of links that say what no page has written: a first answer that is none, or another exercise."""

import pytest

from tests.app.conftest import Open
from tests.app.test_labsheet import kept
from transformer_core.exercises.drawing.packed import packed
from transformer_core.exercises.faults.which_fault import FAULTS
from transformer_core.labsheet.judges import draw
from transformer_core.labsheet.sheet import LabSheet
from ui.chapters.practice.labsheet import lab_page
from ui.text import Words


@pytest.mark.parametrize("first", ["<svg>", "nan", "zz"])
def test_what_a_link_calls_the_first_drawing_and_is_none_is_not_on_the_sheet(open_link: Open, first: str) -> None:
    drawn = packed([0] * 21)
    app = open_link("practice", draw_task="rate", drawn=drawn, drawn_run=drawn, drawn_first=first)
    assert not app.exception
    (entry,) = kept(app).values()
    assert lab_page(LabSheet("en", "", (entry,))).count("<polyline") == 1


def test_what_a_link_calls_the_first_name_of_a_fault_and_is_none_is_not_on_the_sheet(open_link: Open) -> None:
    app = open_link("practice", lang="en", fault="5", fault_named=next(iter(FAULTS)), fault_first="<b>x")
    assert not app.exception
    (entry,) = kept(app).values()
    assert entry.kind == "fault"
    assert Words("practice", "en")("labsheet.first", reply="").strip(" .") not in lab_page(LabSheet("en", "", (entry,)))


@pytest.mark.parametrize(
    "link",
    [
        {"draw_task": "rate", "draw_seed": "2", "drawn_run": "00" * 21},
        {"draw_task": "wave", "draw_seed": "1", "drawn_run": "00" * 21},
        {"draw_task": "rate", "draw_seed": "1", "drawn_run": "nan"},
        {"draw_task": "rate", "draw_seed": "1"},
        {},
    ],
    ids=["seed", "task", "letters", "nothing", "bare"],
)
def test_a_link_to_another_drawing_is_not_passed_for_this_one(link: dict[str, str]) -> None:
    assert draw("practice", "rate 1", link) == ()
    assert draw("practice", "rate 1", {"draw_task": "rate", "draw_seed": "1", "drawn_run": "00" * 21}) != ()
