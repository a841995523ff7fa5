"""The lab sheet as a page of its own, which opens without a server: one for the screen, and one for paper."""

from functools import cache
from urllib.parse import urlencode

from transformer_core.labsheet.file import with_data
from transformer_core.labsheet.key import key
from transformer_core.labsheet.sheet import Entry, LabSheet, opened
from ui.chapters.practice.told import HERE, keyed, title, told
from ui.figures.markup import Markup, element, joined
from ui.script import ASSETS
from ui.text import Words

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
        element("main", *(_entry(at, entry, say, paper=paper) for at, entry in enumerate(sheet.entries, 1))),
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


def _entry(at: int, entry: Entry, say: Words, *, paper: bool) -> Markup:
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
