"""The map: its blocks carry the sizes of the model at hand, and it leads on, not back to itself."""

import base64
import json
import math
import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import boards, does, snippet
from tests.app.conftest import Open
from ui.model.current_model import model_at_hand
from ui.settings.chapters import MAP
from ui.settings.frame import Frame
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
    assert f"{count:,} parameters" in " ".join(block.value.replace("\n", " ") for block in app.markdown)


def played(app: AppTest) -> dict[str, Any]:
    """The message to the playing map."""
    ((message,),) = [json.loads(e.proto.json) for e in app.main.get("bidi_component")]
    return dict(message)


def pictures(message: dict[str, Any]) -> list[np.ndarray]:
    """The bytes of each block's small picture, (heads, rows, columns)."""
    sent = np.frombuffer(base64.b64decode(message["bytes"]), np.uint8)
    sizes = [(picture["first"], tuple(picture["size"])) for picture in message["pictures"]]
    return [sent[first : first + math.prod(size)].reshape(size) for first, size in sizes]


def test_the_blocks_have_the_shapes_of_what_the_reader_typed_and_the_model_writes(open_link: Open) -> None:
    drawing = played(open_link(MAP, lang="en", src="1 4 2 2 7"))["svg"]
    for shape in ("1 × 4 × 5 × 5", "1 × 4 × 4 × 5", "1 × 4 × 4 × 4", "1 × 5 × 64", "1 × 4 × 11"):
        assert shape in drawing


def press(open_link: Open, block: int) -> AppTest:
    app = open_link(MAP, lang="en")
    does(app, f"{MAP}.figure_one", "block", block)
    assert not app.exception
    return app


def test_every_block_of_a_layer_opens_its_own_sub_layer(open_link: Open) -> None:
    opened = []
    for block in (3, 4, 5, 9, 11, 12, 13):  # from the bottom, the encoder's column first
        app = press(open_link, block)
        (place,) = [slider for slider in app.select_slider if slider.key == "layers:place"]
        opened.append(str(place.options[int(str(place.value))]).lower())
    encoder = [f"encoder layer 1 · {name}" for name in ("self-attention", "feed-forward", "feed-forward")]
    names = ("self-attention", "cross-attention", "feed-forward", "feed-forward")
    assert opened == encoder + [f"decoder layer 1 · {name}" for name in names]


def test_a_feed_forward_block_of_either_stack_opens_the_section_on_it(open_link: Open) -> None:
    for block in (4, 12):
        assert "layers.network" in boards(press(open_link, block))


def test_linear_opens_the_logits_and_the_decoder_its_own_embedding(open_link: Open) -> None:
    for block, tensor in ((14, "generator.logits"), (7, "tgt_embed.1.output"), (6, "tgt_embed.0.output")):
        app = press(open_link, block)
        assert any(tensor in block.body for block in app.get("html"))


def test_the_parameters_stand_beside_the_map_block_by_block_and_sum_to_the_whole(open_link: Open) -> None:
    app = open_link(MAP, lang="en")
    (table,) = [block.value for block in app.markdown if block.value.startswith("| Block")]
    counts = [int(row.split("|")[2].replace("*", "").replace(",", "")) for row in table.splitlines()[2:]]
    assert len(counts) == 11
    assert sum(counts[:-1]) == counts[-1] == 235_851


def test_a_square_has_the_area_of_its_models_parameters(open_link: Open) -> None:
    app = open_link(MAP, lang="en")
    (drawing,) = [
        block.body
        for block in app.get("html")
        if "model-scale" in block.body and "<figure" in block.body and "<style" not in block.body
    ]
    sides = [float(width) for width in re.findall(r'class="square" style="width:([\d.]+)px', drawing)]
    totals = [235_851, 63_082_496, 214_245_376]
    assert [(side / sides[2]) ** 2 for side in sides] == pytest.approx(
        [total / totals[2] for total in totals], rel=0.01
    )
    assert "63.1 M counted, 65 M in the paper" in drawing
    names: dict[str, Any] = {}
    exec(snippet(app, f"{MAP}.scale"), names)
    assert [sum(counts) for counts in names["shown"]] == totals


@pytest.mark.parametrize("model", ["trained", "notes"])
def test_the_tree_of_modules_is_printed_once_it_is_unfolded(open_link: Open, model: str) -> None:
    app = open_link(MAP, model=model)
    assert not app.code
    app.session_state["map.printed"] = True
    app.run()
    assert [block.value for block in app.code] == [str(model_at_hand(Frame(model=model)).load())]
