"""What holds for every chapter, in both languages."""

import pytest

from tests.app.conftest import Open
from ui.settings.chapters import CHAPTERS, MAP
from ui.text import LANGUAGES, Words

ALL = (MAP, *CHAPTERS)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("chapter", ALL)
def test_a_chapter_opens_in_its_language(open_link: Open, chapter: str, lang: str) -> None:
    app = open_link(chapter, lang=lang)
    assert not app.exception
    assert app.title[0].value == Words(chapter, lang)("title")


@pytest.mark.parametrize("chapter", ALL)
@pytest.mark.parametrize("model", ["fresh", "notes"])
def test_a_chapter_works_with_an_untrained_model(open_link: Open, chapter: str, model: str) -> None:
    assert not open_link(chapter, model=model).exception


@pytest.mark.parametrize("chapter", ALL)
def test_a_hostile_link_opens_the_chapter_with_its_defaults(open_link: Open, chapter: str) -> None:
    plain = open_link(chapter)
    names = {widget.key.partition(":")[2] for widget in (*plain.slider, *plain.number_input) if ":" in str(widget.key)}
    hostile = dict.fromkeys(names, "1e999") | {
        "lang": "<script>",
        "model": "../../etc",
        "step": "9" * 400,
        "run": "d_model:0,h:x",
        "cell": "a.-1.99999999999999",
    }
    app = open_link(chapter, **hostile)
    assert not app.exception
    assert [slider.value for slider in app.slider] == [slider.value for slider in plain.slider]


@pytest.mark.parametrize("src", ["", "hello", "1 99", "0 0 0", "1 " * 300, "1 -2", "１２", "1e3"])
def test_text_that_is_no_sequence_gets_a_sentence_or_is_dropped(open_link: Open, src: str) -> None:
    for chapter in ("attention", "heads", "walkthrough", "decoding"):
        app = open_link(chapter, src=src)
        assert not app.exception
        assert app.warning or src == "1 " * 300
