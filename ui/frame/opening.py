"""The frame around every chapter: title, language, menu, model at hand, and the way on."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from html import escape
from types import MappingProxyType
from typing import Any

import streamlit as st

from ui import address
from ui.frame import comparison
from ui.frame.chapter import Chapter
from ui.frame.documents import documents
from ui.frame.fragment import fragment
from ui.frame.menu import menu, title
from ui.frame.style import apply_style
from ui.frame.waiting import and_wait
from ui.model.at_hand import ModelAtHand, model_at_hand
from ui.model.boot import boot as boot_server
from ui.model.run_link import config_of
from ui.reading.sequence import example
from ui.server.seat import seat
from ui.settings.chapters import MAP, TEACHERS, after, page
from ui.settings.compared import Compared
from ui.settings.fields import ALL, Folding, Settings
from ui.settings.frame import Frame
from ui.text import Words, languages

Follow = Mapping[str, tuple[str, ...]]  # of each setting the sections that show it
First = Callable[[type[Any]], object]  # what is done before anything is drawn

KINDS = ["translate", "fresh_translate", "trained", "fresh", "notes"]  # of the models, as the menu has them


def open_chapter(
    name: str, kind: type[Settings] = Settings, follow: Follow = MappingProxyType({}), first: Sequence[First] = ()
) -> Chapter[Any]:
    """The first call of every page: boot, language, title and promise, menu."""
    seat()
    address.open_link(name, kind)
    if to := address.elsewhere():
        st.switch_page(page(to[0]), query_params=to[1])
    for act in first:
        act(kind)
    frame = address.current(address.FRAME, Frame)
    lang = _language(frame.lang)
    say = Words(name, lang)
    tab = say("title") if name == MAP else f"{say('title')} · Glassformer"
    st.set_page_config(tab, layout="wide", initial_sidebar_state="auto")
    _boot(lang)
    apply_style(lang)
    at_hand = _model(frame, lang)
    if at_hand.trouble != "config":
        config = config_of(frame.run) if frame.model == "run" else at_hand.config  # also while it is awaited
        task = address.NUMBERS if config.words is None else config.words.name
        address.speak_words(task, example(config, Frame.default().src))
    other = comparison.compared(frame, at_hand, lang)
    with st.sidebar:
        listed = menu(name, lang)
        place = st.html(listed.html())
        _model_choice(lang, frame, at_hand)
        comparison.choice(frame, at_hand, other, lang, shown=issubclass(kind, Compared))
        _below_the_menu(name, kind, lang, frame)
    chapter = Chapter[Any](
        name, kind, lang, say, at_hand, listed, place, other, own=Settings if follow else kind, follow=follow
    )
    st.title(_heading(frame, lang) or say("title"), anchor=name)
    address.enter("")
    if not frame.present:
        st.markdown(say("promise"))
    return chapter


def _heading(frame: Frame, lang: str) -> str:
    """What a stop of a lesson is about."""
    return Words(TEACHERS, lang)(f"{frame.lesson}.stop_{frame.at_stop}") if frame.at else ""


def close_chapter(chapter: Chapter[Any]) -> None:
    """The last call of every page: the one thing to do next, and the way back to the map."""
    shell = Words("shell", chapter.lang)
    following = after(chapter.name)
    with st.container(horizontal=True, key="way-on"):
        if following != MAP:
            st.page_link(
                _page(following),
                label=shell("next", title=title(following, chapter.lang)),
                icon=":material/arrow_forward:",
                query_params=address.query(following),
            )
        if chapter.name != MAP:
            st.page_link(_page(MAP), label=shell("back"), icon=":material/map:", query_params=address.query(MAP))
    with st.container(key="paper"):  # seen in print alone; assets/print.js fills it in
        st.html(
            f'<div class="printed"><p>{escape(shell("print.folded"))} <b class="printed-folded"></b></p>'
            f'<p>{escape(shell("print.address"))} <span class="printed-address"></span></p></div>'
        )
    address.close_link()


@cache
def _page(chapter: str) -> st.Page:
    """Made once: told a path, Streamlit would look for the page's file again for every link, in every run."""
    return st.Page(page(chapter), default=chapter == MAP)


def _below_the_menu(here: str, kind: type[Settings], lang: str, frame: Frame) -> None:
    """What "the lecture notes" are, and the ways into the other language, into a lecture and onto paper."""
    shell = Words("shell", lang)
    documents(lang)
    _language_button(lang)
    if here not in (MAP, TEACHERS) and not frame.present:
        st.button(
            shell("lecture.enter"), icon=":material/co_present:", type="tertiary", shortcut="P", on_click=_present
        )
    if here != TEACHERS and not frame.present:
        st.button(
            shell("print.chapter"), icon=":material/print:", type="tertiary", key="print", on_click=_open_all,
            args=(here, kind),
        )  # fmt: skip


def _open_all(here: str, kind: type[Settings]) -> None:
    """Every section, for paper; assets/print.js prints them once they are there."""
    if issubclass(kind, Folding):
        address.put(here, "open", ALL)


def _boot(lang: str) -> None:
    """Once per process. Without the shipped model no chapter has anything to show; then only a sentence says so."""
    try:
        boot_server()
    except (OSError, ValueError):
        st.error(Words("shell", lang)("model_broken"))
        st.stop()


def _model(frame: Frame, lang: str) -> ModelAtHand:
    """The model at hand, one for the whole page. A run may take a moment."""
    if frame.model != "run":
        return model_at_hand(frame)
    with st.spinner(Words("shell", lang)("model_awaited")):
        return model_at_hand(frame)


@partial(fragment, run_every=2)
def _look_again(frame: Frame, lang: str) -> None:
    """Until the run is trained: say that the shipped model stands in for it."""
    at_hand = model_at_hand(frame, 0)
    if not at_hand.awaited:
        address.run_again()
    shell = Words("shell", lang)
    said = shell("model_lost" if at_hand.trouble == "lost" else "model_awaited")
    st.info(and_wait(said, at_hand.outlook, lang))


def _model_choice(lang: str, frame: Frame, at_hand: ModelAtHand) -> None:
    shell = Words("shell", lang)
    kinds = [*KINDS, *(["run"] if frame.run else []), *(["own"] if seat().own else [])]
    kinds += [] if frame.model in kinds else [frame.model]
    key = address.prepare_widget(address.FRAME, "model", frame.model)
    st.selectbox(
        shell("model"),
        kinds,
        kinds.index(frame.model),
        lambda kind: shell(f"model_kind.{kind}"),
        key,
        filter_mode=None,  # so few need no search, whose "No results" is English in every language
    )
    config = at_hand.config
    if at_hand.awaited:
        _look_again(frame, lang)
    elif at_hand.trouble:
        st.warning(shell(f"model_missing.{at_hand.trouble}"))
    st.caption(
        shell(
            "model_sizes" if at_hand.own is None else "model_sizes_file" if at_hand.step is None else "model_sizes_own",
            file=at_hand.own.file if at_hand.own else "",
            N=config.N,
            d_model=config.d_model,
            h=config.h,
            vocab=config.vocab if config.vocab == config.tgt_vocab else f"{config.vocab} / {config.tgt_vocab}",
            step=at_hand.step,
            seed=at_hand.seed,
        )
    )


def _present() -> None:
    address.put(address.FRAME, "present", True)


def _language_button(here: str) -> None:
    """This page, as it is, in another language: no link, for that would know only what was set when it was drawn."""
    for lang, name in languages().items():
        if lang != here:
            st.button(name, icon=":material/translate:", type="tertiary", on_click=address.speak, args=(lang,))


def _language(chosen: str) -> str:
    if chosen in languages():
        return chosen
    return "zh" if (st.context.locale or "").startswith("zh") else "en"
