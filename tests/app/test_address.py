"""The address is the state: links, what a lesson hides, and what the page writes back."""

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import chosen
from tests.app.conftest import Open, menu_link
from tests.kinds import kind_of
from ui.chapters.tokens import CONTENTS
from ui.components import matrix
from ui.settings.chapters import CHAPTERS, page
from ui.settings.composed import redefined
from ui.settings.fields import ChosenCell
from ui.settings.shared import Compared
from ui.text import Words


@pytest.fixture
def open_link(open_link: Open) -> Open:
    """Links are compared here: no section is open that a link does not name."""
    return partial(open_link, open="")


def follow(app: AppTest, chapter: str, **query: str) -> None:
    """Click on a link to a chapter."""
    app.switch_page(page(chapter))
    app.query_params.clear()
    for name, value in query.items():
        app.query_params[name] = value
    app.run()


def clear(figure: str) -> Callable[..., dict[str, Any]]:
    """A canvas whose reader clicks on the chosen cell of one board, which clears it."""

    def mount(*, key: str, data: tuple[str, dict[str, Any]], **_: object) -> dict[str, Any]:
        return {"chosen": {"number": data[1]["heard"] + 1, "cell": None}} if key == figure else {}

    return mount


def test_moving_a_control_writes_the_link(open_link: Open) -> None:
    app = open_link("loss")
    app.slider(key="loss:vocabulary").set_value(8).run()
    assert dict(app.query_params) == {"vocabulary": "8"}


def test_a_setting_at_its_default_is_not_in_the_link(open_link: Open) -> None:
    app = open_link("loss", vocabulary="8", src="1 2")
    app.slider(key="loss:vocabulary").set_value(5).run()
    assert dict(app.query_params) == {"src": "1 2"}


def test_an_emptied_number_shows_what_it_was(open_link: Open) -> None:
    app = open_link("training", steps="300")
    app.number_input(key="training:steps").set_value(None).run()
    assert app.number_input(key="training:steps").value == 300
    assert app.query_params["steps"] == "300"


def test_a_lesson_hides_controls_and_keeps_what_they_set(open_link: Open) -> None:
    app = open_link("loss", hide="vocabulary,targets", vocabulary="4", targets="3 2 0")
    assert "loss:vocabulary" not in {slider.key for slider in app.slider}
    assert "loss:targets" not in {field.key for field in app.text_input}
    app.slider(key="loss:smoothing").set_value(0.2).run()
    assert dict(app.query_params) == {
        "hide": "vocabulary,targets",
        "vocabulary": "4",
        "targets": "3 2 0",
        "smoothing": "0.2",
    }


def test_hiding_what_does_not_exist_does_no_harm(open_link: Open) -> None:
    assert not open_link("loss", hide=",,nothing,<b>").exception


def test_a_renamed_setting_has_its_new_name_in_the_address_and_is_hidden_under_the_old_one_too(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_link("masks", cell="mask.15.3")
    assert chosen(app, "masks.look_ahead") == ["mask", 15, 3]
    assert dict(app.query_params) == {"ahead_cell": "mask.15.3"}
    kind = kind_of("masks")
    monkeypatch.setattr(kind, "names", lambda: {name: (name, f"old_{name}") for name in kind.kinds()})
    assert "masks:size" not in {slider.key for slider in open_link("masks", hide="old_size").slider}


def test_the_link_under_a_figure_is_the_link_of_the_page(open_link: Open) -> None:
    app = open_link("loss", vocabulary="8", lang="en")
    app.button_group(key="loss.smoothing.caption").set_value("link").run()
    (shown,) = [block.value for block in app.code if "\n" not in block.value]
    assert parse_qs(urlsplit(shown).query) == {"vocabulary": ["8"], "lang": ["en"]}


def test_the_readers_sequence_follows_into_the_next_chapter(open_link: Open) -> None:
    app = open_link("decoding", src="1 7 7 2")
    app.switch_page("pages/loss.py")
    app.query_params["src"] = "1 7 7 2"
    app.query_params["open"] = "divergence"
    app.run()
    assert app.text_input(key="frame:src").value == "1 7 7 2"


def test_a_control_moved_before_the_last_link_arrived_is_not_lost(open_link: Open) -> None:
    app = open_link("loss", vocabulary="8")
    app.slider(key="loss:vocabulary").set_value(9).run()
    app.query_params["vocabulary"] = "8"  # the browser has not yet been told of the 9
    app.slider(key="loss:smoothing").set_value(0.2).run()
    assert app.slider(key="loss:vocabulary").value == 9
    assert dict(app.query_params) == {"vocabulary": "9", "smoothing": "0.2"}


def test_an_older_link_with_no_control_moved_is_the_back_button(open_link: Open) -> None:
    app = open_link("loss", vocabulary="8")
    app.slider(key="loss:vocabulary").set_value(9).run()
    app.query_params["vocabulary"] = "8"
    app.run()
    assert app.slider(key="loss:vocabulary").value == 8


def test_a_menu_drawn_before_the_reader_typed_does_not_undo_what_was_typed(open_link: Open) -> None:
    app = open_link("decoding", lang="en")
    app.text_input(key="frame:src").set_value("1 7 7 2").run()
    follow(app, "heads", lang="en")  # the link that the menu still has
    assert app.text_input(key="frame:src").value == "1 7 7 2"
    assert app.query_params["src"] == "1 7 7 2"


def test_the_other_language_shows_the_page_as_it_is(open_link: Open) -> None:
    app = open_link("loss", lang="en")
    app.slider(key="loss:vocabulary").set_value(9).run()
    (other,) = [button for button in app.sidebar.button if button.label == "中文"]
    other.click().run()
    assert app.title[0].value == Words("loss", "zh")("title")
    assert dict(app.query_params) == {"vocabulary": "9", "lang": "zh"}


def test_what_is_typed_while_a_link_is_followed_is_kept(open_link: Open) -> None:
    app = open_link("loss")
    app.text_input(key="loss:targets").set_value("3 3")
    follow(app, "decoding")
    follow(app, "loss", **menu_link(app, "loss"))
    assert app.text_input(key="loss:targets").value == "3 3"


def test_a_head_that_a_smaller_model_lacks_is_open_again_in_the_larger_one(open_link: Open) -> None:
    app = open_link("attention", model="notes", head="7")
    app.selectbox(key="frame:model").set_value("trained").run()
    assert app.button_group(key="attention:head").value == 3
    follow(app, "loss", **menu_link(app, "loss"))
    follow(app, "attention", **menu_link(app, "attention"))
    app.selectbox(key="frame:model").set_value("notes").run()
    assert app.button_group(key="attention:head").value == 7


def test_a_head_chosen_in_the_smaller_model_stays_in_the_larger_one(open_link: Open) -> None:
    app = open_link("attention", model="notes", head="7")
    app.selectbox(key="frame:model").set_value("trained").run()
    app.button_group(key="attention:head").set_value(1).run()
    app.run()  # the page, after a run of the sections that show the head
    app.selectbox(key="frame:model").set_value("notes").run()
    assert app.button_group(key="attention:head").value == 1


# Every board on which a cell is chosen from the start, the setting that keeps it, and what has to be answered before.
CHOSEN_FROM_THE_START = [
    ("attention.stages", "cell", {}),
    ("attention.projection", "part_cell", {"open": "projection"}),
    ("attention.dropout", "drop_cell", {"open": "dropout", "kept": "1.2"}),
    ("heads.wall", "cell", {}),
    ("heads.open", "opened", {}),
    ("heads.heads_aligned", "hit_cell", {"open": "heads_aligned"}),
    ("heads.aligned_sentences", "many_cell", {"open": "aligned_sentences"}),
    ("heads.numbers", "number_cell", {"open": "numbers", "never": "decoder"}),
    ("heads.concat", "merge_cell", {"open": "merge", "size": "64"}),
    ("heads.shares", "share_cell", {"open": "merge", "size": "64"}),
    ("heads.sizes", "size_cell", {"open": "merge", "size": "64"}),
    ("heads.what_if_logits", "if_cell", {"open": "what_if", "hurts": "decoder"}),
    ("heads.why_word", "why_cell", {"open": "why_word"}),
    ("heads.view", "view_cell", {"open": "view"}),
    ("verify.own", "own_cell", {"open": "own"}),
    ("verify.beside", "beside_cell", {}),
    ("scaling.few", "few_cell", {"open": "size", "spread": "8"}),
    ("tokens.difference", "delta_cell", {"compare": "untrained"}),  # in every chapter that has it
]

ASKED_FOR = {"ablation_cell", "ranked_cell"}  # of boards that are measured when the reader presses a button


@pytest.mark.parametrize(("figure", "name", "answered"), CHOSEN_FROM_THE_START)
def test_a_cleared_cell_is_still_cleared_when_its_link_is_opened(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, figure: str, name: str, answered: dict[str, str]
) -> None:
    chapter = figure.partition(".")[0]
    assert chosen(open_link(chapter, **answered), figure)
    with monkeypatch.context() as canvas:
        canvas.setattr(matrix, "_mount", clear(figure))
        app = open_link(chapter, **answered)
    assert dict(app.query_params) == answered | {name: ""}
    again = open_link(chapter, **dict(app.query_params))
    assert chosen(again, figure) is None
    assert dict(again.query_params) == answered | {name: ""}


def test_every_board_with_a_cell_chosen_from_the_start_is_among_them() -> None:
    shared = Compared.kinds()
    named = {(figure.partition(".")[0], name) for figure, name, _ in CHOSEN_FROM_THE_START if name not in shared}
    for chapter in CHAPTERS:
        own = [f for f in fields(kind_of(chapter)) if f.metadata["kind"] == ChosenCell() and f.name not in shared]
        chosen = {f.name for f in own if f.default is not None}
        assert {(chapter, name) for name in chosen - ASKED_FOR} == {pair for pair in named if pair[0] == chapter}


def test_a_sequence_pasted_with_tabs_or_wide_spaces_survives_a_reload(open_link: Open) -> None:
    app = open_link("decoding")
    app.text_input(key="frame:src").set_value("1\t5\u30006\u00a02").run()
    again = open_link("decoding", **dict(app.query_params))
    assert again.text_input(key="frame:src").value == "1\t5\u30006\u00a02"
    assert not again.warning


def test_an_answer_that_was_asked_for_is_still_shown_after_a_visit_elsewhere(open_link: Open) -> None:
    app = open_link("attention")
    app.toggle(key="attention.sums.show").set_value(True).run()
    follow(app, "loss")
    follow(app, "attention")
    assert app.toggle(key="attention.sums.show").value


def link_under(app: AppTest, figure: str) -> tuple[str, dict[str, list[str]]]:
    """The section and the settings of the link under a figure, after asking for it."""
    app.button_group(key=f"{figure}.caption").set_value("link").run()
    (shown,) = [urlsplit(block.value) for block in app.code if "\n" not in block.value]
    return shown.fragment, parse_qs(shown.query)


def test_the_link_under_a_figure_names_the_section_the_figure_stands_in(open_link: Open) -> None:
    assert link_under(open_link("attention", lang="en"), "attention.stages")[0] == ""
    where, query = link_under(open_link("attention", lang="en", part="k"), "attention.projection")
    assert (where, query["open"]) == ("projection", ["projection"])


def test_the_link_under_a_figure_carries_replies_only_when_asked_to(open_link: Open) -> None:
    app = open_link("attention", lang="en", sums="columns", kept="0.9", head="1")
    plain = {"lang": ["en"], "head": ["1"], "open": ["dropout"]}
    assert link_under(app, "attention.dropout")[1] == plain
    app.toggle(key="attention.dropout.replies").set_value(True).run()
    (shown,) = [urlsplit(block.value) for block in app.code if "\n" not in block.value]
    assert parse_qs(shown.query) == plain | {"sums": ["columns"], "kept": ["0.9"]}
    assert app.query_params["kept"] == "0.9"


def test_settings_of_code_that_was_loaded_anew_are_read_anew(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_link("tokens")
    monkeypatch.setitem(vars(CONTENTS), "settings", redefined(CONTENTS.settings, example="five"))
    assert not app.run().exception
    (example,) = (group for group in app.button_group if group.key == "tokens:example")
    assert example.value == "five"
