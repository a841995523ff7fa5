"""Streamlit's page, before it has loaded anything, with our name, icon, description and preview.

A browser's tab, a search engine and a chat in which a link is posted read these alone. Streamlit's own say "Streamlit".
The preview is what Open Graph (https://ogp.me) names; it needs whole addresses, so they are those that were asked for.
"""

import re
from collections.abc import Mapping
from html import escape

from ui.components.component import source
from ui.components.posters import Poster, poster
from ui.frame.style import PROGRAM, SHEET
from ui.script import ASSETS, script
from ui.settings.chapters import BESIDE, CHAPTERS, MAP
from ui.text import Words, languages, without_terms

ARRIVAL, ARRIVAL_STYLE = script(ASSETS / "arrival.js"), (ASSETS / "arrival.css").read_text(encoding="utf-8")
PAGES = {"": MAP, **{chapter: chapter for chapter in (*CHAPTERS, *BESIDE)}}
FILES = {"icon.svg": "image/svg+xml", "preview.png": "image/png"}  # in ASSETS, each served below the app's address
SIZE = (1200, 630)  # pixels of the preview, as those who show one ask
_FONT = re.compile(r'href="(\./static/media/SourceSans[^"]+)"')
_ROOT = '<div id="root"></div>'
_HOST = re.compile(r"[\w.-]+(:\d+)?|\[[\da-fA-F:.]+\](:\d+)?", re.ASCII)
_REPLACED = re.compile(r'<title>.*?</title>|<link rel="shortcut icon"[^>]*>', re.DOTALL)


class IndexPage:
    """Streamlit's index.html, whose head it completes."""

    def __init__(self, page: str) -> None:
        self._page = _REPLACED.sub("", page)
        found = _FONT.search(page)
        self._font = (
            f'@font-face {{font-family: "Source Sans"; src: url("{found[1]}"); font-display: swap}}' if found else ""
        )

    def of(self, chapter: str, lang: str, at: str = "", *, newcomer: bool = False) -> str:
        """The page of a chapter in a language; `at` is the app's own address, and "" where it is not known. A
        `newcomer` sees its poster, where it is known."""
        name = Words(chapter, lang)("title")
        title = name if chapter == MAP else f"{name} · Glassformer"
        said = Words(MAP, lang)("about") if chapter == MAP else without_terms(Words(chapter, lang)("promise"), lang)
        preview = {
            "og:site_name": "Glassformer",
            "og:type": "website",
            "og:title": title,
            "og:description": said,
            "og:locale": lang,
        }
        if at:
            preview["og:url"] = f"{at}/{'' if chapter == MAP else chapter}"
            preview["og:image"] = f"{at}/preview.png"
            preview |= {"og:image:width": str(SIZE[0]), "og:image:height": str(SIZE[1])}
        head = [
            f"<title>{escape(title)}</title>",
            '<link rel="shortcut icon" href="./icon.svg" type="image/svg+xml" />',
            f'<link rel="modulepreload" href="{PROGRAM.address}" />',
            _meta("name", "description", said),
            _meta("name", "twitter:card", "summary_large_image"),
            *(_meta("property", name, content) for name, content in preview.items()),
        ]
        page = self._page.replace('<html lang="en">', f'<html lang="{lang}">')
        page = page.replace("  </head>", "\n".join((*head, "  </head>")), 1)
        shown = poster(chapter, lang) if newcomer else None
        soon = [f'<link rel="preload" href="{SHEET.address}" as="style" fetchpriority="high" />']
        if shown:
            soon.append(
                f'<link rel="modulepreload" href="{source(shown.component).program.address}" fetchpriority="high" />'
            )
        page = page.replace("<head>", "\n".join(("<head>", *soon)), 1)  # before all that Streamlit needs
        return page.replace(_ROOT, self._arrival(chapter, lang, shown) + _ROOT)

    def _arrival(self, chapter: str, lang: str, poster: Poster | None) -> str:
        """What is seen until the app is there, and gone then."""
        say = Words(chapter, lang)
        style, inside, told = self._font + ARRIVAL_STYLE, "", "null"
        if poster:
            html, css, program = source(poster.component)
            style, inside = style + css, html
            message = poster.message.replace("<", r"\u003c")
            told = f'{{program: "{program.address}", message: {message}}}'
        words = "" if poster and chapter != MAP else f"<p>{escape(without_terms(say('promise'), lang))}</p>"
        return (
            f'<link rel="stylesheet" href="{SHEET.address}" /><style>{style}</style>'
            '<div class="stApp arrival" inert aria-hidden="true"><div class="arrival-menu"></div>'
            f'<div class="arrival-page"><div class="arrival-title">{escape(say("title"))}</div>{words}'
            f'<div class="arrival-poster">{inside}</div></div></div>'
            f"<script>(() => {{\n{ARRIVAL}arrive({told});\n}})();</script>\n    "
        )


def language(chosen: str, accepted: str) -> str:
    """The language of a link, or else the first of ours that a browser accepts (RFC 9110, section 12.5.4)."""
    if chosen in languages():
        return chosen
    asked = sorted(map(_weighted, accepted.split(",")), key=lambda each: -each[1])
    return next((name[:2] for name, weight in asked if name[:2] in languages() and weight), "en")


def own_address(scheme: str, headers: Mapping[bytes, bytes], base: str) -> str:
    """Where the app is, as this request names it; "" where it names no host."""
    host = headers.get(b"host", b"").decode("latin-1")
    return f"{scheme}://{host}{base}" if _HOST.fullmatch(host) else ""


def _weighted(part: str) -> tuple[str, float]:
    name, _, weight = part.partition(";q=")
    try:
        return name.strip().lower(), float(weight or 1)
    except ValueError:
        return "", 0.0


def _meta(kind: str, name: str, content: str) -> str:
    return f'<meta {kind}="{name}" content="{escape(content)}" />'
