"""How long the reader waits, in Chromium: from a key on a slider, or a move of the pointer, to the painted frame; and
how long the scripts of a frame take while something moves.

python -m benchmarks.interface [--json]
"""

import json
from collections.abc import Callable

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from benchmarks.table import Row, latency_rows, report
from tests.browser.driver import launch, serving, settle
from ui.text import Words
from ui.training_service.memory_budget import WORKERS

FRAME = 1000 / 60  # ms
GLIDES = 10
RUN = 120_000  # ms, at most, of the run whose time-lapse is measured
PRESSES = 40
MANY_PRESSES = 160  # a look at the run delays one press in ten or so: the 95th percentile needs many
QUIET_PRESSES = 26
WITH_SLIDER = ("tokens", "positions", "masks", "scaling", "layers", "walkthrough", "decoding", "loss")
LONG_RUN = "steps=20000"  # of the default size: two minutes

# Remember when the key went down; in the first frame in which `probe` gives something new, note how long it took.
WATCH = """(selector) => {
  window.samples = []; window.pressed = null;
  const probe = () => { const e = document.querySelector(selector); return e && (e.dataset.painted ?? e.innerHTML); };
  addEventListener('keydown', (event) => { window.pressed = event.timeStamp; }, true);
  let last = probe();
  const frame = () => {
    const now = probe();
    if (now !== last && window.pressed !== null) {
      window.samples.push(performance.now() - window.pressed);
      window.pressed = null;
    }
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""

# Move over the canvas, at odd moments; the time from each event to the first frame with the cell's sum of 64 products.
HOVER = """async (moves) => {
  const canvas = document.querySelector('canvas.matrix-base');
  const written = document.querySelector('.matrix-sum');
  const frame = () => new Promise(requestAnimationFrame);
  const samples = [];
  for (let k = 0; k < moves; k++) {
    await new Promise((resolve) => setTimeout(resolve, 20 + (k * 7) % 17));
    const at = canvas.cellCentre('large', (k * 11) % 64, (k * 23) % 64);
    const before = written.textContent;
    const event = new PointerEvent('pointermove', {clientX: at.x, clientY: at.y, bubbles: true, pointerType: 'mouse'});
    const started = performance.now();
    document.elementFromPoint(at.x, at.y).dispatchEvent(event);
    do await frame(); while (written.textContent === before);
    samples.push(performance.now() - started);
  }
  return samples;
}"""


# After a key went down: the time of the last change in the page's main part before half a second without one.
STIRRED = """() => {
  window.samples = []; let pressed = null, last = null;
  addEventListener('keydown', (event) => { pressed = event.timeStamp; last = null; }, true);
  const main = document.querySelector('.stMain');
  const stirred = () => { if (pressed !== null) last = performance.now(); };
  new MutationObserver(stirred).observe(main, {subtree: true, childList: true, characterData: true, attributes: true});
  setInterval(() => {
    if (last !== null && performance.now() - last > 500) { window.samples.push(last - pressed); pressed = last = null; }
  }, 20);
}"""


def slide(page: Page, slider: str, selector: str, presses: int = PRESSES) -> list[float]:
    """Milliseconds from key press to the first frame with the new picture, for each of `presses` presses."""
    settle(page)
    page.evaluate(WATCH, selector)
    handle = page.get_by_role("slider", name=slider)
    handle.focus()
    for press in range(1, presses + 1):
        handle.press("ArrowRight" if (press // 20) % 2 == 0 else "ArrowLeft")
        page.wait_for_function("(count) => window.samples.length >= count", arg=press)
        page.wait_for_timeout(60)
    return list(page.evaluate("window.samples"))[2:]  # the first two warm the page up


def baselines(browser: Browser) -> tuple[list[float], list[float]]:
    with serving("benchmarks/scripts/floor.py") as server:
        page = browser.new_page()
        page.goto(server.url)
        text = slide(page, "text", "[data-testid=stText]")
        plotly = slide(page, "plotly", ".js-plotly-plot")
        page.close()
    return text, plotly


def longest(page: Page, act: Callable[[], object]) -> float:
    """Milliseconds of the processor that the longest script of a frame takes while something moves."""
    assert page.context.browser
    page.context.browser.start_tracing(page=page, categories=["devtools.timeline"])
    act()
    events = json.loads(page.context.browser.stop_tracing())["traceEvents"]
    return max(event["tdur"] for event in events if event["name"] == "FireAnimationFrame" and "tdur" in event) / 1000


def play(page: Page) -> None:
    page.evaluate("document.querySelector('.matrix-base').play()")
    page.wait_for_function("document.querySelector('.matrix-base').dataset.filled === ''")


def glide(page: Page, slider: str) -> None:
    handle = page.get_by_role("slider", name=slider)
    handle.focus()
    for _ in range(GLIDES):
        handle.press("ArrowLeft")
        page.wait_for_timeout(400)  # to rest


def moves(browser: Browser) -> list[tuple[str, float]]:
    """The longest script of a frame while the largest boards play, or glide."""
    with serving("benchmarks/scripts/matrices.py") as server:
        page = browser.new_page(viewport={"width": 1280, "height": 1600})
        page.goto(server.url)
        page.wait_for_function("document.querySelectorAll('.matrix-base[data-settled=true]').length === 2")
        found = [
            ("a matrix 64 × 64 plays", longest(page, lambda: play(page))),
            ("a matrix 64 × 64 glides", longest(page, lambda: glide(page, "large"))),
            ("a wall of 48 heads glides", longest(page, lambda: glide(page, "wall"))),
        ]
        page.close()
    return found


def matrices(browser: Browser) -> tuple[list[float], list[float], list[float]]:
    with serving("benchmarks/scripts/matrices.py") as server:
        page = browser.new_page(viewport={"width": 1280, "height": 1600})
        page.goto(server.url)
        large = slide(page, "large", "canvas[data-summary^='large ']")
        wall = slide(page, "wall", "canvas[data-summary^='0.0 ']")
        hover = list(page.evaluate(HOVER, 100))
        page.close()
    return large, wall, hover


def chapters(browser: Browser) -> tuple[list[float], list[float]]:
    """The slider of the chapter on masks: alone, and while other tabs keep every worker busy."""
    size, mask = Words("masks", "en")("size"), "canvas[data-summary^='mask ']"
    start = Words("training", "en")("start")
    with serving("app.py") as server:
        page = browser.new_page()
        page.goto(f"{server.url}/masks?lang=en&size=20")
        alone = slide(page, size, mask, MANY_PRESSES)
        trainers = [browser.new_page() for _ in range(WORKERS)]
        for seed, trainer in enumerate(trainers):
            trainer.goto(f"{server.url}/training?lang=en&{LONG_RUN}&seed={seed}")
            settle(trainer)
            trainer.get_by_role("button", name=start, exact=True).click()
        page.wait_for_timeout(4000)  # the last worker comes up
        page.bring_to_front()
        training = slide(page, size, mask, MANY_PRESSES)
        for tab in (*trainers, page):
            tab.close()
    return alone, training


def first_slider(page: Page) -> Locator:
    """That asks the server: a figure's own (where it plays, its story) moves in the browser alone."""
    return page.locator(".stMain .stSlider").get_by_role("slider").first


def quiet(page: Page) -> list[float]:
    """Milliseconds from each press of the first slider on a page to the last change that it brings."""
    settle(page)
    page.evaluate(STIRRED)
    handle = first_slider(page)
    handle.focus()
    ways = ["ArrowRight", "ArrowLeft"]  # to and fro: no press comes at the end of the slider
    if handle.evaluate("slider => Number(slider.value) >= Number(slider.max)"):
        ways.reverse()
    for press in range(1, QUIET_PRESSES + 1):
        handle.press(ways[(press - 1) % 2])
        page.wait_for_function("(count) => window.samples.length >= count", arg=press)
    return list(page.evaluate("window.samples"))[2:]


# Each step of a time-lapse: milliseconds from its slider's move to the canvas that shows it.
THROUGH = """() => {
  const place = document.querySelector(".story-place"), canvas = document.querySelector(".story-stage"), taken = [];
  for (let round = 0; round < 3; round += 1)
    for (let moment = 0; moment <= Number(place.max); moment += 1) {
      const started = performance.now();
      place.value = String(moment);
      place.dispatchEvent(new Event("input", { bubbles: true }));
      canvas.getContext("2d").getImageData(0, 0, 1, 1);  // until all of it is drawn
      taken.push(performance.now() - started);
      if (canvas.dataset.painted !== place.value) throw new Error(`moment ${moment} was not painted`);
    }
  return taken;
}"""


def lapse(browser: Browser) -> list[float]:
    """Each step of the time-lapse of the translator's run, with all that it has recorded."""
    say = Words("training", "en")
    with serving("app.py") as server:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{server.url}/training?lang=en&task=translate")
        settle(page)
        page.get_by_role("button", name=say("start"), exact=True).click()
        opens = page.get_by_role("button", name=say("replay.name"), exact=True)
        opens.click(timeout=RUN)
        page.locator(".story[data-ended=true]").wait_for()
        found = list(page.evaluate(THROUGH))
        page.close()
    return found[len(found) // 3 :]  # the first round warms the page up


def until_idle(browser: Browser) -> tuple[list[float], dict[str, list[float]]]:
    """The first slider of a chapter, and that of a page with a line of text, without the 200 ms of a glide."""
    with serving("benchmarks/scripts/floor.py") as server:
        page = browser.new_page()
        page.goto(server.url)
        floor = quiet(page)
        page.close()
    found = {}
    with serving("app.py") as server:
        for name in WITH_SLIDER:
            page = browser.new_page(reduced_motion="reduce")
            page.goto(f"{server.url}/{name}?lang=en")
            found[name] = quiet(page)
            page.close()
    return floor, found


def measure() -> list[Row]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        text, plotly = baselines(browser)
        large, wall, hover = matrices(browser)
        moved = moves(browser)
        alone, training = chapters(browser)
        steps = lapse(browser)
        idle, first = until_idle(browser)
        browser.close()
    floor = "slider to a line of text"
    return [
        *latency_rows("slider to Plotly heatmap 20 × 20", plotly, floor, text, ""),
        *latency_rows("slider to matrix 64 × 64", large, floor, text, "< 120 ms"),
        *latency_rows("slider to wall of 48 heads", wall, floor, text, "< 100 ms"),
        *latency_rows("slider to mask, in its chapter", alone, floor, text, "< 150 ms"),
        *latency_rows(f"the same while {WORKERS} workers train", training, "alone", alone, "ratio <= 1.5"),
        *latency_rows("a step of a time-lapse", steps, floor, text, "p95 < 20 ms"),
        *latency_rows("pointer to the cell's sum", hover, floor, text, "< 16 ms"),
        *[
            Row(f"longest script of a frame, {name}", taken, "ms", "a frame", taken / FRAME, "< 20 ms")
            for name, taken in moved
        ],
        *[
            row
            for name, found in first.items()
            for row in latency_rows(
                f"first slider of {name}, until idle", found, "the same of a line of text", idle, "ratio < 2"
            )[:1]
        ],
    ]


if __name__ == "__main__":
    report(__doc__, measure)
