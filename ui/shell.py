"""The frame around every chapter: title, language, menu, model at hand, and the way on."""

from dataclasses import dataclass
from functools import cache, partial
from html import escape
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitAPIException

from ui import address, comparison, session
from ui.documents import documents
from ui.fragment import fragment
from ui.menu import Menu, anchor, menu, title
from ui.sequence import example
from ui.server.seat import seat
from ui.settings.chapters import MAP, TEACHERS, after, page
from ui.settings.compared import Compared
from ui.settings.fields import ALL, Folding, Settings
from ui.settings.frame import Frame
from ui.style import apply_style
from ui.text import Words, in_its_tongue, languages, set_off
from ui.theme import Mode
from ui.waiting import and_wait

KINDS = ["translate", "fresh_translate", "trained", "fresh", "notes"]  # of the models, as the menu has them


@dataclass(frozen=True)
class Chapter:
    """A page while it runs. `settings`, `frame` and `mode` are read afresh, also within a fragment; the model stays."""

    name: str
    kind: type[Settings]
    lang: str
    say: Words
    at_hand: session.ModelAtHand
    menu: Menu
    menu_place: DeltaGenerator  # where the menu stands
    compared: session.ModelAtHand | None = None  # the model at hand is compared with this one

    @property
    def settings(self) -> Any:  # of type `kind`
        return address.current(self.name, self.kind)

    @property
    def frame(self) -> Frame:
        return address.current(address.FRAME, Frame)

    @property
    def mode(self) -> Mode:
        return "dark" if st.context.theme.type == "dark" else "light"

    @property
    def waits(self) -> bool:
        """Whether a lesson stops here and its question has no reply yet: what explains the figure comes after it."""
        stop = self.frame.at
        if stop is None:
            return False
        told = address.stays(f"{self.name}.{stop.question}.told", now=False)
        return not told and getattr(self.settings, stop.question, None) in (None, "")

    def hides(self, control: str) -> bool:
        names = self.kind.names().get(control, (control,))
        return not set(names).isdisjoint(self.frame.hide.split(","))

    def write(self, *keys: str, **values: object) -> None:
        """Put texts on the page. Terms may carry their colour in HTML; values, perhaps typed by a reader, may not.

        What is said with values is measured; what is not explains, and waits for the reply to a stop's question.
        """
        if self.waits and not values:
            return
        escaped = {name: set_off(value) for name, value in values.items()}
        text = "\n\n".join(self.say(key, **escaped) for key in keys)
        st.markdown(in_its_tongue(text, self.lang), unsafe_allow_html=True)

    def heading(self, name: str, **values: object) -> None:
        """The heading of a section, which a link can name: `#name`."""
        if self.frame.at:  # whose screen has a heading of its own
            return
        # An anchor of our own is also for speed: Streamlit would spell one out of the words at every repaint.
        st.header(self.say(f"{name}.title", **values), anchor=anchor(name))
        address.enter(anchor(name))

    def section(self, name: str) -> None:
        """A heading and the words below it."""
        self.heading(name)
        self.write(f"{name}.text")

    def put(self, name: str, value: object) -> None:
        """Set a setting that is not a widget: a chosen cell, a preset."""
        address.put(self.name, name, value)


def open_chapter(name: str, kind: type[Settings] = Settings) -> Chapter:
    """The first call of every page: boot, language, title and promise, menu."""
    seat()
    address.open_link(name, kind)
    if to := address.elsewhere():
        st.switch_page(page(to[0]), query_params=to[1])
    frame = address.current(address.FRAME, Frame)
    lang = _language(frame.lang)
    say = Words(name, lang)
    tab = say("title") if name == MAP else f"{say('title')} · Glassformer"
    st.set_page_config(tab, layout="wide", initial_sidebar_state="auto")
    _boot(lang)
    apply_style(lang)
    at_hand = _model(frame, lang)
    if at_hand.trouble != "config":
        config = session.config_of(frame.run) if frame.model == "run" else at_hand.config  # also while it is awaited
        task = address.NUMBERS if config.words is None else config.words.name
        address.speak_words(task, example(config, Frame.default().src))
    other = comparison.compared(frame, at_hand, lang)
    with st.sidebar:
        listed = menu(name, lang)
        place = st.html(listed.html())
        _model_choice(lang, frame, at_hand)
        comparison.choice(frame, at_hand, other, lang, shown=issubclass(kind, Compared))
        _below_the_menu(name, kind, lang, frame)
    chapter = Chapter(name, kind, lang, say, at_hand, listed, place, other)
    st.title(_heading(frame, lang) or say("title"), anchor=name)
    address.enter("")
    if not frame.present:
        st.markdown(say("promise"))
    return chapter


def _heading(frame: Frame, lang: str) -> str:
    """What a stop of a lesson is about."""
    return Words(TEACHERS, lang)(f"{frame.lesson}.stop_{frame.at_stop}") if frame.at else ""


def close_chapter(chapter: Chapter) -> None:
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


def draw_again() -> None:
    """Run the fragment anew, after a click that changes what stands above it; the page, if all of it is running."""
    try:
        st.rerun(scope="fragment")
    except StreamlitAPIException:  # the click came together with something that concerns the whole page
        address.run_again()


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
        session.boot()
    except (OSError, ValueError):
        st.error(Words("shell", lang)("model_broken"))
        st.stop()


def _model(frame: Frame, lang: str) -> session.ModelAtHand:
    """The model at hand, one for the whole page. A run may take a moment."""
    if frame.model != "run":
        return session.model_at_hand(frame)
    with st.spinner(Words("shell", lang)("model_awaited")):
        return session.model_at_hand(frame)


@partial(fragment, run_every=2)
def _look_again(frame: Frame, lang: str) -> None:
    """Until the run is trained: say that the shipped model stands in for it."""
    at_hand = session.model_at_hand(frame, 0)
    if not at_hand.awaited:
        address.run_again()
    shell = Words("shell", lang)
    said = shell("model_lost" if at_hand.trouble == "lost" else "model_awaited")
    st.info(and_wait(said, at_hand.outlook, lang))


def _model_choice(lang: str, frame: Frame, at_hand: session.ModelAtHand) -> None:
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
