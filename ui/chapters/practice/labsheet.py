"""The lab sheet: what was answered in this tab, with the reader's notes, and the page that it is saved as."""

from functools import cache, partial
from urllib.parse import urlencode

import streamlit as st

from transformer_core.labsheet.file import LARGEST, with_data
from transformer_core.labsheet.key import key
from transformer_core.labsheet.sheet import ENTRIES, NAME, NOTE, Entry, LabSheet, opened
from ui import state
from ui.chapters.practice.drawing.asked import DrawSettings
from ui.chapters.practice.fault import OfFault
from ui.chapters.practice.mend import Mend
from ui.chapters.practice.told import HERE, keyed, title, told, worth
from ui.chapters.practice.worksheet import Worksheet
from ui.figures.markup import Markup, element, joined
from ui.frame import labsheet_entries
from ui.script import ASSETS
from ui.sections import AnyChapter, Section
from ui.text import LITERAL, Words

HEAD = Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">')
INSTALLED = "glassformer." if ASSETS.parents[1].name in ("site-packages", "dist-packages") else ""
COMMAND = f"python -m {INSTALLED}ui.labsheet check"
NAMING = ("only", "sheet_task", "sheet_seed", "mend_puzzle", "draw_task", "draw_seed", "fault")
LINES = element("div", element("i"), element("i"), class_="lines")  # for a pen


@cache
def _style() -> Markup:
    return Markup((ASSETS / "labsheet.css").read_text(encoding="utf-8"))


def lab_page(sheet: LabSheet, *, paper: bool = False, with_key: bool = False) -> str:
    """The file: what is read, and the same as data. The one for paper has room for a pen, addresses that can be typed,
    and on pages of its own, `with_key`, what is right."""
    say = Words(HERE, sheet.lang)
    claims = [claim for entry in sheet.entries for claim in entry.claims]
    right = sum(claim.kind == "right" for claim in claims)
    named = f"{say('labsheet.title')}: {sheet.name}" if sheet.name else say("labsheet.title")
    counted = element("p", say("labsheet.count", entries=len(sheet.entries), right=right, answers=len(claims)))
    body = element(
        "body",
        element("header", element("h1", named), _to_fill_in(sheet, say) if paper else "", counted),
        element("main", *(_page_entry(at, entry, say, paper=paper) for at, entry in enumerate(sheet.entries, 1))),
        _key(sheet, say) if with_key else "",
        element("footer", element("p", say("labsheet.teacher")), element("pre", f"{COMMAND} FILE")),
        class_="paper" if paper else None,
    )
    head = element("head", HEAD, element("title", f"{named} · Glassformer"), element("style", _style()))
    return with_data(f"<!doctype html>\n{element('html', head, body, lang=sheet.lang)}\n", sheet)


def _to_fill_in(sheet: LabSheet, say: Words) -> Markup:
    fields = ("class", "date") if sheet.name else ("own_name", "class", "date")
    lines = (element("span", say(f"labsheet.{field}"), element("i")) for field in fields)
    told = element("p", say("labsheet.addresses"))
    return joined([element("button", say("labsheet.print"), type="button", onclick="print()"),
                   element("p", *lines, class_="fields"), told])  # fmt: skip


def _page_entry(at: int, entry: Entry, say: Words, *, paper: bool) -> Markup:
    note = element("blockquote", entry.note) if entry.note else ""
    presses = element("p", say("labsheet.presses", presses=entry.presses)) if entry.presses else ""
    link = element("p", element("a", _short(entry) if paper else entry.link, href=entry.link), class_="link")
    heading = element("h2", f"{at}. {title(entry, say.lang)}")
    return element("article", heading, told(entry, say.lang), presses, note, link, LINES if paper else "")


def _key(sheet: LabSheet, say: Words) -> Markup:
    answers = ((at, entry, keyed(entry._replace(claims=key(entry)), sheet.lang))
               for at, entry in enumerate(sheet.entries, 1))  # fmt: skip
    told = (element("article", element("h3", f"{at}. {title(entry, sheet.lang)}"), answer)
            for at, entry, answer in answers if answer)  # fmt: skip
    return element("section", element("h2", say("labsheet.key")), element("div", *told, class_="answers"), class_="key")


def _short(entry: Entry) -> str:
    """The address that opens the exercise without the replies, as one types it."""
    said = opened(entry.link)[1]
    named = urlencode({name: said[name] for name in NAMING if name in said})
    place = entry.link.partition("?")[0].rpartition("://")[2]
    return f"{place}?{named}" if named else place


FILE = "labsheet.html"
PAPER = {"paper": False, "paper_key": True}  # those for print, and whether with the key


@Section("labsheet", text="text", reads=(Worksheet, DrawSettings, Mend, OfFault))
def labsheet(chapter: AnyChapter) -> None:
    say, kept = chapter.say, labsheet_entries.entries()
    if not kept:
        st.info(say("labsheet.nothing"))
        return
    if labsheet_entries.is_full():
        st.warning(say("labsheet.full", most=ENTRIES))
    key = state.prepare("practice.labsheet.name", labsheet_entries.name())
    st.text_input(say("labsheet.name"), labsheet_entries.name(), NAME, key, on_change=chapter.then(_call), args=(key,))
    for at, entry in enumerate(kept.values(), 1):
        _entry(chapter, at, entry)
    _file(chapter, LabSheet(chapter.lang, labsheet_entries.name(), tuple(kept.values())))


def _call(key: str) -> None:
    labsheet_entries.call(str(state.picked(key) or "").strip())


def _entry(chapter: AnyChapter, at: int, entry: Entry) -> None:
    say, key = chapter.say, f"practice.labsheet.{entry.kind}.{entry.what}"
    right = sum(claim.kind == "right" for claim in entry.claims)
    told = worth(entry.claims[0], say)
    if len(entry.claims) > 1:
        told = say("labsheet.of", right=right, answers=len(entry.claims))
    with st.container(border=True, gap="xsmall", key=f"labsheet-{at}"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f"**{at}. [{title(entry, chapter.lang).translate(LITERAL)}]({entry.link})** · {told}")
            st.button(
                say("labsheet.drop", at=at), icon=":material/close:", type="tertiary", key=f"{key}.drop",
                on_click=chapter.then(labsheet_entries.drop), args=(entry.key,),
            )  # fmt: skip
        noted = state.prepare(f"{key}.note", entry.note)
        st.text_area(
            say("labsheet.note", at=at), entry.note, 68, NOTE, noted,
            on_change=chapter.then(_note), args=(entry.key, noted),
        )  # fmt: skip


def _note(entry: labsheet_entries.Key, key: str) -> None:
    labsheet_entries.note(entry, str(state.picked(key) or "").strip())


def _file(chapter: AnyChapter, sheet: LabSheet) -> None:
    say = chapter.say
    page = lab_page(sheet).encode()
    if len(page) > LARGEST:
        st.warning(say("labsheet.large", size=LARGEST // 1_000_000))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            say("labsheet.save"), page, FILE, "text/html", key="practice.labsheet.save", on_click="ignore",
            icon=":material/download:", type="primary",
        )  # fmt: skip
        for name, with_key in PAPER.items():  # made when they are asked for
            st.download_button(
                say(f"labsheet.{name}"), partial(_on_paper, sheet, with_key=with_key), f"{name}-{FILE}", "text/html",
                key=f"practice.labsheet.{name}", on_click="ignore", icon=":material/print:",
            )  # fmt: skip
        st.button(
            say("labsheet.drop_all"), icon=":material/delete:", key="practice.labsheet.drop_all",
            on_click=chapter.then(labsheet_entries.drop_all),
        )  # fmt: skip
    chapter.write("labsheet.after", command=COMMAND)


def _on_paper(sheet: LabSheet, *, with_key: bool) -> bytes:
    return lab_page(sheet, paper=True, with_key=with_key).encode()


# What is answered on this page stands on the sheet at once.
