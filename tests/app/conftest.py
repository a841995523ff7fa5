"""Open a chapter headless, as a link would."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ui.settings.chapters import MAP, page

ROOT = Path(__file__).parents[2]

Open = Callable[..., AppTest]


@pytest.fixture
def open_link(monkeypatch: pytest.MonkeyPatch) -> Open:
    """`open_link("masks", lang="zh", size="7")`: the chapter after its first run from that link."""
    monkeypatch.chdir(ROOT)

    def open_link(chapter: str, **query: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        if chapter != MAP:
            app.switch_page(page(chapter))
        for name, value in query.items():
            app.query_params[name] = value
        return app.run()

    return open_link
