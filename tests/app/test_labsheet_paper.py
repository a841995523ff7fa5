"""The lab sheet for paper: the same data as that for the screen, addresses that can be typed, and a key if wanted."""

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import quote

import pytest

from tests.app.answers import right
from tests.app.conftest import Open, in_turn
from tests.app.test_labsheet import go_on, kept
from tests.app.test_worksheet import fill
from transformer_core.exercises.faults.which_fault import FAULTS, fault_of
from transformer_core.exercises.parsons import PUZZLES
from transformer_core.exercises.parsons.assembly import right as in_order
from transformer_core.exercises.parsons.assembly import source
from transformer_core.exercises.reply import packed
from transformer_core.exercises.worksheet import TASKS
from transformer_core.labsheet.file import found
from transformer_core.labsheet.judges import worked_out
from transformer_core.labsheet.key import key
from transformer_core.labsheet.sheet import Entry, LabSheet
from ui.chapters.practice.labsheet import lab_page
from ui.text import LANGUAGES, Words

PLACE = "https://school.example.org/app/practice"
WRONG = next(name for name in FAULTS if name != fault_of(3).name)
LINKS = {
    ("worksheet", "beam 2"): "sheet_task=beam&sheet_seed=2&sheet_replies=77",
    ("mend", "masks"): "mend_puzzle=masks&mend_judged=00",
    ("draw", "wave 5"): f"draw_task=wave&draw_seed=5&drawn_run={'00' * 25}",
    ("draw", "rate 5"): f"draw_task=rate&draw_seed=5&drawn_run={'00' * 21}",
    ("fault", "3"): f"fault=3&fault_named={WRONG}",
}


def entries() -> list[Entry]:
    """One of each kind, none of them right."""
    found = [Entry(*key, f"{PLACE}?lang=en&{said}", ()) for key, said in LINKS.items()]
    return [one._replace(claims=worked_out(one) or ()) for one in found]


def on_paper(of: LabSheet, *, with_key: bool = False) -> str:
    """Its text as it is read, without the data."""
    page = lab_page(of, paper=True, with_key=with_key)
    return unescape(re.sub(r"<script.*?</script>|<style>.*?</style>", "", page, flags=re.S))


@in_turn("with_key", [False, True])
def test_the_check_takes_it_for_the_same_sheet(lang: str, with_key: bool) -> None:
    of = LabSheet(lang, "Ann", tuple(entries()))
    screen, paper = found(lab_page(of)), found(lab_page(of, paper=True, with_key=with_key))
    assert paper == screen
    assert paper.unchanged


def test_what_is_right_stands_in_the_key_alone() -> None:
    of = LabSheet("en", "", tuple(entries()))
    say, masks = Words("practice", "en"), PUZZLES["masks"]
    secrets = [say(f"fault_named.option.{fault_of(3).name}"), source(masks, in_order(masks)).splitlines()[-1].strip()]
    bare, whole = on_paper(of), on_paper(of, with_key=True)
    for secret in secrets:
        assert secret not in bare
        assert secret in whole
    assert [whole.count("<polyline"), bare.count("<polyline")] == [4, 2]
    for blank in TASKS["beam"].exercise(2).blanks:
        assert any(claim.at == blank.place and float(claim.reply) == pytest.approx(blank.right, rel=1e-3)
                   for claim in key(entries()[0]))  # fmt: skip


def unanswered() -> Iterator[tuple[Entry, str]]:
    """Of each exercise that has a key the entry without replies, and what a link calls these."""
    for seed in (1, 2, 7):
        for task in TASKS:
            yield (
                Entry("worksheet", f"{task} {seed}", f"{PLACE}?sheet_task={task}&sheet_seed={seed}", ()),
                "sheet_replies",
            )
        for task in ("wave", "rate"):
            yield Entry("draw", f"{task} {seed}", f"{PLACE}?draw_task={task}&draw_seed={seed}", ()), "drawn_run"
    for name in PUZZLES:
        yield Entry("mend", name, f"{PLACE}?mend_puzzle={name}", ()), "mend_judged"
    for seed in range(1, len(FAULTS) + 1):
        yield Entry("fault", str(seed), f"{PLACE}?fault={seed}", ()), "fault_named"


def test_who_answers_as_the_key_says_is_judged_right() -> None:
    for asked, replies in unanswered():
        right = [(claim.at, claim.reply, "right") for claim in key(asked)]
        said = [reply for _, reply, _ in right]
        link = f"{asked.link}&{replies}={quote(packed(said) if asked.kind == 'worksheet' else said[0])}"
        judged = worked_out(asked._replace(link=link)) or ()
        assert [(claim.at, claim.reply, claim.kind) for claim in judged] == right, asked.what
        assert right, asked.what
    assert key(Entry("draw", "loss 5", PLACE, ())) == ()
    assert key(Entry("unheard_of", "x", PLACE, ())) == ()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_its_addresses_are_short_and_open_the_exercise_without_replies(lang: str) -> None:
    page = on_paper(LabSheet(lang, "", tuple(entries())))
    shown = re.findall(r'<a href="([^"]*)">([^<]*)</a>', page)
    assert [link for link, _ in shown] == [one.link for one in entries()]
    for (kind, what), (_, told) in zip(LINKS, shown):
        assert len(told) < 90
        assert told.startswith("school.example.org/app/practice?")
        assert set(what.split()) <= set(re.split("[=&?]", told)), kind
        assert not re.search("replies|judged|drawn|named", told)


def test_a_question_has_its_right_reply_and_reason_in_the_key(open_link: Open) -> None:
    app = open_link("tokens", lang="en", learned="learned")
    go_on(app, "heads", lang="en", open="", **right("heads", "size"))
    of = LabSheet("en", "", tuple(kept(app).values()))
    answers = on_paper(of, with_key=True).split('class="answers"')[1]
    assert Words("tokens", "en")("learned.option.zero") in answers
    assert "<b>64</b>" in answers


@pytest.mark.parametrize("lang", LANGUAGES)
def test_it_has_room_for_a_pen_and_asks_for_a_name_where_there_is_none(lang: str) -> None:
    say = Words("practice", lang)
    for name, there in (("", True), ("Ann", False)):
        page = on_paper(LabSheet(lang, name, tuple(entries())))
        assert (f"<span>{say('labsheet.own_name')}<i></i></span>" in page) is there
        assert page.count('class="lines"') == len(entries())
        assert say("labsheet.teacher") in page
        assert (f"<h1>{say('labsheet.title')}: Ann</h1>" in page) is not there


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_gives_it_with_the_key_and_without(open_link: Open, lang: str) -> None:
    app = open_link("practice", lang=lang, sheet_task="beam")
    fill(app, "beam", ["77"])
    assert not app.exception
    labels = [one.label for one in app.get("download_button")]
    say = Words("practice", lang)
    assert labels == [say(f"labsheet.{name}") for name in ("save", "paper", "paper_key")]
