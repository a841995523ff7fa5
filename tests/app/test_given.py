"""An answer is what a reader presses. What a link, a scene or a stop sets is shown, and is nobody's answer."""

from collections.abc import Mapping

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.answers import ASKING, right, wrong
from tests.app.conftest import Open, linked
from tests.app.telling import with_a_button
from transformer_core.exercises.parsons import PUZZLES
from transformer_core.exercises.parsons.assembly import right as in_order
from transformer_core.exercises.parsons.assembly import written
from transformer_core.exercises.reply import packed
from transformer_core.exercises.worksheet import TASKS
from transformer_core.labsheet.key import key
from transformer_core.labsheet.sheet import Entry
from ui.chapters.masks.probes import FUTURE
from ui.frame.labsheet_entries import KEPT
from ui.text import Words

QUESTION = ("question", f"masks {FUTURE.name}")
BLANKS = TASKS["beam"].exercise(7).blanks
DRAWING = key(Entry("draw", "wave 7", "", ()))[0].reply
DONE = {  # exercises that a link has solved
    "worksheet": {
        "sheet_task": "beam",
        "sheet_seed": "7",
        "sheet_replies": packed([repr(one.right) for one in BLANKS]),
    },
    "mend": {
        "mend_order": written(in_order(PUZZLES["attention"])),
        "mend_judged": written(in_order(PUZZLES["attention"])),
    },
    "draw": {"draw_task": "wave", "draw_seed": "7", "drawn": DRAWING, "drawn_run": DRAWING},
}


def gathered(app: AppTest) -> Mapping[tuple[str, str], Entry]:
    entries: dict[tuple[str, str], Entry] = app.session_state["kept"].get("remembered", {}).get(KEPT) or {}
    return entries


@pytest.mark.parametrize("chapter", ASKING)
def test_a_link_with_replies_shows_what_they_open_and_answers_nothing(open_link: Open, chapter: str) -> None:
    replies = right(chapter)
    app = linked(chapter, lang="en", **replies)
    assert not app.exception
    said = Words("shell", "en")("predict.right", answer="", reason="").partition(":")[0]
    assert not [box.value for box in app.success if box.value.startswith(said)]
    assert not gathered(app)
    assert [box.value for box in app.info if "not your answer" in box.value]


@pytest.mark.parametrize("section", DONE)
def test_an_exercise_that_a_link_has_solved_is_nobodys(open_link: Open, section: str) -> None:
    app = linked("practice", open=section, lang="en", **DONE[section])
    assert not app.exception
    assert not app.success
    assert not gathered(app)
    assert [box.value for box in app.info if "link" in box.value]


def test_who_presses_the_reply_that_a_link_has_set_gives_it(open_link: Open) -> None:
    app = linked("masks", open="probes", lang="en", future=FUTURE.right)
    assert not app.success
    app.button_group(key="masks:future").set_value(None).run()  # as a browser says it of a pill that was chosen
    assert app.query_params["future"] == FUTURE.right
    assert app.success
    assert gathered(app)[QUESTION].presses == 1


def test_a_wrong_reply_of_a_link_is_not_what_the_reader_said_first(open_link: Open) -> None:
    (reply, *_), label = wrong(FUTURE), Words("masks", "en")
    app = linked("masks", open="probes", lang="en", future=reply)
    assert not app.error
    app.button_group(key="masks:future").set_value(FUTURE.right).run()
    (told,) = [box.value for box in app.success]
    assert FUTURE.label(label, reply) not in told
    assert gathered(app)[QUESTION].first == ""


def test_what_a_scene_sets_is_no_answer(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    with_a_button(monkeypatch)
    app = linked("masks", open="", model="translate", lang="en", scene="6")
    app.button(key="take over").click().run()
    assert app.query_params["future"] == FUTURE.right
    assert not app.success
    assert not gathered(app)
