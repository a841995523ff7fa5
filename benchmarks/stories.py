"""How long a reader waits for a scene of a story, in Chromium: until it moves, and until the server has it in the link;
how much of a frame its script takes; and the first scene of a cold browser beside the figure that came first before.

python -m benchmarks.stories [--json]
"""

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.table import Row, latency_rows, percentile, report
from tests.browser.driver import launch, serving, settle
from ui.settings.chapters import STORIES

ROUNDS = 3  # through all scenes and back
COLD = 5  # browsers without a page of ours
NEWCOMER = "lang=en&model=translate"

# From a key on the stage to the first frame in which it has moved, and to the link with the new scene.
WATCH = """() => {
  window.moved = []; window.told = [];
  let pressed = null, waiting = false, link = location.search;
  const stage = () => document.querySelector(".story-stage");
  addEventListener("keydown", (event) => { pressed = event.timeStamp; waiting = true; }, true);
  let last = stage().dataset.painted;
  const frame = () => {
    const now = stage()?.dataset.painted;
    if (now !== last && waiting) { window.moved.push(performance.now() - pressed); waiting = false; }
    last = now;
    if (location.search !== link && pressed !== null) { window.told.push(performance.now() - pressed); pressed = null; }
    link = location.search;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""
RESTS = "() => document.querySelector('.story')?.dataset.moving === 'false'"
FIRST = {
    "story": "() => document.querySelector('.stMain .story-stage')?.dataset.painted && performance.now()",
    "figure": "() => document.querySelector('canvas.matrix-base')?.dataset.painted && performance.now()",
}


def scenes(page: Page) -> tuple[list[float], list[float], float]:
    """Milliseconds to the first moved frame and to the link, for each scene; the longest script of a frame, in the
    round in which the machine did least besides."""
    page.wait_for_function(RESTS)
    settle(page)
    page.evaluate(WATCH)
    stage, count = page.locator(".story-stage"), int(page.locator(".story-count").inner_text().split("/")[1])
    stage.focus()
    pressed, longest = 0, []
    for _ in range(ROUNDS):
        stage.evaluate("stage => { stage.dataset.slowest = '0'; }")
        for key in ["ArrowRight"] * (count - 2) + ["ArrowLeft"] * (count - 1) + ["ArrowRight"]:
            stage.press(key)
            pressed += 1
            page.wait_for_function("(count) => window.told.length >= count", arg=pressed)
            page.wait_for_timeout(400)
        longest.append(float(str(stage.get_attribute("data-slowest"))))
    moved, told = page.evaluate("[window.moved, window.told]")
    return moved, told, min(longest)


def cold(browser: Browser, url: str, what: str) -> float:
    """Milliseconds from the request to what a browser shows first that has nothing of the app."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(url)
    taken = float(page.wait_for_function(FIRST[what]).json_value())
    context.close()
    return taken


def measure() -> list[Row]:
    moved: list[float] = []
    told: list[float] = []
    slowest = 0.0
    with sync_playwright() as playwright, serving("app.py") as server:
        browser = launch(playwright)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        for chapter in STORIES:
            page.goto(f"{server.url}/{chapter}?{NEWCOMER}&scene=2")
            page.locator(".story-stage").wait_for()
            to_move, to_tell, script = scenes(page)
            moved, told, slowest = moved + to_move, told + to_tell, max(slowest, script)
        page.close()
        story = [cold(browser, f"{server.url}/attention?{NEWCOMER}&scene=1", "story") for _ in range(COLD)]
        figure = [cold(browser, f"{server.url}/attention?{NEWCOMER}&kind=encoder", "figure") for _ in range(COLD)]
        browser.close()
    return [
        *latency_rows("story: key to the first moved frame", moved, "to the link", told, "< 100 ms"),
        *latency_rows("story: key to the scene in the link", told, "first moved frame", moved, "< 250 ms"),
        Row("story: longest script of a frame", slowest, "ms", "a frame's 16.7 ms", slowest / (1000 / 60), "< 20 ms"),
        Row("story: first scene, cold", percentile(story, 0.5), "ms", "first figure without a story",
            percentile(story, 0.5) / percentile(figure, 0.5), "ratio ≤ 1"),
    ]  # fmt: skip


if __name__ == "__main__":
    report(__doc__, measure)
