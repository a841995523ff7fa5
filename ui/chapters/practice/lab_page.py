"""The lab sheet as a page of its own: one file that opens without a server and prints on A4."""

from functools import cache

from transformer_core.labsheet.file import sealed
from transformer_core.labsheet.sheet import Entry, Sheet
from ui.chapters.practice.told import HERE, title, told
from ui.figures.markup import Markup, element
from ui.script import ASSETS
from ui.text import Words

HEAD = Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">')
COMMAND = "python -m transformer_core.labsheet check"


@cache
def _style() -> Markup:
    return Markup((ASSETS / "labsheet.css").read_text(encoding="utf-8"))


def lab_page(sheet: Sheet) -> str:
    """The file: what is read, and the same as data."""
    say = Words(HERE, sheet.lang)
    claims = [claim for entry in sheet.entries for claim in entry.claims]
    right = sum(claim.kind == "right" for claim in claims)
    named = f"{say('labsheet.title')}: {sheet.name}" if sheet.name else say("labsheet.title")
    body = element(
        "body",
        element(
            "header",
            element("h1", named),
            element("p", say("labsheet.count", entries=len(sheet.entries), right=right, answers=len(claims))),
            element("button", say("labsheet.print"), type="button", onclick="print()"),
        ),
        element("main", *(_entry(at, entry, sheet.lang) for at, entry in enumerate(sheet.entries, 1))),
        element("footer", element("p", say("labsheet.teacher")), element("pre", f"{COMMAND} FILE")),
    )
    head = element("head", HEAD, element("title", f"{named} · Glassformer"), element("style", _style()))
    return sealed(f"<!doctype html>\n{element('html', head, body, lang=sheet.lang)}\n", sheet)


def _entry(at: int, entry: Entry, lang: str) -> Markup:
    note = element("blockquote", entry.note) if entry.note else ""
    link = element("p", element("a", entry.link, href=entry.link), class_="link")
    return element("article", element("h2", f"{at}. {title(entry, lang)}"), told(entry, lang), note, link)
