"""A link as a QR code, for a class that takes it from the projector, with the address in letters below it."""

from html import escape
from urllib.parse import unquote_plus, urlsplit

import streamlit as st

from ui import state
from ui.figures.qr import drawing, qr
from ui.text import Typed, Words

LONGEST = 666  # bytes: version 20; finer modules than its 97 a phone in the last row does not tell apart


def code(link: str, lang: str) -> None:
    """Draw it, or say that it would be too fine."""
    shell = Words("shell", lang)
    if len(link.encode()) > LONGEST:
        st.info(shell("scan.too_long", count=len(link), most=LONGEST))
    else:
        st.markdown(f'<div class="scan">{drawing(qr(link), shell("scan.alt"))}</div>', unsafe_allow_html=True)


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
