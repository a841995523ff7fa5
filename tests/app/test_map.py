"""The map: its blocks carry the sizes of the model at hand, and it leads on, not back to itself."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import snippet
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


@pytest.mark.parametrize("model", ["trained", "notes"])
def test_the_map_says_how_many_parameters_the_model_has_and_how_to_print_it(open_link: Open, model: str) -> None:
    app = open_link(MAP, lang="en", model=model)
    names: dict[str, Any] = {}
    exec(snippet(app, f"{MAP}.figure_one"), names)
    count = sum(weight.numel() for weight in names["model"].parameters())
    assert f"have {count:,} parameters" in " ".join(block.value.replace("\n", " ") for block in app.markdown)


def test_the_blocks_have_the_shapes_of_what_the_reader_typed(open_link: Open) -> None:
    app = open_link(MAP, lang="en", src="1 4 2 2 7", tgt="1 3 5")
    (drawing,) = [json.loads(e.proto.json)["svg"] for e in app.main.get("bidi_component")]
    for shape in ("1 × 4 × 5 × 5", "1 × 4 × 2 × 5", "1 × 4 × 2 × 2", "1 × 5 × 64", "1 × 2 × 11"):
        assert shape in drawing
