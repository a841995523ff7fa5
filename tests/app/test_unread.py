"""A word that the model does not know: the page stays as it was, says what is unknown, and offers what is near."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.answers import right
from tests.app.boards import boards
from tests.app.conftest import Open
from ui.chapters import contents
from ui.settings.chapters import CHAPTERS, MAP

FIELDS = [
    (chapter, name)
    for chapter in (MAP, *CHAPTERS)
    for name in ("src", "tgt")
    if contents(chapter).fields or any(name in one.types for one in contents(chapter).every)
]
WORDS = {"src": ("我喜欢红色的花", "我爱学习", "爱"), "tgt": ("", "two unicorns", "unicorns")}
NUMBERS = {"src": ("1 3 2 5", "1 3 99 5", "99")}  # of the run that *Training* shows to whom has trained none
SHOWN: dict[str, dict[str, str]] = {  # what has to be set for the field to be on the page
    "scaling": {"which_scores": "model"},
    "tokens": {"example": "typed"},
    "positions": right("positions", "order"),
    "training": {"model": "trained"},
}


def texts(chapter: str, name: str) -> tuple[str, str, str]:
    """One that can be read, one that cannot, and of that the unknown word."""
    return (NUMBERS if chapter == "training" else WORDS)[name]


def field(app: AppTest, name: str) -> Any:
    return app.text_input(key=f"frame:{name}")


def opened(open_link: Open, chapter: str, **link: str) -> AppTest:
    return open_link(chapter, **{"model": "translate", "lang": "zh", **SHOWN.get(chapter, {}), **link})


@pytest.mark.parametrize(("chapter", "name"), FIELDS)
def test_what_cannot_be_read_takes_nothing_off_the_page(open_link: Open, chapter: str, name: str) -> None:
    known, text, unknown = texts(chapter, name)
    app = opened(open_link, chapter, **{name: known})
    before = boards(app), [one.value for one in app.header], [one.label for one in app.expander]
    field(app, name).input(text).run()
    assert not app.exception
    assert field(app, name).value == text, "what is typed stays to be mended"
    assert any(unknown in warning.value for warning in app.warning)
    assert (boards(app), [one.value for one in app.header], [one.label for one in app.expander]) == before
    app.button(key=f"{name}.nearest").click().run()
    assert not any(unknown in warning.value for warning in app.warning)
    assert f"{name}.nearest" not in {button.key for button in app.button}
    assert field(app, name).value != text


@pytest.mark.parametrize("chapter", sorted({chapter for chapter, _ in FIELDS}))
def test_a_link_with_an_unknown_word_shows_the_models_example(open_link: Open, chapter: str) -> None:
    known, text, unknown = texts(chapter, "src")
    app = opened(open_link, chapter, src=text)
    assert not app.exception
    assert boards(app) == boards(opened(open_link, chapter, src=known))
    assert any(unknown in warning.value for warning in app.warning)


@pytest.mark.parametrize(
    ("chapter", "name", "known", "text"),
    [
        ("positions", "phrase", "this cat likes this dog", "this cat likes this unicorn"),
        ("tokens", "repeated", "this cat likes this dog", "this cat likes this unicorn"),
        ("scaling", "scores", "1 2 3", "1 2 three"),
    ],
)
def test_a_sections_own_field_keeps_its_figure_too(
    open_link: Open, chapter: str, name: str, known: str, text: str
) -> None:
    app = open_link(chapter, model="translate", lang="en", which_scores="typed", **right(chapter), **{name: known})
    before = boards(app)
    app.text_input(key=f"{chapter}:{name}").input(text).run()
    app.run()
    assert not app.exception
    assert boards(app) == before
    assert [warning for warning in app.warning if text.split()[-1] in warning.value]


@pytest.mark.parametrize(
    ("model", "typed", "near"),
    [
        ("translate", "I buy two red floers every day", "I buy two red flowers every day"),
        ("translate", "我买紫色的花", "我买红色的花"),
        ("spanish", "I buy two red floers every day", "I buy two red flowers every day"),
        ("spanish", "yo compro dos flroes rojas cada dia", "yo compro dos flores rojas cada día"),
    ],
)
@pytest.mark.parametrize("chapter", sorted({chapter for chapter, name in FIELDS if name == "src"} - {"training"}))
def test_one_press_takes_the_nearest_known_word_in_every_chapter(
    open_link: Open, chapter: str, model: str, typed: str, near: str
) -> None:
    app = opened(open_link, chapter, model=model, lang="en", src=typed)
    app.button(key="src.nearest").click().run()
    assert not app.exception
    assert field(app, "src").value == near
    assert not app.warning


@pytest.mark.parametrize(
    ("model", "chapter", "name", "typed", "near"),
    [
        ("translate", "positions", "phrase", "this cat likes the docter", "this cat likes the doctor"),
        ("spanish", "positions", "phrase", "este pero mira este pajro", "este perro mira este pájaro"),
        ("translate", "tokens", "repeated", "this cat likes the docter", "this cat likes the doctor"),
        ("spanish", "tokens", "repeated", "this bird watches this brd", "this bird watches this bird"),
        ("spanish", "decoding", "prefix", "yo compr", "yo compro"),
        ("spanish", "ways", "prefix", "yo compr", "yo compro"),
    ],
)
def test_one_press_takes_it_in_a_sections_own_field_too(
    open_link: Open, model: str, chapter: str, name: str, typed: str, near: str
) -> None:
    app = open_link(chapter, model=model, lang="en", **right(chapter), **{name: typed})
    assert app.warning
    app.button(key=f"{chapter}.{name}.nearest").click().run()
    assert not app.exception
    assert app.text_input(key=f"{chapter}:{name}").value == near
    assert not app.warning
