"""A link as a QR code, for a class that takes it from the projector, with the address in letters below it."""

from html import escape
from itertools import groupby
from urllib.parse import unquote_plus, urlsplit

import segno
import streamlit as st

from ui import state
from ui.figures.markup import Markup, element
from ui.text import Typed, Words

QUIET = 4  # modules of light around the square, by which a reader finds it
LONGEST = 666  # bytes: version 20; finer modules than its 97 a phone in the last row does not tell apart


def code(link: str, lang: str) -> None:
    """Draw it, or say that it would be too fine."""
    shell = Words("shell", lang)
    if len(link.encode()) > LONGEST:
        st.info(shell("scan.too_long", count=len(link), most=LONGEST))
    else:
        st.markdown(f'<div class="scan">{drawing(link, shell("scan.alt"))}</div>', unsafe_allow_html=True)


def drawing(text: str, alt: str) -> Markup:
    """The code as SVG, one unit per module. Black on white in any theme: so it is read, with 15 % of it damaged too."""
    encoding = None if text.isascii() else "utf-8"
    square = segno.make_qr(text, error="m", mode="byte", boost_error=False, encoding=encoding, eci=encoding is not None)
    size, lines = square.symbol_size(border=QUIET)[0], list[str]()
    for row, modules in enumerate(square.matrix):
        start = 0
        for dark, run in groupby(modules):
            length = len(list(run))
            if dark:
                lines.append(f"M{start + QUIET} {row + QUIET}h{length}v1h-{length}z")
            start += length
    light = element("path", fill="white", d=f"M0 0h{size}v{size}h-{size}z")
    black = element("path", fill="black", d="".join(lines))
    shape = {"viewBox": f"0 0 {size} {size}", "shape_rendering": "crispEdges"}
    return element("svg", light, black, class_="qr", role="img", aria_label=alt, **shape)


def reach(link: str, lang: str) -> None:
    """Say it of a link that no other machine can follow."""
    shell = Words("shell", lang)
    if is_loopback(link):
        st.warning(shell("scan.loopback", host=Typed(urlsplit(link).hostname or "")))


def enlarge(link: str, lang: str) -> None:
    """Open it over the page, with the address in letters that the last row reads."""
    shell = Words("shell", lang)
    st.dialog(shell("scan.title"), width="large")(_inside)(link, lang)


def _inside(link: str, lang: str) -> None:
    left, right = st.columns(2, gap="medium")
    with left:
        code(link, lang)
    with right:
        st.html(f'<p class="scan-address">{escape(readable(link))}</p>')
        if st.button(Words("shell", lang)("scan.close"), type="primary", key="scan.close"):
            state.run_again()
        reach(link, lang)


def is_loopback(link: str) -> bool:
    """Whether the address is this computer's own name for itself, which leads nobody else here."""
    host = urlsplit(link).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.") or host.endswith(".localhost")


def readable(link: str) -> str:
    """The address as it can be read aloud, with its letters and spaces."""
    return unquote_plus(link)
