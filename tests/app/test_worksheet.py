"""The worksheet: judged at once, each slip named by its cause, other numbers, what was replied first, its key."""

import re
from functools import partial
from inspect import signature
from itertools import zip_longest

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import boards, elements, matrices
from tests.app.conftest import Open, in_turn
from transformer_core.decoding.beam import beam_search
from transformer_core.exercises.reply import packed, unpacked
from transformer_core.exercises.worksheet import TASKS, beam
from transformer_core.exercises.worksheet.exercise import SEEDS, Blank
from ui.chapters.practice.boards import BOARDS
from ui.figures.number import number
from ui.text import LANGUAGES, Typed, Words

SHEET = "practice.sheet"


@pytest.fixture
def open_link(open_link: Open) -> Open:
    """No other section is open."""
    return partial(open_link, open="")


def blanks(task: str, seed: int = 1) -> tuple[Blank, ...]:
    return TASKS[task].exercise(seed).blanks


def right(task: str, seed: int = 1) -> list[str]:
    return [f"{blank.right:.2f}" for blank in blanks(task, seed)]


def fields(app: AppTest) -> list[str]:
    """What stands in the fields."""
    return [field.value or "" for field in app.text_input if ".sheet." in str(field.key)]


def fill(app: AppTest, task: str, replies: list[str], seed: int = 1) -> AppTest:
    """Write replies into the fields, and check them."""
    for at, reply in enumerate(replies):
        app.text_input(key=f"practice.sheet.{task}.{seed}.{at}").set_value(reply)
    (check,) = [button for button in app.button if str(button.key).endswith(f".{seed}.check")]
    check.click().run()
    assert not app.exception
    return app


def markup(app: AppTest, name: str) -> list[str]:
    """What is drawn as HTML with this class."""
    return [one.proto.body for one in elements(app.main) if one.type == "html" and f'class="{name}' in one.proto.body]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_beams_sheet_says_its_alpha_and_the_papers(lang: str) -> None:
    said = Words("practice", lang)("sheet.beam.text")
    papers = signature(beam_search).parameters["alpha"].default  # section 6.1
    assert [float(value) for value in re.findall(r"α = ([\d.]*\d)", said)] == [beam.ALPHA, papers]


@in_turn("task", TASKS)
def test_a_sheet_shows_what_is_given_and_no_more_until_all_is_right(open_link: Open, task: str, lang: str) -> None:
    app = open_link("practice", lang=lang, sheet_task=task)
    assert not app.exception
    assert boards(app)[0] == SHEET
    assert BOARDS[task].result not in matrices(app, SHEET)
    fill(app, task, right(task))
    assert [box.value for box in app.success] == [Words("shell", lang)("exercise.done")]
    assert not app.error
    assert BOARDS[task].result in matrices(app, SHEET)


@pytest.mark.parametrize("task", TASKS)
def test_the_figure_shows_the_very_numbers_that_are_right(open_link: Open, task: str) -> None:
    app = open_link("practice", sheet_task=task, sheet_seed="12", sheet_key="1")
    shown = np.concatenate([part.ravel() for part in matrices(app, SHEET).values()])
    for blank in blanks(task, 12):
        assert np.abs(shown - blank.right).min() < 1e-5, blank.place


@pytest.mark.parametrize(("task", "lang"), [(task, list(LANGUAGES)[at % 2]) for at, task in enumerate(TASKS)])
def test_each_slip_is_named_by_its_cause(open_link: Open, task: str, lang: str) -> None:
    say, told = Words("practice", lang), set()
    for slips in zip_longest(*(blank.slips for blank in blanks(task))):
        replies = [f"{blank.slips[slip]:.2f}" if slip else "" for blank, slip in zip(blanks(task), slips)]
        app = open_link("practice", lang=lang, sheet_task=task, sheet_replies=packed(replies))
        expected = {say(f"sheet.{task}.slip.{slip}") for slip in slips if slip}
        assert {box.value.partition("** ")[2] for box in app.error} == expected
        told |= expected
    assert len(told) == len({slip for blank in blanks(task) for slip in blank.slips})


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_no_number_gets_a_sentence_and_stays_in_its_field(open_link: Open, lang: str) -> None:
    shell = Words("shell", lang)
    given = {"one": "no_number", "<b>1</b>": "no_number", "1e999": "too_large", "1/0": "by_zero", "~1": "no_number"}
    app = fill(open_link("practice", lang=lang), "attention", list(given))
    kept = [text.replace("~", "∼") for text in given]
    assert fields(app)[: len(given)] == kept
    assert [box.value.partition("** ")[2] for box in app.warning] == [
        shell(f"predict.{reason}", text=Typed(text)) for text, reason in zip(kept, given.values())
    ]
    assert shell("exercise.score", right=0, blanks=10) in [block.value for block in app.markdown]


def test_a_number_is_right_however_it_is_written(open_link: Open) -> None:
    first, *_ = blanks("softmax")
    for written in ("1/2", "0,5", "50%", "．5", "5e-1"):
        app = fill(open_link("practice", sheet_task="softmax"), "softmax", [written])
        assert first.right == pytest.approx(0.5)
        assert "✓" in markup(app, "verdict")[0]
        assert not app.error


def test_a_wrong_number_that_no_slip_leads_to_is_told_so(open_link: Open) -> None:
    app = fill(open_link("practice", lang="en"), "attention", ["77"])
    assert [box.value.partition("** ")[2] for box in app.error] == [Words("shell", "en")("exercise.wrong")]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_was_replied_first_stays_beside_what_is_right(open_link: Open, lang: str) -> None:
    app = open_link("practice", lang=lang)
    said = Words("shell", lang)("exercise.first", reply="77")
    assert said not in markup(fill(app, "attention", ["77"]), "verdict")[0]
    fill(app, "attention", ["78"])
    assert said in markup(fill(app, "attention", right("attention")), "verdict")[0]
    again = open_link("practice", **{name: str(value) for name, value in app.query_params.items()})
    assert said in markup(again, "verdict")[0]


def test_other_numbers_are_the_next_seed_and_the_replies_to_the_last_ones_come_back_with_them(open_link: Open) -> None:
    app = fill(open_link("practice", sheet_key="1"), "attention", ["77"])
    app.button(key="practice.sheet.others").click().run()
    assert not app.exception
    assert (app.query_params["sheet_seed"], set(fields(app))) == ("2", {""})
    assert "sheet_key" not in app.query_params
    fill(app, "attention", right("attention", 2), 2)
    assert len(app.success) == 1
    app.number_input(key="practice:sheet_seed").set_value(1).run()
    assert fields(app)[0] == "77"
    app.button_group(key="practice:sheet_task").set_value("beam").run()
    assert set(fields(app)) == {""}


def test_after_the_last_sheet_comes_the_first(open_link: Open) -> None:
    app = open_link("practice", sheet_seed=str(SEEDS))
    app.button(key="practice.sheet.others").click().run()
    assert app.number_input(key="practice:sheet_seed").value == 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_seed_of_ten_digits_gets_a_sentence_and_nothing_is_lost(open_link: Open, lang: str) -> None:
    app = fill(open_link("practice", lang=lang), "attention", ["77"])
    app.number_input(key="practice:sheet_seed").set_value(1_234_567_890).run()
    assert len(app.warning) == 1
    assert fields(app)[0] == "77"
    link = open_link("practice", sheet_seed="1234567890")
    assert link.number_input(key="practice:sheet_seed").value == 1


@pytest.mark.parametrize("task", TASKS)
def test_paper_has_every_blank_and_its_number_only_with_the_key(open_link: Open, task: str) -> None:
    bare, told = (markup(open_link("practice", sheet_task=task, sheet_key=key), "sheet-paper") for key in ("0", "1"))
    for (page,), values in ((bare, False), (told, True)):
        for blank in blanks(task):
            value = number(blank.right, 3) if values else ""
            assert f"{blank.place} = <b>{value}</b>" in page


def test_replies_come_back_from_their_text() -> None:
    for given in ([], ["1"], ["", "2"], ["1/2", "", "0,5"], ["a" * 20] * 12):
        assert unpacked(packed(given), 12) == [*given, *[""] * (12 - len(given))]
    assert unpacked("~".join("9" * 400 for _ in range(40)), 12) == ["9" * 20] * 12
