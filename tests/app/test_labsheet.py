"""The lab sheet on the page: it gathers what is answered, and the file that it gives is what its links give."""

import re
from html import unescape
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.answers import ASKING, on_page, questions, right, wrong
from tests.app.conftest import Open
from tests.app.test_worksheet import fill
from transformer_core.exercises.drawing import wave
from transformer_core.exercises.drawing.packed import even
from transformer_core.exercises.drawing.packed import packed as packed_levels
from transformer_core.exercises.faults.which_fault import fault_of
from transformer_core.exercises.parsons import PUZZLES
from transformer_core.exercises.parsons.assembly import right as in_order
from transformer_core.exercises.parsons.assembly import written
from transformer_core.exercises.reply import packed
from transformer_core.exercises.worksheet import TASKS
from transformer_core.labsheet.check import check
from transformer_core.labsheet.file import LARGEST, OpenedSheet, found
from transformer_core.labsheet.judges import worked_out
from transformer_core.labsheet.sheet import CELLS, ENTRIES, NOTE, TABLES, Entry, LabSheet, SheetTable
from ui.chapters import question
from ui.chapters.practice.labsheet import lab_page
from ui.chapters.practice.told import title, told
from ui.figures.markup import element
from ui.frame import labsheet_entries
from ui.frame.labsheet_entries import KEPT
from ui.labsheet import shown
from ui.sections.question import Choice
from ui.settings.chapters import page
from ui.text import LANGUAGES, Words

ORDER = written(in_order(PUZZLES["masks"]))


def kept(app: AppTest) -> dict[tuple[str, str], Entry]:
    if "kept" not in app.session_state:
        return {}
    entries: dict[tuple[str, str], Entry] = app.session_state["kept"].get("remembered", {}).get(KEPT) or {}
    return entries


def go_on(app: AppTest, chapter: str, **query: str) -> AppTest:
    """To another page of the same tab."""
    app.switch_page(page(chapter))
    app.query_params.clear()
    for name, value in ({"open": "all", "model": "trained"} | query).items():
        app.query_params[name] = value
    return app.run()


def saved(app: AppTest, lang: str = "en") -> OpenedSheet:
    """The file that the page would give."""
    return found(lab_page(LabSheet(lang, "", tuple(kept(app).values()))))


def states(read: OpenedSheet) -> set[str]:
    return {one.state for one in check(read.sheet)}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_answered_is_gathered_and_is_what_its_links_give(open_link: Open, lang: str) -> None:
    app = open_link("practice", lang=lang, sheet_task="beam")
    assert Words("practice", lang)("labsheet.nothing") in [box.value for box in app.info]
    fill(app, "beam", ["77", "1/2", "one"])
    go_on(app, "tokens", lang=lang, learned="learned")
    go_on(app, "practice", lang=lang, mend_puzzle="masks", mend_order=ORDER, mend_judged=ORDER, mend_first=ORDER)
    assert not app.exception
    assert [*kept(app)] == [("worksheet", "beam 1"), ("question", "tokens learned"), ("mend", "masks")]
    shown = "\n".join(block.value for block in app.markdown)
    for entry in kept(app).values():
        assert title(entry, lang) in unescape(shown)
    read = saved(app, lang)
    assert read.unchanged
    assert states(read) <= {"right", "wrong", "unchecked"}
    assert read.sheet.entries == tuple(kept(app).values())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_drawings_and_faults_are_gathered_too(open_link: Open, lang: str) -> None:
    asked = wave.asked(5)
    drawn = packed_levels([round(500 * (value + 1)) for value in wave.code_of(*asked).tolist()])
    said = {"draw_task": "wave", "draw_seed": "5", "drawn": drawn, "drawn_run": drawn, "drawn_first": drawn}
    named = {"fault": "3", "fault_named": fault_of(3).name, "src": "1 4 2 5 3 6", "model": "trained"}
    app = open_link("practice", lang=lang, **said, **named)
    assert not app.exception
    assert {("draw", "wave 5"), ("fault", "3")} <= kept(app).keys()
    for lines in (said | {"draw_task": "row"}, {}):
        go_on(app, "practice", lang=lang, **lines)
        assert not app.exception
    read = saved(app, lang)
    found = {one.entry.key: one.state for one in check(read.sheet)}
    assert found[("draw", "wave 5")] == found[("fault", "3")] == "right"
    text = lab_page(read.sheet)
    assert "<polyline" in text
    assert Words("practice", lang)(f"fault_named.option.{fault_of(3).name}") in unescape(text)


def test_a_reply_that_is_changed_stays_one_entry_and_keeps_what_was_said_first(open_link: Open) -> None:
    app = open_link("tokens", lang="en", learned="learned")
    app.button_group(key="tokens:learned").set_value("zero").run()
    (entry,) = kept(app).values()
    assert (entry.first, entry.claims[0].reply, entry.claims[0].kind) == ("learned", "zero", "right")
    said = Words("tokens", "en")
    text, say = lab_page(LabSheet("en", "", (entry,))), Words("practice", "en")
    assert say("labsheet.first", reply=said("learned.option.learned")) in text
    assert say("labsheet.presses", presses=1) in text


def test_an_entry_has_a_note_and_can_be_taken_out_until_it_is_answered_otherwise(open_link: Open) -> None:
    app = open_link("practice", lang="en", sheet_replies="77", sheet_first="77")
    note = "<b>I see</b> " + "x" * NOTE
    (field,) = app.text_area
    assert field.proto.max_chars == NOTE
    field.set_value(note[:NOTE]).run()
    (entry,) = kept(app).values()
    assert entry.note == note[:NOTE]
    app.text_input(key="practice.labsheet.name").set_value(" <i>Ann</i> ").run()
    text = lab_page(LabSheet("en", "<i>Ann</i>", tuple(kept(app).values())))
    assert "<b>I see" not in text
    assert "<i>Ann" not in text
    assert found(text).sheet.entries[0].note == note[:NOTE]
    app.button(key="practice.labsheet.worksheet.attention 1.drop").click().run()
    assert not app.exception
    assert kept(app) == {}
    assert not app.text_area
    fill(app, "attention", ["78"])
    assert [*kept(app)] == [("worksheet", "attention 1")]
    app.button(key="practice.labsheet.drop_all").click().run()
    assert kept(app) == {}


@pytest.mark.parametrize("chapter", [chapter for chapter in ASKING if on_page(chapter)])
def test_every_question_on_a_page_is_gathered_right_or_wrong(open_link: Open, chapter: str) -> None:
    asked = on_page(chapter)
    replies = {one.name: next(iter(wrong(one))) if at % 2 else right(chapter, one.name)[one.name]
               for at, one in enumerate(asked)}  # fmt: skip
    app = open_link(chapter, open="", lang="zh", **replies)
    assert not app.exception
    there = {what.partition(" ")[2] for _, what in kept(app)}
    assert there <= {one.name for one in asked}
    assert there
    for one in check(saved(app, "zh").sheet):
        measured = one.entry.what == "positions beyond"
        assert one.state == ("unchecked" if measured else "right" if one.claim.kind == "right" else "wrong")


@pytest.mark.parametrize("chapter", ASKING)
def test_a_question_is_judged_from_its_link_as_on_its_page(chapter: str) -> None:
    for one in questions(chapter):
        if one.measured:
            assert question(chapter, f"{chapter} {one.name}", right(chapter, one.name)) is None
            continue
        (claim,) = question(chapter, f"{chapter} {one.name}", right(chapter, one.name)) or ()
        assert (claim.kind, claim.cause) == ("right", "")
        for reply in wrong(one):
            (claim,) = question(chapter, f"{chapter} {one.name}", {one.name: reply}) or ()
            assert claim.kind in ("slip", "wrong")
            assert one.right not in claim.numbers
            assert claim.cause == (reply if isinstance(one, Choice) else one.judged(reply).cause)


@pytest.mark.parametrize(("chapter", "name"), [("tokens", "learned"), ("heads", "size"), ("scaling", "spread")])
def test_the_figure_that_a_question_led_to_is_on_the_sheet_and_its_link_shows_it(
    open_link: Open, chapter: str, name: str
) -> None:
    app = open_link(chapter, open="", lang="en", **right(chapter, name))
    (entry,) = kept(app).values()
    assert entry.tables
    assert all(sum(map(len, table.rows)) <= CELLS for table in entry.tables)
    captions = [element("caption", table.title) for table in entry.tables if table.title]
    assert re.findall("<caption>.*?</caption>", told(entry, "en")) == captions
    assert states(saved(app)) == {"right"}
    again = shown(entry)
    assert again
    assert again.tables == entry.tables


def test_what_needs_a_readers_own_model_is_not_shown_again() -> None:
    entry = Entry("question", "tokens learned", "http://localhost/tokens?learned=zero&model=own", ())
    assert shown(entry) is None
    for link in ("http://localhost/nowhere?learned=zero", "http://[tokens", "tokens?" + "learned=zero&" * 999):
        assert shown(entry._replace(link=link)) == entry._replace(link=link)


def test_a_page_that_takes_too_long_is_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(_: AppTest) -> None:
        raise RuntimeError("AppTest script run timed out")

    monkeypatch.setattr(AppTest, "run", late)
    assert shown(Entry("question", "tokens learned", "http://localhost/tokens?learned=zero", ())) is None


def test_of_what_was_dropped_no_more_is_remembered_than_two_sheets_can_have(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labsheet_entries, "ENTRIES", 1)
    app = open_link("practice", lang="en")
    for seed in (1, 2, 3):
        app.number_input(key="practice:sheet_seed").set_value(seed).run()
        fill(app, "attention", ["77"], seed)
        assert [*kept(app)] == [("worksheet", f"attention {seed}")]
        app.button(key="practice.labsheet.drop_all").click().run()
    assert len(app.session_state["kept"]["remembered"][labsheet_entries.SEEN]) == 2


def test_a_drawn_row_is_held_to_the_model_where_its_link_is_opened(open_link: Open) -> None:
    said = {"draw_task": "row", "draw_seed": "5", "model": "translate", "src": "two white cats sleep", "lang": "en"}
    for points in range(2, 12):  # as many as the row has keys
        drawn = packed_levels(even(points))
        app = open_link("practice", **said, drawn=drawn, drawn_run=drawn)
        if kept(app):
            break
    (entry,) = kept(app).values()
    assert states(saved(app)) == {"unchecked"}, "nobody has opened its link"
    (one,) = check(saved(app).sheet, shown)
    assert one.state == ("right" if entry.claims[0].kind == "right" else "wrong")
    (claim,) = entry.claims
    other = entry._replace(claims=(claim._replace(numbers=(claim.numbers[0] + 0.1,)),))
    assert [one.state for one in check(LabSheet("en", "", (other,)), shown)] == ["differing"]


def test_a_question_under_another_chapter_or_name_is_never_passed() -> None:
    said = right("tokens", "learned")
    assert question("masks", "tokens learned", said) == ()
    assert question("../tokens", "../tokens learned", said) == ()
    assert question("tokens", "tokens nonsense", said) is None
    assert question("tokens", "tokens learned", {}) == ()


def test_another_reply_to_a_question_than_its_links_is_found(open_link: Open) -> None:
    app = open_link("tokens", lang="en", learned="learned")
    (entry,) = kept(app).values()
    other = entry._replace(claims=(entry.claims[0]._replace(reply="zero", kind="right", cause=""),))
    assert check(LabSheet("en", "", (other,)))[0].state == "differing"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_file_stands_by_itself_and_says_every_reply(open_link: Open, lang: str) -> None:
    app = open_link("practice", lang=lang, sheet_task="loss", sheet_replies="77~one", sheet_first="76")
    text = lab_page(LabSheet(lang, "Ann", tuple(kept(app).values())))
    assert f'<html lang="{lang}">' in text
    assert "@page" in text
    assert not re.search(r"<(link|img|iframe)|@import|url\(|<script(?! type=\"application/json\")", text)
    for said in (">77<", ">one<", ">76<", ": Ann<"):
        assert said in text


def every_entry() -> list[Entry]:
    """As many as there can be: each with the longest link, note and replies."""
    entries = []
    for number in range(1, ENTRIES + 1):
        task = list(TASKS)[number % len(TASKS)]
        blanks = TASKS[task].exercise(number).blanks
        replies = packed(f"{blank.right:.12f}" for blank in blanks)
        link = f"https://school.example.org/glassformer/practice?src={'%E4%B8%AD' * 100}"
        link += f"&sheet_task={task}&sheet_seed={number}&sheet_replies={replies}&sheet_first={replies}"
        entry = Entry("worksheet", f"{task} {number}", link, (), note="注" * (NOTE // 4))
        entries.append(entry._replace(claims=worked_out(entry) or ()))
    asked = [(chapter, one) for chapter in ASKING for one in questions(chapter) if not one.measured]
    table = SheetTable("figure.panel", (), ((-0.123456,) * 10,) * (CELLS // 10))
    for at, (chapter, one) in enumerate(asked[:ENTRIES]):
        said = right(chapter, one.name)
        link = f"https://school.example.org/glassformer/{chapter}?src={'%E4%B8%AD' * 100}&{urlencode(said)}"
        entry = Entry("question", f"{chapter} {one.name}", link, (), "x" * 40, "注" * (NOTE // 4), (table,) * TABLES)
        entries[at] = entry._replace(claims=worked_out(entry) or ())
    return entries


def test_a_full_sheet_is_under_two_megabytes_and_right_and_so_is_its_paper() -> None:
    full = LabSheet("zh", "小明", tuple(every_entry()))
    text, paper = lab_page(full), lab_page(full, paper=True, with_key=True)
    assert max(len(text.encode()), len(paper.encode())) < LARGEST
    assert states(found(text)) == {"right"}
    assert found(paper).unchanged
