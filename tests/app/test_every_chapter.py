"""What holds for every chapter, in both languages."""

import re
from itertools import cycle

import pytest

from tests.app.boards import unrendered
from tests.app.conftest import Open, menu_link
from tests.kinds import kind_of
from ui.settings.chapters import BESIDE, CHAPTERS, MAP, ROUTE, STORIES
from ui.settings.fields import LetterCode, Text
from ui.settings.route import DOCUMENTS
from ui.text import LANGUAGES, Words

ALL = (MAP, *CHAPTERS)
pytestmark = pytest.mark.usefixtures("few_sequences")


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("chapter", ALL)
def test_a_chapter_opens_in_its_language(open_link: Open, chapter: str, lang: str) -> None:
    app = open_link(chapter, lang=lang)
    assert not app.exception
    assert app.title[0].value == Words(chapter, lang)("title")
    assert unrendered(app) == []


@pytest.mark.parametrize("chapter", ALL)
def test_a_chapter_works_with_a_model_as_large_as_the_papers(open_link: Open, chapter: str) -> None:
    assert not open_link(chapter, model="notes").exception


@pytest.mark.parametrize("chapter", ALL)
def test_a_hostile_link_opens_the_chapter_with_its_defaults(open_link: Open, chapter: str) -> None:
    """Whatever it says of a setting that is not text: of that is read whatever can be read."""
    plain = open_link(chapter)
    kinds = {name: kind for name, kind in kind_of(chapter).kinds().items() if not isinstance(kind, Text | LetterCode)}
    hostile = dict(zip(kinds, cycle(("1e999", "NaN", "-inf", "a.-1.99", "9" * 400)))) | {
        "lang": "<script>",
        "model": "../../etc",
        "step": "9" * 400,
        "run": "d_model:0,h:x",
    }
    app = open_link(chapter, **hostile)
    assert not app.exception
    here, there = (seen.session_state["settings"][chapter] for seen in (app, plain))
    assert {name: getattr(here, name) for name in kinds} == {name: getattr(there, name) for name in kinds}


@pytest.mark.parametrize(
    ("src", "chapter"),
    [
        *zip(
            ["", "hello", "1 99", "0 0 0", "1 " * 300, "1 -2", "１２", "1e3"],
            cycle(("attention", "heads", "walkthrough", "decoding")),
        )
    ],
)
def test_text_that_is_no_sequence_gets_a_sentence_or_is_dropped(open_link: Open, src: str, chapter: str) -> None:
    app = open_link(chapter, src=src)
    assert not app.exception
    assert app.warning or src == "1 " * 300


@pytest.mark.parametrize("chapter", ALL)
def test_the_value_of_a_control_is_its_default_too(open_link: Open, chapter: str) -> None:
    """Streamlit may lose a value before the browser has it; then the browser falls back on the default."""
    app = open_link(chapter, model="fresh", src="1 7 7 2", run_seed="18", vocabulary="8")
    assert not app.exception
    sliders = [w.proto for w in (*app.slider, *app.select_slider)]
    fields = [w.proto for w in (*app.number_input, *app.text_input, *app.toggle) if ":" in str(w.key)]
    chosen = [w.proto for w in app.button_group if ":" in str(w.key)]
    assert [proto.default for proto in fields] == [proto.value for proto in fields]
    assert all(proto.set_value for proto in (*sliders, *fields, *chosen))
    for proto in sliders:
        shown = [float(list(proto.options).index(value)) for value in proto.raw_value] or proto.value
        assert list(proto.default) == list(shown)
    for proto in chosen:
        assert [proto.options[at].content for at in proto.default] == list(proto.raw_values)
    for model in app.selectbox:
        assert model.proto.options[model.proto.default] == model.proto.raw_value


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_menu_says_which_five_documents_the_lecture_notes_are(open_link: Open, lang: str) -> None:
    menu = " ".join(block.value for block in open_link("loss", lang=lang).sidebar.markdown)
    titles = {Words(ROUTE, "zh")(f"{part}.title") for part in DOCUMENTS}
    assert len(titles) == 5
    assert all(f"[{title}" in menu for title in titles)
    assert re.findall(rf"/{ROUTE}\?lang={lang}&open=(\w+)\)", menu) == [*DOCUMENTS]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_one_element_of_the_page_is_a_menu_that_leads_to_every_page_as_it_is(open_link: Open, lang: str) -> None:
    app = open_link("loss", open="", lang=lang, vocabulary="9")
    of_the_notes = {ROUTE} if lang != "zh" else set()  # which the page does not speak of
    (menu,) = [item.proto.body for item in app.sidebar.get("html") if '<nav class="menu"' in item.proto.body]
    assert (f'<a href="{ROUTE}?' in menu) == (not of_the_notes)
    for chapter in {MAP, *CHAPTERS, *BESIDE} - of_the_notes:
        own = {"scene": "1"} if chapter in STORIES else {"model": "trained"}  # a bare link is a newcomer's
        if chapter == "loss":
            own = {"vocabulary": "9"}
        assert menu_link(app, chapter) == {"lang": lang} | own
