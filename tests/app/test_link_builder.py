"""A link put together on the page for teachers: what it offers is there, what it hides is gone, its code is read."""

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

import ui.sections.contents
import ui.sections.section
import ui.sections.section_list
from tests.app.answers import right
from tests.app.boards import elements
from tests.app.conftest import Open
from tests.kinds import kind_of
from tests.scanned import scanned
from ui import state
from ui.chapters.shared.tensors import LEVELS
from ui.chapters.teachers.builder import control_name, controls_of, section_title, sections_of
from ui.classroom import qr
from ui.frame.chapter import Chapter
from ui.settings.chapters import CHAPTERS, TEACHERS
from ui.text import LANGUAGES, Words

# Controls that a link can hide and that stand there in another state alone: after another choice, or in an opened part.
ELSEWHERE = {
    ("tokens", "lookup"): "src_lengths tgt_lengths batch_width vocab d_model seed side row",
    ("tokens", "deeper"): "pairs",
    ("positions", "deeper"): "form_d form_at",
    ("scaling", "steps"): "src word layer head",
    ("scaling", "deeper"): "width enlarge divide",
    ("masks", "traps"): "read_as unsqueeze batch heads slice_size slice_queries own_paddings",
    ("heads", "what_if"): "if_query if_row if_place if_first if_second if_look_layer if_look_head",
    ("layers", "deeper"): "matrix first_seed gain_of gain_seed linear_from linear_seed",
    ("walkthrough", "walk"): "head",
    ("backward", "walk"): "head",
    (
        "training",
        "run",
    ): "vocab length padded schedule warmup factor dropout smoothing clip eval_updates embedding form "
    "scale positions learned_positions tied look_ahead batches noise split source_column target_column header "
    "sample at",
    ("training", "own"): "own_h own_form",
    ("training", "rows"): "row_back",
    ("why_attention", "cost"): "n",
    ("further", "parts"): "part_groups part_window",
}
SECTIONS = [(chapter, section) for chapter in CHAPTERS for section in sections_of(chapter)]
BUILT = "link_chapter link_section link_hide link_present link_lang link_model"


def built(app: AppTest) -> tuple[str, dict[str, str]]:
    """The chapter of the link, and what it says."""
    (link,) = (block.value for block in app.code if "\n" not in block.value)
    split = urlsplit(link)
    return split.path.rpartition("/")[2], dict(parse_qsl(split.query))


def code(app: AppTest) -> str:
    """The text of the QR code on the page."""
    (svg,) = (found for block in app.markdown for found in re.findall(r'<svg class="qr".*?</svg>', block.value))
    return str(scanned(svg).text)


def drawn(app: AppTest, chapter: str) -> set[str]:
    """The settings that have a control on the page, the replies to questions apart."""
    kind = kind_of(chapter)
    keys = {str(getattr(element, "key", "")) for element in elements(app.main)}
    found = {key.partition(":")[2] for key in keys if key.partition(":")[0] in (chapter, state.FRAME)}
    found |= {name for name in kind.kinds() if any(f"{chapter}.{name}.{level}" in keys for level in LEVELS)}
    return found - set(kind.replies()) - {"open"}


def test_every_chapter_is_offered_with_all_its_sections(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[str] = []
    real = ui.sections.section_list.sections

    def heard(chapter: Chapter, *given: ui.sections.section.Section, **place: Any) -> None:
        there = [one for one in ui.sections.section.flat(given) if one.when(chapter)]
        listed.extend(one.name for one in there)
        real(chapter, *given, **place)

    monkeypatch.setattr(ui.sections.section_list, "sections", heard)
    for chapter in CHAPTERS:
        listed.clear()
        open_link(chapter, open="")
        assert sorted(sections_of(chapter)) == sorted(listed), chapter


@pytest.mark.parametrize(("chapter", "section"), SECTIONS)
def test_what_can_be_hidden_of_a_section_is_there_and_gone_when_it_is_hidden(
    open_link: Open, chapter: str, section: str
) -> None:
    offered = controls_of(chapter, section)
    query = {"open": "", "only": section, **right(chapter)}
    there = set(offered) - {*ELSEWHERE.get((chapter, section), "").split()}
    first, second = ("trained", "translate")[:: (-1) ** SECTIONS.index((chapter, section))]
    seen = drawn(open_link(chapter, model=first, **query), chapter)
    if seen != there:  # some are there for the one model, and some for the other
        seen |= drawn(open_link(chapter, model=second, **query), chapter)
    assert seen == there
    if offered:
        app = open_link(chapter, model=second, hide=",".join(offered), **query)
        assert not app.exception
        assert drawn(app, chapter) == set()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_sections_and_controls_go_by_the_names_that_readers_see(lang: str) -> None:
    for chapter in CHAPTERS:
        assert section_title(chapter, "", lang) == Words(TEACHERS, lang)("builder.whole")
        for section in sections_of(chapter):
            title = section_title(chapter, section, lang)
            assert title
            assert "{{" not in title
            for control in controls_of(chapter, section):
                name = control_name(chapter, control, lang)
                assert name
                assert "{{" not in name


def test_the_link_says_what_is_chosen_and_the_address_keeps_it(open_link: Open) -> None:
    app = open_link(TEACHERS, open="", lang="en")
    assert built(app) == ("attention", {"model": "translate"})
    app.selectbox(key=f"{TEACHERS}:link_chapter").select("scaling").run()
    app.selectbox(key=f"{TEACHERS}:link_section").select("steps").run()
    for name in ("factor", "which_scores", "scores"):
        app.checkbox(key=f"{TEACHERS}.hide.{name}").check().run()
    app.checkbox(key=f"{TEACHERS}.hide.scores").uncheck().run()
    app.toggle(key=f"{TEACHERS}:link_present").set_value(True).run()
    app.selectbox(key=f"{TEACHERS}:link_lang").select("zh").run()
    app.selectbox(key=f"{TEACHERS}:link_model").select("trained").run()
    said = {"lang": "zh", "model": "trained", "only": "steps", "hide": "which_scores,factor", "present": "1"}
    assert built(app) == ("scaling", said)
    kept = {name: app.query_params[name] for name in BUILT.split() if name in app.query_params}
    assert kept.keys() == set(BUILT.split())
    again = open_link(TEACHERS, open="", lang="en", **kept)
    assert built(again) == ("scaling", said)
    checked = [box.label for box in again.checkbox if box.value]
    assert checked == [f"{control_name('scaling', name, 'en')} `{name}`" for name in ("which_scores", "factor")]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_exercise_is_chosen_for_the_link_and_opens_from_it(open_link: Open, lang: str) -> None:
    app = open_link(TEACHERS, open="", lang=lang, link_chapter="practice", link_section="worksheet")
    assert built(app)[1] == {"model": "translate", "only": "worksheet"}
    app.selectbox(key=f"{TEACHERS}.given.sheet_task").select("beam").run()
    app.number_input(key=f"{TEACHERS}.given.sheet_seed").set_value(77).run()
    chapter, said = built(app)
    assert said == {"model": "translate", "only": "worksheet", "sheet_task": "beam", "sheet_seed": "77"}
    opened = open_link(chapter, open="", **said)
    assert opened.number_input(key="practice:sheet_seed").value == 77
    assert opened.text_input(key="practice.sheet.beam.77.0")
    app.number_input(key=f"{TEACHERS}.given.sheet_seed").set_value(1_234_567_890).run()
    assert not app.exception
    assert len(app.warning) == 1
    assert built(app)[1]["sheet_seed"] == "77"
    again = open_link(TEACHERS, open="", **{name: app.query_params[name] for name in app.query_params})
    assert built(again) == (chapter, said)
    app.selectbox(key=f"{TEACHERS}:link_section").select("mend").run()
    assert built(app)[1] == {"model": "translate", "only": "mend"}
    app.selectbox(key=f"{TEACHERS}.given.mend_puzzle").select("update").run()
    assert built(app)[1] == {"model": "translate", "only": "mend", "mend_puzzle": "update"}


def test_an_exercise_that_there_is_not_is_left_out(open_link: Open) -> None:
    link = {
        "link_chapter": "practice",
        "link_section": "worksheet",
        "link_given": "sheet_task:<b>,sheet_seed:0,lang:zh,x",
    }
    app = open_link(TEACHERS, open="", lang="en", **link)
    assert not app.exception
    assert built(app)[1] == {"model": "translate", "only": "worksheet"}


def test_another_chapter_takes_back_what_it_does_not_have(open_link: Open) -> None:
    link = {"link_chapter": "loss", "link_section": "rate", "link_hide": "width,at"}
    app = open_link(TEACHERS, open="", lang="en", **link)
    assert built(app)[1] == {"model": "translate", "only": "rate", "hide": "width,at"}
    app.selectbox(key=f"{TEACHERS}:link_section").select("targets").run()
    assert built(app)[1] == {"model": "translate", "only": "targets"}
    app.selectbox(key=f"{TEACHERS}:link_chapter").select("ways").run()
    assert built(app) == ("ways", {"model": "translate"})


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_link_with_nonsense_about_the_link_offers_the_whole_chapter(open_link: Open, lang: str) -> None:
    nonsense = {"link_section": "<b>", "link_hide": "x,,head,`", "link_model": "own", "link_chapter": "teachers"}
    app = open_link(TEACHERS, open="", lang=lang, link_lang="xx", link_present="2", **nonsense)
    assert not app.exception
    assert built(app) == ("attention", {"model": "translate", "hide": "head"})


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_code_on_the_page_leads_where_the_link_leads(open_link: Open, lang: str) -> None:
    link = {"link_chapter": "heads", "link_section": "what_if", "link_lang": lang, "link_present": "1"}
    app = open_link(TEACHERS, open="", lang=lang, **link)
    assert code(app) == next(block.value for block in app.code if "\n" not in block.value)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_lecture_shows_the_link_to_its_screen_as_a_code_and_takes_it_away_again(open_link: Open, lang: str) -> None:
    shell = Words("shell", lang)
    app = open_link("masks", open="", lang=lang, lesson="masks", stop="4", model="")
    assert not [block for block in app.markdown if 'class="qr"' in block.value]
    app.button(key="lecture.scan").click().run()
    split = urlsplit(code(app))
    said = dict(parse_qsl(split.query))
    assert split.path.endswith("/masks")
    assert said["only"] == "fill"
    assert said["lang"] == lang
    assert said["model"] == "translate"
    assert said["src"] == "two white cats sleep"
    assert {"lesson", "stop", "present"} & said.keys() == set()
    assert any(qr.readable(code(app)) in unescape(item.proto.body) for item in app.get("html"))
    assert shell("scan.close") in {button.label for button in app.button}
    app.button(key="scan.close").click().run()
    assert not [block for block in app.markdown if 'class="qr"' in block.value]
    assert app.query_params["stop"] == "4"


def test_the_code_of_a_lecture_leaves_the_replies_out_and_takes_what_was_set_along(open_link: Open) -> None:
    app = open_link("masks", open="", lang="en", present="1", only="fill", blank="zeros", fill_mask="keys")
    app.button(key="lecture.scan").click().run()
    said = dict(parse_qsl(urlsplit(code(app)).query))
    assert said == {"lang": "en", "only": "fill", "fill_mask": "keys", "fill_scores": "notes"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_link_too_long_for_a_phone_is_not_drawn_but_said_to_be(open_link: Open, lang: str) -> None:
    longest = {"present": "1", "only": "look_ahead", "src": "1 " * 249, "run": "d_model:8" * 40}
    app = open_link("masks", open="", lang=lang, **longest)
    app.button(key="lecture.scan").click().run()
    assert not app.exception
    assert not [block for block in app.markdown if 'class="qr"' in block.value]
    before, _, after = Words("shell", lang)("scan.too_long", count="#", most=qr.LONGEST).partition("#")
    assert [block for block in app.info if block.value.startswith(before) and block.value.endswith(after)]


@pytest.mark.parametrize(
    ("link", "own"),
    [
        ("http://localhost:8501/masks", True),
        ("http://127.0.0.1:8501/", True),
        ("http://127.3.2.1/", True),
        ("http://[::1]:8501/masks?x=1", True),
        ("http://app.localhost/", True),
        ("http://192.168.1.20:8501/masks", False),
        ("https://glass.example.org/127.0.0.1", False),
        ("http://localhost.example.org/", False),
        ("/masks", False),
    ],
)
def test_which_addresses_no_phone_can_follow(link: str, own: bool) -> None:
    assert qr.is_loopback(link) == own
