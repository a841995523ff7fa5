"""What only a browser can know of the playing map: it plays once and stops, by mouse and by keyboard, or not at all."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import frames, saying, settle
from ui.chapters.map.blocks import example_of
from ui.model.answer import said
from ui.model.at_hand import model_at_hand
from ui.settings.chapters import MAP
from ui.settings.frame import Frame
from ui.text import Words

Open = Callable[..., Page]

PLAYER = "document.querySelector('.map').player"
AT_REST = (
    "() => { const map = document.querySelector('.map'); return map.dataset.state === 'paused' && map.dataset.moment; }"
)
MOVED = """() => document.querySelector('.figure-one').getAnimations({ subtree: true }).flatMap(({ effect }) =>
  effect.getKeyframes().flatMap((frame) => Object.keys(frame)))"""
KEPT = {"transform", "opacity", "offset", "computedOffset", "easing", "composite"}


def state(page: Page) -> tuple[str, int]:
    state, moment = page.locator(".map").evaluate("map => [map.dataset.state, Number(map.dataset.moment)]")
    return str(state), int(moment)


def last(page: Page) -> int:
    return int(page.locator(".player-place").evaluate("slider => slider.max"))


def to_the_end(page: Page) -> None:
    page.evaluate(f"{PLAYER}.speed = 200")
    page.wait_for_function(f"() => ({AT_REST})() === document.querySelector('.player-place').max")


def pause(page: Page) -> int:
    """Stops it wherever it is; gives the moment."""
    page.wait_for_function("() => document.querySelector('.map')?.player")
    page.evaluate(f"{PLAYER}.pause()")
    return state(page)[1]


@pytest.fixture
def still(open_page: Open) -> Iterator[Callable[..., Page]]:
    """Opens a page for a reader who wants no motion."""
    opened = []

    def open_(path: str, **looks: str) -> Page:
        page = open_page("/loss", lang="en")
        page.emulate_media(reduced_motion="reduce")
        opened.append(page)
        return open_page(path, **looks)

    yield open_
    for page in opened:
        page.emulate_media(reduced_motion="no-preference")


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_who_presses_nothing_sees_it_play_once_and_stop_with_the_words_decoded(
    open_page: Open, width: int, dark: bool
) -> None:
    page = open_page("/", lang="en", width=width, dark=dark)
    page.wait_for_function("() => document.querySelector('.map').dataset.state === 'playing'")
    to_the_end(page)
    at_hand = model_at_hand(Frame(model="translate"))
    words = at_hand.target.labels(said(at_hand, example_of(at_hand)))[1:]
    expect(page.locator(".said.shown .word")).to_have_text(words)
    page.get_by_role("button", name=Words(MAP, "en")("door.head")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(Words("attention", "en")("title"))
    settle(page)
    page.go_back()
    settle(page)
    assert page.evaluate(f"{PLAYER}.timer") is None, "it is not going to begin by itself"
    assert state(page) == ("paused", last(page))


def test_it_pauses_goes_on_and_goes_step_by_step_by_keyboard_alone(open_page: Open) -> None:
    page = open_page("/", lang="en")
    page.wait_for_function("() => document.querySelector('.map').dataset.state === 'playing'")
    play, slider = page.locator(".player-play"), page.locator(".player-place")
    play.focus()
    page.keyboard.press("Space")
    assert state(page)[0] == "paused"
    before = state(page)[1]
    frames(page, 90)
    assert state(page) == ("paused", before)
    page.keyboard.press("ArrowRight")
    assert state(page) == ("paused", before + 1)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(slider).to_be_focused()
    assert slider.evaluate("slider => getComputedStyle(slider).outlineStyle") == "solid"
    page.keyboard.press("ArrowLeft")
    assert state(page) == ("paused", before)
    page.keyboard.press("End")
    assert state(page) == ("paused", last(page))
    page.keyboard.press("Space")
    assert state(page)[0] == "playing"
    assert pause(page) < last(page)


def test_a_moment_shows_what_there_is_and_nothing_of_what_is_to_come(open_page: Open) -> None:
    page = open_page("/?src=two+cats+sleep&model=translate", lang="en")
    pause(page)
    rows = """(at) => {
      const { player } = document.querySelector('.map');
      player.show(at);
      return player.pictures.listed.map(({ canvas, size }) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, 1, canvas.height);
        const filled = data.filter((_, index) => index % 4 === 3 && data[index] > 0).length;
        return (filled * size[1]) / canvas.height;
      });
    }"""
    encoder, decoder = 6, 10
    assert page.evaluate(rows, 0) == [0] * (encoder + decoder)
    assert page.evaluate(rows, 2) == [5, 5] + [0] * (encoder + decoder - 2)
    assert page.evaluate(rows, encoder + decoder + 3) == [5] * encoder + [2] * 3 + [1] * (decoder - 3)
    expect(page.locator(".said.shown")).to_have_count(1)
    expect(page.locator(".block.lit")).to_have_attribute("data-block", str(encoder + 2))


def test_what_moves_needs_no_layout_and_no_painting(open_page: Open) -> None:
    page = open_page("/", lang="en")
    pause(page)
    moved = set()
    for at in (1, 4, 11, 16, 17):
        page.evaluate(f"at => {{ {PLAYER}.pause(); {PLAYER}.show(at - 1); {PLAYER}.show(at, 5000); }}", at)
        moved |= set(page.evaluate(MOVED))
    assert {"transform", "opacity"} < moved <= KEPT


def test_a_block_pointed_at_lights_what_goes_in_and_out_and_says_the_shapes(open_page: Open) -> None:
    page = open_page("/", lang="en")
    pause(page)
    page.evaluate(f"{PLAYER}.show({PLAYER}.story.last)")
    page.locator(".figure-one .block").nth(10).hover()  # cross-attention
    expect(page.locator(".arrow.in")).to_have_count(2)
    expect(page.locator(".arrow.out")).to_have_count(1)
    expect(page.locator(".player-flow")).to_have_text("in 1 × 9 × 64, 1 × 9 × 64 → out 1 × 9 × 64")
    expect(page.locator(".player-status code")).to_have_text("decoder.layers.0.src_attn.weights · 1 × 4 × 9 × 9")
    page.mouse.move(0, 0)
    expect(page.locator(".arrow:is(.in, .out)")).to_have_count(0)
    page.locator(".figure-one .block").nth(14).focus()
    expect(page.locator(".player-told")).to_have_text(Words(MAP, "en")("block.linear"))


def test_a_block_pointed_at_keeps_its_words_while_the_map_goes_on(open_page: Open) -> None:
    page = open_page("/", lang="en")
    pause(page)
    page.evaluate(f"{PLAYER}.show(20)")
    page.locator(".figure-one .block").nth(1).hover()
    status = page.locator(".player-told")
    pointed = Words(MAP, "en")("block.positions")
    expect(status).to_have_text(pointed)
    page.evaluate(f"{PLAYER}.show(26, 400)")
    expect(status).to_have_text(pointed)
    expect(page.locator(".player-status b")).to_have_text(Words(MAP, "en")("play.encoder"))
    expect(page.locator(".block.lit")).not_to_have_attribute("data-block", "1")
    expect(page.locator(".player-place")).not_to_have_attribute("aria-valuetext", saying(pointed))
    page.mouse.move(0, 0)
    expect(status).not_to_have_text(pointed)


def test_who_asks_for_no_motion_while_it_plays_sees_it_stop(open_page: Open) -> None:
    page = open_page("/", lang="en")
    page.wait_for_function("() => document.querySelector('.map').dataset.state === 'playing'")
    try:
        page.emulate_media(reduced_motion="reduce")
        page.wait_for_function("() => document.querySelector('.map').dataset.state === 'paused'")
        assert state(page)[1] < last(page)
    finally:
        page.emulate_media(reduced_motion="no-preference")


def test_without_motion_the_whole_is_there_and_goes_step_by_step(still: Callable[..., Page]) -> None:
    page = still("/", lang="zh")
    assert page.evaluate(f"{PLAYER}.timer") is None, "it is not going to begin by itself"
    assert state(page) == ("paused", last(page))
    expect(page.locator(".player-play")).to_be_hidden()
    page.locator(".player-place").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    assert state(page) == ("paused", last(page))
    page.keyboard.press("ArrowLeft")
    page.locator(".player-on").click()
    assert state(page) == ("paused", last(page))
    assert page.evaluate(MOVED) == []


def test_figure_and_player_share_the_first_screen(open_page: Open) -> None:
    page = open_page("/", lang="en")
    for part in (".figure-one svg", ".player", ".map-sentence"):
        expect(page.locator(part).first).to_be_in_viewport(ratio=1)
