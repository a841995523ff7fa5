"""The forward pass with words: ids below their names, every token of the vocabulary by its name, and the way back."""

import pytest

from tests.app import boards
from tests.app.conftest import Open, in_turn
from ui.chapters.shared.forward.stops import stops
from ui.model.shipped import shipped
from ui.text import LANGUAGES, Words

CATS = {"model": "translate", "src": "two white cats sleep"}  # 两 只 白色 的 猫 睡觉
NAMES = shipped("translate").config.vocabularies[1].names


def place(what: str) -> str:
    """Where on the way the translator's first stop of this kind is."""
    route = stops(shipped("translate").model)
    return str(next(at for at, stop in enumerate(route) if stop.what == what))


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("src", ["⟨s⟩", "two", "white", "cats", "sleep", "⟨/s⟩"]),
        ("ys", ["⟨s⟩", "两", "只"]),
        ("choice", ["白色"]),
        ("next", ["⟨s⟩", "两", "只", "白色"]),
    ],
)
def test_ids_stand_below_the_words_that_they_are_of(open_link: Open, what: str, names: list[str]) -> None:
    app = open_link("walkthrough", place=place(what), turn="3", **CATS)
    assert not app.exception
    assert boards.panel(app, "walkthrough.tensor", "c0")["labels"]["column"] == names
    (ids,) = boards.matrices(app, "walkthrough.tensor")["c0"]
    assert [NAMES[int(token)] for token in ids] == names


def test_positions_stand_above_numbers(open_link: Open) -> None:
    app = open_link("walkthrough", place="0", src="1 4 2")
    assert boards.panel(app, "walkthrough.tensor", "c0")["labels"]["column"] == ["0", "1", "2"]


@pytest.mark.parametrize("what", ["logits", "log_probs", "b_logits"])
def test_every_token_of_the_vocabulary_has_a_column_with_its_name_in_lines_that_can_be_read(
    open_link: Open, what: str
) -> None:
    app = open_link("walkthrough", place=place(what), turn="3", **CATS)
    assert not app.exception
    lines = [boards.panel(app, "walkthrough.tensor", key) for key in boards.matrices(app, "walkthrough.tensor")]
    assert len(lines) == 4
    assert [name for line in lines for name in line["labels"]["column"]] == list(NAMES)
    assert [line["padded"]["column"] for line in lines] == [[0], [], [], []]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_notes_run_brings_its_own_sequence_and_leaves_the_translators_as_it_was(open_link: Open, lang: str) -> None:
    app = open_link("walkthrough", lang=lang, **CATS)
    (preset,) = [button for button in app.button if button.label == Words("walkthrough", lang)("preset")]
    assert preset.help == Words("walkthrough", lang)("preset_help")
    preset.click().run()
    assert not app.exception
    assert app.query_params["model"] == "notes"
    assert app.text_input(key="frame:src").value == "1 2 3 4 5 6 7 8 9 10"
    app.selectbox(key="frame:model").set_value("translate").run()
    assert app.text_input(key="frame:src").value == CATS["src"]


@in_turn("src", ["", "elephant", "我 buy FLOWERS!", "cat " * 60, "那两只狗"])
def test_no_sentence_breaks_the_page(open_link: Open, src: str, lang: str) -> None:
    app = open_link("walkthrough", model="translate", src=src, place="79", turn="9", lang=lang)
    assert not app.exception
    assert boards.boards(app) or app.warning
