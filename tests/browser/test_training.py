"""Training, live in a browser: it moves, it stops, and the other chapters show what was trained."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import AGES, saying, settle

LONG = "/training?d_model=64&h=2&batch=64&steps=5000"  # over a minute of one core: no reader is too late


def step_of(page: Page) -> int:
    text = page.get_by_text(re.compile(r"Training: step \d+ of 5000")).inner_text(timeout=AGES)
    return int(re.findall(r"\d+", text)[0])


def test_a_run_is_started_watched_and_stopped_and_seen_in_another_chapter(open_page: Callable[..., Page]) -> None:
    page = open_page(LONG, lang="en")
    board = page.locator("canvas[data-painted]").first
    untrained = board.get_attribute("data-painted") or ""
    page.get_by_role("button", name="Train", exact=True).click()
    first = step_of(page)
    page.wait_for_function(
        "(first) => Number((document.body.innerText.match(/step (\\d+) of 5000/) || [0, 0])[1]) > first",
        arg=first + 5,
        timeout=AGES,
    )
    expect(board, "the cross-attention is drawn again").not_to_have_attribute("data-painted", untrained, timeout=AGES)
    expect(page.get_by_role("button", name="Step", exact=True)).to_be_disabled()

    page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True).click()  # Streamlit has one above
    used = page.get_by_text(re.compile(r"All chapters now show the model of step \d+"))
    expect(used).to_be_visible(timeout=AGES)
    settle(page)
    step = re.findall(r"\d+", used.inner_text())[0]

    page.get_by_role("link", name="All heads").click()
    shown = page.get_by_test_id("stSidebar").get_by_text(re.compile("d_model = 64, h = 2"))
    expect(shown).to_contain_text(f"step {step} ·", timeout=AGES)
    expect(page).to_have_url(saying("model=run"))


def test_one_step_is_one_step_everywhere(open_page: Callable[..., Page]) -> None:
    page = open_page("/training?d_model=16&h=2&batch=8&steps=5000", lang="en")
    page.get_by_role("button", name="Train", exact=True).click()
    step_of(page)
    page.get_by_role("button", name="Pause", exact=True).click()
    rests, origin = page.get_by_text(re.compile(r"At step \d+\.")), page.locator(".provenance", has_text="src_attn")
    expect(rests).to_be_visible(timeout=AGES)
    settle(page)
    at = int(re.findall(r"\d+", rests.inner_text())[0])
    for step in (at + 1, at + 2):
        page.get_by_role("button", name="Step", exact=True).click()
        expect(rests).to_contain_text(f"At step {step}.")
        expect(origin).to_contain_text(f"step {step} ")
        expect(page.get_by_test_id("stSidebar")).to_contain_text(f"step {step} ·")
        settle(page)


PAINTED = "() => document.querySelector('.story-stage').toDataURL()"
DRAGGED = """async (moments) => {
  const place = document.querySelector(".story-place"), canvas = document.querySelector(".story-stage");
  const found = [];
  for (const moment of moments) {
    place.value = String(moment);
    place.dispatchEvent(new Event("input", { bubbles: true }));
    found.push(canvas.dataset.painted);  // in the very same turn
  }
  return found;
}"""


def test_a_time_lapse_is_dragged_through_without_the_server_which_is_told_where_it_was_left(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/training?task=copy&d_model=16&h=2&batch=8&steps=60", lang="en")
    page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_role("button", name="Training replay").click(timeout=AGES)
    story = page.locator(".story")
    expect(story).to_have_attribute("data-ended", "true", timeout=AGES)
    settle(page)
    origin, slider = page.locator(".provenance", has_text="src_attn.weights"), story.locator(".story-place")
    expect(origin).to_contain_text("step 60 ")
    last = int(slider.get_attribute("max") or "")
    assert page.evaluate(DRAGGED, [0, last, 3, 2]) == ["0", str(last), "3", "2"]
    expect(slider).to_have_attribute("aria-valuetext", "step 10")
    expect(page).to_have_url(saying("at=10&"))
    expect(origin, "what stands below follows where the hand has come to rest").to_contain_text("step 10 ")
    settle(page)
    expect(story).to_have_attribute("data-moment", "2")

    seen = []
    page.context.set_offline(True)
    box = slider.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
    page.mouse.down()
    for share in (0.02, 0.4, 0.7, 0.98):
        page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
        seen.append((story.get_attribute("data-moment"), page.evaluate(PAINTED)))
    page.mouse.up()
    page.context.set_offline(False)
    assert len({moment for moment, _ in seen}) == len({drawn for _, drawn in seen}) == 4, seen
    expect(page).not_to_have_url(saying("at=10&"))
    settle(page)
    slider.press("Home")
    expect(page).to_have_url(saying("at=0"))
    settle(page)
    page.get_by_role("button", name="Use step 0 in all chapters").or_(
        page.get_by_text("This model is untrained")
    ).first.wait_for()
    slider.press("ArrowRight")
    expect(page).to_have_url(saying("at=5&"))
    settle(page)
    page.get_by_role("button", name="Use step 5 in all chapters").click()
    expect(page.get_by_test_id("stSidebar")).to_contain_text("step 5 ·")
    settle(page)
    expect(story).to_have_attribute("data-moment", "1")


def test_the_run_of_a_reloaded_page_goes_on(open_page: Callable[..., Page]) -> None:
    page = open_page(f"{LONG}&seed=3", lang="en")
    page.get_by_role("button", name="Train", exact=True).click()
    before = step_of(page)
    page.reload()
    assert step_of(page) >= before
    page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True).click()  # Streamlit has one above
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_disabled(timeout=AGES)
    settle(page)


LONGER = """readout => {
  const tall = () => readout.getBoundingClientRect().height;
  const before = tall();
  const numbers = ["12000", "0.00412", "100.0%", "0.000699", "123,456", "−0.000612"];
  for (const [at, number] of [...readout.querySelectorAll("b")].entries()) number.textContent = numbers[at];
  return tall() - before;
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_stands_still_while_numbers_grow(open_page: Callable[..., Page], width: int) -> None:
    page = open_page("/training", lang="en", width=width)
    readout = page.locator(".readout")
    expect(readout).to_be_visible(timeout=AGES)
    assert readout.evaluate(LONGER) == 0
    for number in readout.locator("b").all():
        assert number.evaluate("number => number.offsetWidth <= number.parentElement.offsetWidth")


LEGEND = 48  # px, with the edge below it
SEEN = """(parts) => {
  const boxes = parts.map((part) => document.querySelector(part)?.getBoundingClientRect());
  return boxes.every((box) => box?.height) && boxes.map(({ top, bottom }) => [top, bottom]);
}"""


@pytest.mark.parametrize("task", ["copy", "translate"])
def test_what_a_run_is_watched_by_stands_on_the_first_screen_and_stays_there(
    open_page: Callable[..., Page], task: str
) -> None:
    page = open_page(f"/training?task={task}&d_model=16&h=2&batch=8&steps=5000&seed=5", lang="en")
    parts = [".st-key-run-training", ".tokens", ".stMain .stEChartsChart svg", ".stMain canvas[data-painted]"]
    for part in parts:
        expect(page.locator(part).first).to_be_visible(timeout=AGES)
    settle(page)

    def places() -> list[list[float]]:
        found: list[list[float]] = page.wait_for_function(SEEN, arg=parts, timeout=AGES).json_value()
        return found

    before = places()
    assert all(0 <= top < 640 for top, _ in before)
    assert all(bottom <= 800 for _, bottom in before[:2])
    assert before[-1][1] <= 800 + LEGEND, "what stands below the map says its colours"
    page.get_by_role("button", name="Train", exact=True).click()
    step_of(page)
    page.wait_for_function("() => Number(document.querySelector('.readout b')?.textContent) > 30", timeout=AGES)
    assert np.abs(np.subtract(places(), before)).max() <= 1
    page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True).click()
    settle(page)


RIGHT = """block => {
  const tall = () => block.getBoundingClientRect().height;
  const before = tall();
  for (const wrong of block.querySelectorAll(".wrong")) {
    wrong.querySelector("s").remove();
    wrong.className = "token right";
  }
  return tall() - before;
}"""


def test_no_sentence_moves_when_its_words_come_right(open_page: Callable[..., Page]) -> None:
    page = open_page("/training?task=translate", lang="en")
    block = page.locator(".corrected").first
    expect(block.locator(".wrong").first).to_be_visible(timeout=AGES)
    assert block.evaluate(RIGHT) == 0


def test_settings_open_where_the_reader_opens_them_and_stay_open(open_page: Callable[..., Page]) -> None:
    page = open_page("/training?task=copy&steps=300", lang="en")
    folded, field = (
        page.locator(".st-key-training-recipe"),
        page.get_by_role("spinbutton", name="Training steps", exact=True),
    )
    expect(folded).to_contain_text("steps 300")
    expect(field).to_be_hidden()
    folded.locator("summary").click()
    field.fill("310")
    field.press("Enter")
    expect(folded).to_contain_text("steps 310")
    settle(page)
    expect(field).to_be_visible()


def test_a_run_is_told_once_more_without_the_server(open_page: Callable[..., Page]) -> None:
    page = open_page("/training?task=copy&d_model=16&h=2&batch=8&steps=60&seed=1", lang="en")
    page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_role("button", name="Training replay").click(timeout=AGES)
    story = page.locator(".story")
    expect(story).to_have_attribute("data-ended", "true", timeout=AGES)
    expect(story.locator(".story-back")).to_be_hidden()
    expect(story).to_contain_text("This run up to step 60:")
    settle(page)
    page.context.set_offline(True)
    story.locator(".story-place").fill("0")
    expect(story).to_have_attribute("data-moment", "0")
    story.get_by_role("button", name="Play").click()
    expect(story).to_have_attribute("data-ended", "true")
    page.context.set_offline(False)
    page.locator(".story-take").click()
    expect(story).to_have_count(0)
    expect(page.get_by_text("recorded steps")).to_be_visible()
    settle(page)
