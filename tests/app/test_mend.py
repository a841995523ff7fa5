"""Mixed-up lines of the core on the page: what a reader moves is in the link, and the laws judge it."""

from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import does, payload, press
from tests.app.conftest import Open, in_turn
from tests.core.test_parsons import EVERY, with_distractor, without
from transformer_core.exercises.parsons import PUZZLES
from transformer_core.exercises.parsons.assembly import assembled, right, written
from transformer_core.exercises.parsons.judge import judge
from transformer_core.exercises.parsons.puzzle import Puzzle
from ui.text import LANGUAGES, Words, blanks, load

BENCH = "practice.mend"
FROM_THE_PAGE = {"line", "code"}  # blanks that are of the place, not of the law


@pytest.fixture
def open_link(open_link: Open) -> Open:
    """The section alone is open."""
    return partial(open_link, open="mend")


def order_of(app: AppTest) -> str:
    said = app.query_params.get("mend_order", "")
    return said if isinstance(said, str) else said[0]


def put(app: AppTest, puzzle: str, lines: object, number: object = 1) -> None:
    does(app, BENCH, "order", {"puzzle": puzzle, "number": number, "lines": lines})
    assert not app.exception


def shown(app: AppTest) -> dict[str, Any]:
    return payload(app, BENCH)


def told(app: AppTest) -> list[str]:
    return [one.value for one in (*app.error, *app.success)]


@in_turn("puzzle", PUZZLES)
def test_the_right_lines_are_judged_right(open_link: Open, puzzle: str, lang: str) -> None:
    say = Words("practice", lang)
    app = open_link("practice", lang=lang, mend_puzzle=puzzle, mend_order=written(right(PUZZLES[puzzle])))
    assert not app.exception
    assert told(app) == []
    assert any(say(f"mend.goal.{puzzle}").partition("**")[2][:12] in block.value for block in app.markdown)
    press(app, "practice.mend.judge")
    assert told(app) == [say("mend.right", count=len(PUZZLES[puzzle].laws))]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_wrong_line_is_told_by_the_law_with_its_number_and_by_its_cause(open_link: Open, lang: str) -> None:
    say, puzzle = Words("practice", lang), PUZZLES["attention"]
    late = next(line for line in puzzle.distractors if line.name == "late")
    wrong = written(with_distractor(puzzle, late))
    app = open_link("practice", lang=lang, mend_order=wrong, mend_judged=wrong)
    (said,) = told(app)
    assert say("mend.broken.attention.rows", row=4, sum="0.444") in said
    assert said.endswith(say("mend.cause.attention.late"))
    table = next(item.proto.body for item in app.get("html") if 'class="checks"' in item.proto.body)
    assert table.count(say("mend.held")) == 1
    assert table.count(say("mend.failed")) == 1
    assert table.count(say("mend.unmeasured")) == len(puzzle.laws) - 2


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_error_names_its_line_and_marks_it(open_link: Open, lang: str) -> None:
    order = written(without(PUZZLES["attention"], "masked"))
    app = open_link("practice", lang=lang, mend_order=order, mend_judged=order)
    (said,) = told(app)
    assert "`masked`" in said
    assert "` weights = masked.softmax(dim=-1) `" in said
    assert shown(app)["marked"] == PUZZLES["attention"].place("weights")


def test_what_the_reader_moves_is_in_the_link_and_takes_the_verdict_away(open_link: Open) -> None:
    app = open_link("practice", lang="en")
    assert [one.disabled for one in app.button if "practice.mend" in str(one.key)] == [True, True, False]
    put(app, "attention", [[0, 0], [6, 1]])
    assert order_of(app) == "0061"
    assert shown(app)["order"] == [[0, 0], [6, 1]]
    assert shown(app)["heard"] == 1
    assert told(app) == []
    press(app, "practice.mend.judge")
    assert "line" in told(app)[0]
    put(app, "attention", [[0, 0]], 2)
    assert told(app) == []
    press(app, "practice.mend.again")
    assert (order_of(app), shown(app)["order"], told(app)) == ("", [], [])


SENT: list[Any] = [
    None, 7, [], {}, "0000", {"lines": [[0, 0]]}, {"puzzle": "attention", "lines": [[0, 0]]},
    {"puzzle": "attention", "number": "2", "lines": [[0, 0]]},
    {"puzzle": "attention", "number": True, "lines": [[0, 0]]},
    {"puzzle": "masks", "number": 2, "lines": [[0, 0]]},
    {"puzzle": "attention", "number": 2, "lines": [[0, 9]]},
    {"puzzle": "attention", "number": 2, "lines": [["import os", 0]]},
    {"puzzle": "attention", "number": 2, "lines": {"0": 0}},
    {"puzzle": "attention", "number": 2, "lines": [[0, 0], [0, 0]]},
    {"puzzle": ["attention"], "number": 2, "lines": [[99, 0]]},
]  # fmt: skip


def test_what_no_browser_would_send_changes_nothing(open_link: Open) -> None:
    app = open_link("practice", lang="en", mend_order="0010")
    for event in SENT:
        does(app, BENCH, "order", event)
        assert not app.exception
        assert order_of(app) == "0010", event
        assert shown(app)["order"] == [[0, 0], [1, 0]], event


@pytest.mark.parametrize("order", ["0", "zz", "0000", "f0", "09", "00" * 30, "<script>", "１０"])
def test_a_link_with_no_order_is_one_with_an_empty_one(open_link: Open, order: str) -> None:
    app = open_link("practice", lang="en", mend_order=order, mend_first=order)
    assert not app.exception
    assert shown(app)["order"] == []


def test_another_puzzle_and_another_mixture_begin_anew(open_link: Open) -> None:
    app = open_link("practice", lang="en", mend_order="0010", mend_judged="0010")
    before = shown(app)["pool"]
    press(app, "practice.mend.mix")
    assert (shown(app)["order"], told(app)) == ([], [])
    assert sorted(shown(app)["pool"]) == sorted(before)
    assert shown(app)["pool"] != before
    put(app, "attention", [[0, 0]])
    app.button_group(key="practice:mend_puzzle").set_value("masks").run()
    assert not app.exception
    assert (shown(app)["puzzle"], shown(app)["order"], order_of(app)) == ("masks", [], "")


def test_the_first_try_stays_beside_the_truth(open_link: Open) -> None:
    puzzle = PUZZLES["smoothing"]
    wrong, order = without(puzzle, "padding"), right(puzzle)
    app = open_link("practice", lang="en", mend_puzzle="smoothing", mend_order=written(wrong))
    press(app, "practice.mend.judge")
    put(app, "smoothing", [list(placed) for placed in order])
    press(app, "practice.mend.judge")
    assert app.success
    assert any("Your first try: The padding token has probability 0.02" in block.value for block in app.markdown)


def numbers_of(puzzle: Puzzle) -> dict[str, set[str]]:
    """What each law says of a few functions, right ones and wrong ones."""
    found: dict[str, set[str]] = {law.name: set() for law in puzzle.laws}
    for assembly in (right(puzzle), *(with_distractor(puzzle, line) for line in puzzle.distractors)):
        subject = puzzle.subject(assembled(puzzle, assembly))
        for law in puzzle.laws:
            with suppress(Exception):  # not every function comes as far as to be measured
                found[law.name] |= law.measure(subject).values.keys()
    return found


@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES)
def test_every_law_has_its_words_and_the_numbers_that_they_name(puzzle: Puzzle) -> None:
    texts, found = load("practice"), numbers_of(puzzle)
    for law, numbers in found.items():
        assert f"mend.law.{puzzle.name}.{law}" in texts
        assert blanks(texts[f"mend.broken.{puzzle.name}.{law}"]["en"]) <= numbers, law
    assert {f"mend.cause.{puzzle.name}.{line.name}" for line in puzzle.distractors} <= texts.keys()


def test_every_slip_has_its_words_and_the_values_that_they_name() -> None:
    texts = load("practice")
    for puzzle, line in EVERY:
        verdict = judge(puzzle, with_distractor(puzzle, line))
        if verdict.kind == "slip":
            assert blanks(texts[f"mend.slip.{verdict.name}"]["en"]) <= {*verdict.values, *FROM_THE_PAGE}
