"""A further language is one file: what it says is said, the rest is English."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from tests.app.conftest import Open
from ui import text
from ui.settings.chapters import MAP
from ui.settings.fields import OneOf
from ui.settings.frame import Frame
from ui.text import LANGUAGES, Words, languages

GERMAN = """
name = "Deutsch"

[shell]
back = "Zurück zur Karte"
next = "Weiter: {{title}}"

[loss]
title = "Fehler und Lernrate"
"""


@pytest.fixture
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "de.toml").write_text(GERMAN, encoding="utf-8")
    caches = (text.further, languages, text.load)
    monkeypatch.setattr(text, "FURTHER", tmp_path)
    for cached in caches:
        cached.cache_clear()
    monkeypatch.setitem(cast(dict, Frame.kinds()), "lang", OneOf(("auto", *languages())))
    yield
    monkeypatch.undo()
    for cached in caches:
        cached.cache_clear()


@pytest.mark.usefixtures("german")
def test_a_page_in_a_begun_language_is_english_where_that_says_nothing(open_link: Open) -> None:
    app = open_link("loss", lang="de", open="")
    assert not app.exception
    assert app.title[0].value == "Fehler und Lernrate"
    said = {element.value for element in app.markdown}
    assert Words("loss", "en")("promise") in said
    assert Words("loss", "zh")("promise") not in said
    assert app.query_params["lang"] in ("de", ["de"])


@pytest.mark.usefixtures("german")
def test_every_language_that_is_found_can_be_chosen_by_its_own_name(open_link: Open) -> None:
    assert set(languages()) == {*LANGUAGES, "de"}
    app = open_link(MAP, lang="en")
    (button,) = (button for button in app.button if button.label == "Deutsch")
    assert not button.click().run().exception
    assert {button.label for button in app.button} >= set(LANGUAGES.values())
    assert Words("loss", "de")("title") == "Fehler und Lernrate"


def test_a_language_that_is_not_there_is_the_browsers(open_link: Open) -> None:
    assert open_link(MAP, lang="de").title[0].value == open_link(MAP).title[0].value
