"""What stands below the menu: what "the lecture notes" are, another language, a lecture, a class, paper."""

from functools import lru_cache
from urllib.parse import urlencode

import streamlit as st

from ui import state
from ui.classroom import dialog
from ui.settings.chapters import BESIDE, MAP, ROUTE, TEACHERS
from ui.settings.fields import ALL, Folding, Settings
from ui.settings.frame import Frame
from ui.settings.route import DOCUMENTS
from ui.text import Words, languages


def language(chosen: str) -> str:
    """That of the link, or else the one of ours that the reader's browser asks for."""
    if chosen in languages():
        return chosen
    return "zh" if (st.context.locale or "").startswith("zh") else "en"


def others(here: str) -> None:
    """This page, as it is, in another language: no link, for that would know only what was set when it was drawn."""
    for lang, name in languages().items():
        if lang != here:
            st.button(name, icon=":material/translate:", type="tertiary", on_click=state.speak, args=(lang, here))


def documents(lang: str, frame: Frame) -> None:
    """A popover with the switch for the lecture notes; it names the five, each a link to its steps."""
    shell = Words("shell", lang)
    with st.popover(shell("documents"), type="tertiary", icon=":material/menu_book:"):
        spoken = frame.speaks_of_notes(lang)
        key = state.prepare("menu.notes", spoken)
        st.toggle(shell("notes"), spoken, key=key, on_change=_speak_of_notes, args=(not spoken,))
        st.markdown(_listed(lang, state.link_to(ROUTE, {"lang": lang})))


@lru_cache(maxsize=64)
def _listed(lang: str, route: str) -> str:
    """The five documents, each a link below the one to the `route` through them."""
    say, lines = Words(ROUTE, lang), [Words("shell", lang)("documents_lead"), ""]
    for number, part in enumerate(DOCUMENTS, 1):
        link = f"{route}&{urlencode({'open': part})}"
        lines.append(f"{number}. [{document_title(part, lang)}]({link})  \n{say(f'{part}.text')}")
    return "\n".join(lines)


def document_title(part: str, lang: str) -> str:
    own, translated = (Words(ROUTE, tongue)(f"{part}.title") for tongue in ("zh", lang))
    return own if lang == "zh" else f"{own}, {translated}"


def below_menu(here: str, kind: type[Settings], lang: str, frame: Frame) -> None:
    shell = Words("shell", lang)
    documents(lang, frame)
    _drawn_by(lang, frame)
    others(lang)
    if here not in (MAP, *BESIDE) and not frame.present:
        st.button(
            shell("lecture.enter"), icon=":material/co_present:", type="tertiary", shortcut="P", on_click=_present
        )
    if not (frame.room or frame.present):
        dialog.join_field(lang)
    if here != TEACHERS and not frame.present:
        st.button(
            shell("print.chapter"), icon=":material/print:", type="tertiary", key="print", on_click=_open_all,
            args=(here, kind),
        )  # fmt: skip


def _drawn_by(lang: str, frame: Frame) -> None:
    """The switch for who works with Plotly."""
    plotly = frame.draw == "plotly"
    key = state.prepare("menu.plotly", plotly)
    act, to = state.put, "canvas" if plotly else "plotly"
    st.toggle(Words("shell", lang)("plotly"), plotly, key=key, on_change=act, args=(state.FRAME, "draw", to))


def _speak_of_notes(spoken: bool) -> None:
    state.put(state.FRAME, "notes", "1" if spoken else "0")


def _present() -> None:
    state.put(state.FRAME, "present", True)


def _open_all(here: str, kind: type[Settings]) -> None:
    if issubclass(kind, Folding):
        state.put(here, "open", ALL)
