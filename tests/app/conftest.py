"""Open a chapter headless, as a link would, to a server on which nobody has been before."""

import re
from collections.abc import Callable, Iterable, Iterator
from html import unescape
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.testing.v1 import AppTest

import ui.sections.caption
import ui.sections.show_figure
from transformer_core.train import train
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from ui import session
from ui.chapters.positions import beyond as positions_beyond
from ui.figures.figure import Figure
from ui.frame.chapter import Chapter
from ui.model import current_model as at_hand_module
from ui.settings.chapters import MAP, page
from ui.state.store import OF_LINKS
from ui.text import LANGUAGES
from ui.training_service.runs import Runs, all_runs

ROOT = Path(__file__).parents[2]
AGES = 300.0  # seconds; only a broken program, or a machine with far too much to do, takes as long

Open = Callable[..., AppTest]


@pytest.fixture(scope="session", autouse=True)
def no_work_for_a_browser() -> Iterator[None]:
    """A server reads every installed package's metadata once, for components; `AppTest` would do so for each page. It
    would hash each message, too, by which a browser knows what it has already."""
    found = manifest_scanner.scan_component_manifests()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: found)
        patch.setattr(script_run_context, "populate_hash_if_needed", lambda message: None)
        yield


@pytest.fixture(autouse=True)
def newcomer(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`AppTest` gives every page the same session: what one test's reader has done, the next one's has not.

    Runs that nobody watches any more would take places and the processor from those of the next test. The thread that
    sees sessions end has none to look at: `AppTest` has a server only while a page runs.
    """
    monkeypatch.setattr(session, "_watch_sessions", lambda: None)
    forget_runs()
    session._sessions.clear()
    st.cache_resource.clear()
    yield
    forget_runs()


def in_turn(names: str | tuple[str, ...], cases: Iterable[Any]) -> pytest.MarkDecorator:
    """A test of these cases, each in the next language: what a case is about is alike in both, and tests of texts hold
    every key and blank to both."""
    each = [(*(case if isinstance(names, tuple) else (case,)), lang) for case, lang in zip(cases, cycle(LANGUAGES))]
    return pytest.mark.parametrize((*((names,) if isinstance(names, str) else names), "lang"), each)


def forget_runs() -> None:
    for run in list(all_runs._records):
        all_runs.forget(run)


def opened(chapter: str, *, open: str = "all", **query: str) -> AppTest:
    """`opened("masks", lang="zh", size="7")`: the chapter after its first run from that link, every section open.

    `open="fill"` opens that section alone, `open=""` those that the rest of the link is about. The model is the one
    that copies numbers, unless `model` says another; "" leaves it to the page. Replies are taken for those of a reader.
    """
    return _opened(chapter, open, query, given=True)


def linked(chapter: str, *, open: str = "all", **query: str) -> AppTest:
    """The same, where replies are what a link has set, which is nobody's answer."""
    return _opened(chapter, open, query, given=False)


def _opened(chapter: str, open: str, query: dict[str, str], *, given: bool) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=AGES)
    if chapter != MAP:
        app.switch_page(page(chapter))
    app.session_state[OF_LINKS] = given
    query = {"model": "trained"} | query | ({"open": open} if open else {})
    for name, value in query.items():
        if name == "model" and not value:
            continue
        app.query_params[name] = value
    return app.run()


@pytest.fixture
def open_link(monkeypatch: pytest.MonkeyPatch) -> Open:
    """`opened`, where a link to a run shows that run, and a run does as it is told, however busy the machine is."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(at_hand_module, "RUN_PATIENCE", AGES)
    monkeypatch.setattr(all_runs, "patience", AGES)
    return opened


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that pages show from now on, in their order."""
    figures: list[Figure] = []
    caption = ui.sections.caption.caption

    def heard(chapter: Chapter[Any], figure: Figure) -> None:
        figures.append(figure)
        caption(chapter, figure)

    monkeypatch.setattr(ui.sections.show_figure, "caption", heard)
    return figures


def come_back(app: AppTest, chapter: str) -> AppTest:
    """By the menu."""
    link = menu_link(app, chapter)
    app.switch_page(page(chapter))
    app.query_params.clear()
    for name, value in link.items():
        app.query_params[name] = value
    return app.run()


def menu_link(app: AppTest, chapter: str) -> dict[str, str]:
    """What the menu's link to a chapter sets."""
    (menu,) = [item.proto.body for item in app.sidebar.get("html") if '<nav class="menu"' in item.proto.body]
    path = "./" if chapter == MAP else chapter
    (query,) = re.findall(rf'<a href="{path}(?:\?([^"]*))?"', menu)
    return dict(parse_qsl(unescape(query)))


def look_again(app: AppTest) -> None:
    """Run the page once more, when no run is on its way any longer. Waiting leaves the processor to the worker."""
    for run in list(all_runs._records):
        all_runs.wait(run, lambda seen: not seen.active, AGES)
    assert not app.run().exception


@pytest.fixture
def few_sequences(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page stands or falls with the first sequence of a length that a model decodes, not with the thousandth."""
    monkeypatch.setattr(positions_beyond, "MOST", positions_beyond.LEAST)


@pytest.fixture
def small_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """What any run begins with is the report of a small untrained model: the notes' own takes seconds."""
    look = History.of([next(train(TrainConfig()))])
    monkeypatch.setattr(Runs, "first_look", lambda *_, **__: look)
