"""Whether the pages speak of the lecture notes: said by a link, switched in the menu, and else by the language."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import boards
from tests.app.conftest import Open
from ui.settings.frame import Frame
from ui.text import LANGUAGES, Words

ONLY = [("tokens", "printed", "printed=1.8526")]  # and a setting of its own


@pytest.mark.parametrize("lang", LANGUAGES)
def test_which_models_of_theirs_can_be_opened_is_said_to_their_readers(open_link: Open, lang: str) -> None:
    for said, there in (("1", True), ("0", False)):
        app = open_link("training", open="own", lang=lang, notes=said)
        assert any("encoder_input_embedding" in block.value for block in app.markdown) is there


def titles(app: AppTest) -> set[str]:
    assert not app.exception
    return {box.label for box in app.expander} | {heading.value for heading in app.header}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("said", ["auto", "1", "0", "nonsense"])
@pytest.mark.parametrize(("chapter", "section", "_"), ONLY)
def test_what_is_only_of_the_notes_is_there_for_their_readers(
    open_link: Open, chapter: str, section: str, _: str, said: str, lang: str
) -> None:
    app = open_link(chapter, open="", lang=lang, notes=said)
    there = said == "1" or (said != "0" and lang == "zh")
    assert (Words(chapter, lang)(f"{section}.title") in titles(app)) is there
    assert app.query_params.get("notes") == (said if said in ("0", "1") else None)


@pytest.mark.parametrize(("chapter", "section", "own"), ONLY)
def test_a_link_that_names_such_a_section_shows_it_whatever_is_said(
    open_link: Open, chapter: str, section: str, own: str
) -> None:
    name, _, value = own.partition("=")
    title = Words(chapter, "en")(f"{section}.title")
    for link in ({"open": "", name: value}, {"open": section}, {"open": "", "only": section}):
        for said in ("0", "auto"):
            app = open_link(chapter, lang="en", notes=said, **link)
            assert title in titles(app), link


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("said", ["auto", "1", "0"])
def test_what_the_notes_print_stands_below_the_figure_for_their_readers(open_link: Open, said: str, lang: str) -> None:
    app = open_link("scaling", open="", only="notes", lang=lang, notes=said, sharp="near")
    assert "scaling.notes" in boards(app)
    there = said == "1" or (said != "0" and lang == "zh")
    assert (Words("scaling", lang)("notes.why") in [block.value for block in app.markdown]) is there


def test_the_buttons_of_the_notes_runs_are_for_their_readers(open_link: Open) -> None:
    for said, there in (("1", True), ("0", False)):
        app = open_link("training", open="", lang="en", notes=said)
        labels = {button.label for button in app.button}
        for name in ("notes", "notes_250"):
            assert (Words("training", "en")(f"preset.{name}") in labels) is there


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_menu_switches_it(open_link: Open, lang: str) -> None:
    app = open_link("tokens", open="", lang=lang)
    title = Words("tokens", lang)("printed.title")
    before = lang == "zh"
    for now in (not before, before):
        (switch,) = (one for one in app.sidebar.toggle if one.label == Words("shell", lang)("notes"))
        assert switch.value is not now
        switch.set_value(now).run()
        assert (title in titles(app)) is now
        assert app.query_params["notes"] == str(int(now))


def test_who_comes_with_nothing_but_this_is_a_newcomer_still(open_link: Open) -> None:
    app = open_link("attention", open="", model="", lang="en", notes="1")
    assert app.session_state["settings"]["frame"].model == "translate"


@pytest.mark.parametrize(
    ("said", "lang", "spoken"),
    [("auto", "en", False), ("auto", "zh", True), ("1", "en", True), ("0", "zh", False), ("auto", "de", False)],
)
def test_the_documents_are_in_chinese(said: str, lang: str, spoken: bool) -> None:
    assert Frame(notes=said).speaks_of_notes(lang) is spoken
