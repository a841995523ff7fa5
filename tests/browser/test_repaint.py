"""What a change costs the browser, in elements whose style is found again, and what it shows to who wants no motion."""

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.driver import frames

# As Streamlit does while a page runs: what it will draw gets another class, and an attribute.
STALE = """() => {
  const parts = [...document.querySelectorAll('.stMain .stElementContainer')];
  for (const one of parts) {
    one.classList.toggle('in-between');
    one.dataset.stale = one.dataset.stale === 'true' ? 'false' : 'true';
  }
  return document.getElementsByTagName('*').length;
}"""

# Two that move for ever, of a kind each, and one that Streamlit would wait for.
MOVE = """() => {
  const style = document.createElement('style');
  style.textContent = `@keyframes turns { to { rotate: 1turn } }
    .moves { opacity: 1; transition: opacity 1000s; } .moves::before { content: ''; animation: turns 1000s infinite; }`;
  const moves = Object.assign(document.createElement('div'), { className: 'moves', id: 'moves' });
  document.querySelector('.stMain').append(style, moves);
  moves.addEventListener('transitionend', () => { moves.dataset.ended = 'true'; });
  getComputedStyle(moves).opacity;
  moves.style.opacity = '0.5';
}"""
AT_REST = """() => {
  const moves = document.getElementById('moves');
  return moves.dataset.ended === 'true' && moves.getAnimations({ subtree: true }).length === 0;
}"""


def restyled(page: Page, change: str) -> tuple[int, int]:
    """How many elements the browser finds the style of again after a change, and how many there are."""
    assert page.context.browser
    page.context.browser.start_tracing(page=page, categories=["devtools.timeline"])
    count = page.evaluate(change)
    frames(page, 2)
    events = json.loads(page.context.browser.stop_tracing())["traceEvents"]
    return sum(event["args"]["elementCount"] for event in events if event["name"] == "UpdateLayoutTree"), count


@pytest.mark.parametrize("chapter", ["tokens", "layers"])
def test_a_part_that_is_drawn_again_leaves_the_style_of_the_rest(open_page: Callable[..., Page], chapter: str) -> None:
    page = open_page(f"/{chapter}?model=translate", lang="en")
    found, count = restyled(page, STALE)
    assert 0 < found < count / 5


def test_who_wants_no_motion_sees_its_end(open_page: Callable[..., Page], tab: tuple[Page, list[str]]) -> None:
    tab[0].emulate_media(reduced_motion="reduce")
    try:
        page = open_page("/tokens?model=translate", lang="en")
        page.evaluate(MOVE)
        page.wait_for_function(AT_REST)
    finally:
        tab[0].emulate_media(reduced_motion="no-preference")
