"""The picture that stands for a link to the app: the map at its end, as `python -m tests.browser.preview` takes it."""

from playwright.sync_api import ViewportSize

from tests.browser.driver import AGES, chromium, serving, settle
from ui.host.index_page import SIZE
from ui.script import ASSETS

WIDTH, HEIGHT = SIZE
SCALE = 0.8  # so that all of the map is there
PLAIN = """
  .st-key-map-source { display: none }
  [data-testid=stMainBlockContainer] input[type=range], [data-testid=stMainBlockContainer] button { visibility: hidden }
"""


def take() -> bytes:
    """A PNG of that size."""
    with serving("app.py") as server, chromium() as browser:
        window = ViewportSize(width=round(WIDTH / SCALE), height=round(HEIGHT / SCALE))
        page = browser.new_page(viewport=window, device_scale_factor=SCALE, reduced_motion="reduce")
        page.set_default_timeout(AGES)
        page.goto(f"{server.url}/?lang=en&embed=true")
        settle(page, 500)
        page.add_style_tag(content=PLAIN)
        return page.screenshot()


if __name__ == "__main__":
    (ASSETS / "preview.png").write_bytes(take())
