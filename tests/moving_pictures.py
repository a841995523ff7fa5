"""The moving pictures of the README: `python -m tests.moving_pictures` takes them from the app and writes them to
assets/screenshots. Take them on a machine with nothing else to do: what is slow here is slow in them."""

import io
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser.driver import launch, serving

FOLDER = Path(__file__).resolve().parents[1] / "assets" / "screenshots"
EVERY = 0.1  # seconds from picture to picture
WIDTH = 760  # pixels of what is kept
LAST = 2500  # milliseconds that the end stands
MOST = 1_000_000  # bytes of each
LONGEST = 60.0  # seconds that are waited for an end
ENDED = "() => document.querySelector('.story').dataset.ended === 'true'"


def seen(page: Page, part: str, ended: str) -> Iterator[tuple[float, Image.Image]]:
    """Pictures of a part of the page, each with its time, until it has `ended`."""
    begun = time.monotonic()
    while True:
        at = time.monotonic() - begun
        yield at, Image.open(io.BytesIO(page.locator(part).screenshot(animations="allow")))
        if page.evaluate(ended) or at > LONGEST:
            return
        page.wait_for_timeout(max(0.0, 1000 * (EVERY - (time.monotonic() - begun - at))))


def write(name: str, taken: list[tuple[float, Image.Image]]) -> None:
    """As a loop-free animated WebP, as sharp as MOST allows. ValueError if it is too large at any quality."""
    pictures = [one.convert("RGB").resize((WIDTH, round(one.height * WIDTH / one.width))) for _, one in taken]
    times = [at for at, _ in taken]
    lasts = [round(1000 * (after - at)) for at, after in pairwise(times)] + [LAST]
    for quality in (70, 50, 30, 15):
        file = io.BytesIO()
        pictures[0].save(
            file, "WEBP", save_all=True, append_images=pictures[1:], duration=lasts, loop=0, quality=quality, method=4
        )
        if file.tell() <= MOST:
            (FOLDER / f"{name}.webp").write_bytes(file.getvalue())
            print(f"{name}.webp: {len(pictures)} pictures, {file.tell():,} bytes, quality {quality}")
            return
    raise ValueError(f"{name}: {file.tell():,} bytes")


def story(page: Page, url: str) -> list[tuple[float, Image.Image]]:
    """One head, from its second scene to the end."""
    page.goto(f"{url}/attention?scene=2&lang=en&model=translate")
    page.locator(".story-play").click()
    page.wait_for_function(f"() => !({ENDED})()")
    taken: list[tuple[float, Image.Image]] = []
    while True:
        before = taken[-1][0] + EVERY if taken else 0.0
        taken += [(before + at, picture) for at, picture in seen(page, ".story", ENDED)]
        if not page.locator(".story-on").is_enabled():
            return taken
        page.locator(".story-on").click()
        page.wait_for_function(f"() => !({ENDED})()")


def of_map(page: Page, url: str) -> list[tuple[float, Image.Image]]:
    page.goto(f"{url}/?lang=en")
    page.wait_for_function("() => document.querySelector('.map')?.dataset.state === 'playing'")
    return list(seen(page, ".map", "() => document.querySelector('.map').dataset.state === 'paused'"))


if __name__ == "__main__":
    with sync_playwright() as playwright, serving("app.py") as server:
        browser = launch(playwright)
        for name, take in (("map", of_map), ("story", story)):
            page = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme="light")
            write(name, take(page, server.url))
            page.close()
        browser.close()
