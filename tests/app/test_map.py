"""The map: its blocks carry the sizes of the model at hand, and it leads on, not back to itself."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import Open
from ui.settings.chapters import MAP
from ui.text import LANGUAGES, Words


def below(app: AppTest) -> list[str]:
    """The labels of the links at the foot of a page."""
    labels = {Words("shell", lang)("next", title="").strip() for lang in LANGUAGES}
    labels |= {Words("shell", lang)("back") for lang in LANGUAGES}
    links = [link.proto.label for link in app.main.get("page_link")]
    return [link for link in links if any(link.startswith(label) for label in labels)]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_map_leads_to_the_first_chapter_and_a_chapter_also_back_to_the_map(open_link: Open, lang: str) -> None:
    shell = Words("shell", lang)
    first, second = (shell("next", title=Words(name, lang)("title")) for name in ("tokens", "positions"))
    assert below(open_link(MAP, lang=lang)) == [first]
    assert below(open_link("tokens", lang=lang)) == [second, shell("back")]
