"""What only a browser can know of the playing map: it plays and stops, by mouse and by keyboard, or not at all."""

from collections.abc import Callable, Iterator

import pytest
import torch
from playwright.sync_api import Page, expect

from tests.browser.driver import frames, saying, settle
from transformer_core import PAD, padding_mask, record
from transformer_core.tasks import Translation
from ui.inputs.sequence import EXAMPLES, parse
from ui.model.current_model import model_at_hand
from ui.model.recorded import output_of
from ui.sections.sequence_fields import LONGEST, OFFERED
from ui.settings.chapters import CHAPTERS, MAP
from ui.settings.frame import Frame
from ui.text import Words

Open = Callable[..., Page]

PLAYER = "document.querySelector('.map').player"
FLOWERS = f"/?model=translate&src={EXAMPLES['translate en-zh'].replace(' ', '+')}"
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
    page.evaluate(f"{PLAYER}.clock.speed = 200")
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
def test_it_rests_with_the_words_decoded_and_so_it_ends(open_page: Open, width: int, dark: bool) -> None:
    page = open_page("/", lang="en", width=width, dark=dark)
    assert state(page) == ("paused", last(page))
    page.locator(".player-play").click()
    assert state(page)[1] < last(page)
    to_the_end(page)
    at_hand = model_at_hand(Frame(model="spanish"))
    src = parse(EXAMPLES["translate en-es"], at_hand.source, LONGEST)
    words = at_hand.target.labels(output_of(at_hand, src))[1:]
    expect(page.locator(".said.shown .word")).to_have_text(words)
    page.get_by_role("button", name=Words(MAP, "en")("door.head")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(Words("attention", "en")("title"))
    settle(page)
    page.go_back()
    settle(page)
    assert state(page) == ("paused", last(page))


def test_it_pauses_goes_on_and_goes_step_by_step_by_keyboard_alone(open_page: Open) -> None:
    page = open_page("/", lang="en")
    play, slider = page.locator(".player-play"), page.locator(".player-place")
    play.focus()
    page.keyboard.press("Space")
    assert state(page)[0] == "playing"
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
    assert page.evaluate(rows, encoder + 3) == [5] * encoder + [1] * 3 + [0] * (decoder - 3)
    expect(page.locator(".said.shown")).to_have_count(0)
    expect(page.locator(".block.lit")).to_have_attribute("data-block", str(encoder + 2))
    assert page.evaluate(rows, encoder + decoder + 1) == [5] * encoder + [2] * decoder
    expect(page.locator(".said.shown")).to_have_count(2)
    expect(page.locator(".output-word.shown")).to_have_count(2)


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
    expect(page.locator(".player-flow")).to_have_text("in 1 × 8 × 64, 1 × 9 × 64 → out 1 × 8 × 64")
    expect(page.locator(".player-small code")).to_have_text(
        f"decoder.layers.0.src_attn.weights · 1 × 4 × 8 × 9 · {Words(MAP, 'en')('play.mean', h=4)}"
    )
    page.mouse.move(0, 0)
    expect(page.locator(".arrow:is(.in, .out)")).to_have_count(0)
    page.locator(".figure-one .block").nth(14).focus()
    expect(page.locator(".player-told")).to_have_text(Words(MAP, "en")("block.linear"))


def test_a_block_pointed_at_keeps_its_words_while_the_map_goes_on(open_page: Open) -> None:
    page = open_page("/", lang="en")
    pause(page)
    page.evaluate(f"{PLAYER}.show(18)")
    page.locator(".figure-one .block").nth(1).hover()
    status = page.locator(".player-told")
    pointed = Words(MAP, "en")("block.positions")
    expect(status).to_have_text(pointed)
    page.evaluate(f"{PLAYER}.show(19, 400)")
    expect(status).to_have_text(pointed)
    expect(page.locator(".player-small b")).to_have_text(Words(MAP, "en")("play.encoder"))
    expect(page.locator(".block.lit")).not_to_have_attribute("data-block", "1")
    expect(page.locator(".player-place")).not_to_have_attribute("aria-valuetext", saying(pointed))
    page.mouse.move(0, 0)
    expect(status).not_to_have_text(pointed)


def test_who_asks_for_no_motion_while_it_plays_sees_it_stop(open_page: Open) -> None:
    page = open_page("/", lang="en")
    page.locator(".player-play").click()
    assert state(page)[0] == "playing"
    try:
        page.emulate_media(reduced_motion="reduce")
        page.wait_for_function("() => document.querySelector('.map').dataset.state === 'paused'")
        assert state(page)[1] < last(page)
    finally:
        page.emulate_media(reduced_motion="no-preference")


def test_without_motion_the_whole_is_there_and_goes_step_by_step(still: Callable[..., Page]) -> None:
    page = still("/", lang="zh")
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


@pytest.mark.parametrize(("width", "height", "lang"), [(1280, 800, "en"), (390, 844, "en"), (390, 844, "zh")])
def test_the_field_the_player_the_figure_and_what_is_written_share_the_first_screen(
    open_page: Open, width: int, height: int, lang: str
) -> None:
    page = open_page(FLOWERS, lang=lang, width=width, height=height)
    pause(page)
    page.evaluate(f"{PLAYER}.show({PLAYER}.story.last)")
    for part in (
        ".st-key-promise p",
        ".st-key-begin button",
        ".st-key-map-source input",
        ".player",
        ".figure-one svg",
        ".map-output",
    ):
        expect(page.locator(part).first).to_be_in_viewport(ratio=1)
    expect(page.locator(".output-word.shown")).to_have_count(9)
    glosses = page.locator(".map-output .gloss").all_inner_texts()
    assert [gloss for gloss in glosses if gloss][:2] == (["I/my", "every day"] if lang == "en" else [])
    inside = "parts => parts.map((part) => part.getBoundingClientRect()).every(({ right }) => right <= innerWidth)"
    assert page.locator(".output-word, .st-key-map-source input, .st-key-map-source button").evaluate_all(inside)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_field_shows_a_long_sentence_whole_on_a_phone(open_page: Open, lang: str) -> None:
    offered = Translation("both").source
    longest = max(map(offered.text, Translation("both").held_out(OFFERED).src.tolist()), key=len)
    page = open_page("/?model=translate&src=" + longest.replace(" ", "+"), lang=lang, width=390, height=844)
    field = page.locator(".st-key-map-source input")
    assert field.input_value() == longest
    assert field.evaluate("field => field.scrollWidth <= field.clientWidth")


def test_a_block_that_is_still_to_come_says_so_and_each_other_one_what_holds_now(open_page: Open) -> None:
    words = Words(MAP, "en")
    page = open_page("/?model=translate", lang="en")
    pause(page)
    page.evaluate(f"{PLAYER}.show(1)")
    when, tale = page.locator(".player-small b"), page.locator(".player-tale")
    for block in (2, 10, 15):
        page.locator(".figure-one .block").nth(block).hover()
        expect(when).to_have_text(words("play.waits"))
        expect(tale).to_have_text("")
    page.locator(".figure-one .block").nth(0).hover()
    expect(when).to_have_text(words("play.encoder"))
    page.evaluate(f"{PLAYER}.show(18)")
    page.locator(".figure-one .block").nth(8).hover()
    expect(when).to_have_text(words("play.turn", turn=3, T=9))
    expect(tale).to_have_text(words("tale.still_masked"))
    expect(page.locator(".player-flow")).to_have_text("in 1 × 3 × 64 → out 1 × 3 × 64")
    page.locator(".figure-one .block").nth(2).hover()
    expect(tale).to_have_text(saying("flowers puts"))
    expect(tale).to_have_text(saying("of its attention on red"))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_one_button_leads_from_the_sentence_on_what_this_is_to_the_first_chapter(open_page: Open, lang: str) -> None:
    page = open_page("/", lang=lang)
    expect(page.locator(".st-key-promise p").first).to_have_text(Words(MAP, lang)("promise"))
    begin = page.locator("button[kind=primary]")
    expect(begin).to_have_count(1)
    begin.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(Words(CHAPTERS[0], lang)("title"))
    expect(page.locator(".story")).to_have_attribute("data-state", "paused")


PLACED = """(line) => {
  const { climb, data } = document.querySelector('.map').player;
  return climb.words[line].filter((word) => word.style.visibility !== 'hidden')
    .map((word) => [word.textContent, Number.parseFloat(word.style.left), Number.parseFloat(word.style.top)]);
}"""


def test_the_words_themselves_climb_and_the_one_that_is_written_returns_below(open_page: Open) -> None:
    page = open_page("/?model=translate", lang="en")
    pause(page)

    def placed(moment: int, line: str) -> list[tuple[str, float, float]]:
        page.evaluate(f"{PLAYER}.show({moment})")
        return [(str(word), float(left), float(top)) for word, left, top in page.evaluate(PLACED, line)]

    sources = ["⟨s⟩", *EXAMPLES["translate en-zh"].split(), "⟨/s⟩"]
    heights = []
    for moment in range(7):
        words = placed(moment, "source")
        assert [word for word, _, _ in words] == sources
        assert [left for _, left, _ in words] == sorted(left for _, left, _ in words)
        assert len({top for _, _, top in words}) <= 3
        heights.append(words[0][2])
    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == 7
    assert [word for word, _, _ in placed(16, "out")] == ["我"]
    assert [word for word, _, _ in placed(16, "read")] == ["⟨s⟩"]
    assert [word for word, _, _ in placed(17, "read")] == ["⟨s⟩", "我"]
    page.evaluate(f"{PLAYER}.show(17, 4000)")
    way = page.evaluate(
        f"{PLAYER}.climb.words.read[1].getAnimations()[0].effect.getKeyframes().map((frame) => frame.transform)"
    )
    assert len(way) == 5, "out, to the edge, down, to its place below, and up"


def test_threads_are_as_wide_as_the_weights_of_the_model(open_page: Open) -> None:
    page = open_page("/?model=translate", lang="en")
    pause(page)
    page.evaluate(f"{PLAYER}.show(3)")
    at_hand = model_at_hand(Frame(model="translate"))
    src = parse(EXAMPLES["translate en-zh"], at_hand.source, LONGEST)
    with record(at_hand.load()) as trace, torch.no_grad():
        sources = torch.tensor([src])
        at_hand.load().encode(sources, padding_mask(sources, PAD))
    weights = trace["encoder.layers.0.self_attn.weights"][0, 2].flatten()  # the head of the sentence
    widths = page.locator(".thread").evaluate_all(
        "threads => threads.map((thread) => Number(thread.getAttribute('stroke-width')))"
    )
    seen = (torch.round(weights * 255) / 255).tolist()
    assert widths == pytest.approx([0.5 + 5 * weight for weight in seen if weight >= 0.03], abs=0.006)
    page.evaluate(f"{PLAYER}.show(2)")
    expect(page.locator(".thread")).to_have_count(0)


def test_an_unknown_word_is_struck_in_the_readers_sentence_and_nothing_plays(open_page: Open) -> None:
    page = open_page("/?model=translate&src=two+elephants+sleep", lang="en")
    page.wait_for_function("() => document.querySelector('.map')?.player")
    expect(page.locator(".player-tale")).to_have_text(saying("elephants"))
    expect(page.locator(".map-sentence .given")).to_have_text(["two", "elephants", "sleep"])
    expect(page.locator(".map-sentence .unknown")).to_have_text(["elephants"])
    expect(page.locator(".map-word.unknown")).to_have_text(["elephants"])
    for button in (".player-play", ".player-on", ".player-place"):
        expect(page.locator(button)).to_be_disabled()
    assert state(page) == ("paused", 0)
    page.locator(".st-key-map-source input").fill("two cats sleep")
    page.keyboard.press("Enter")
    settle(page)
    expect(page.locator(".map-sentence .given")).to_have_text(["⟨s⟩", "two", "cats", "sleep", "⟨/s⟩"])
    expect(page.locator(".player-play")).to_be_enabled()
    expect(page.locator(".map-word.unknown")).to_have_count(0)
