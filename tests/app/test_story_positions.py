"""What the story of order says, worked out anew with the model at hand."""

import math
import re
from copy import copy
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from tests.app.boards import matrices, unexplained
from tests.app.conftest import Open
from tests.app.position_code import ANSWERED
from tests.app.telling import telling
from tests.app.test_stories import READERS
from transformer_core.positions import frequencies
from ui.chapters.positions import story
from ui.chapters.positions.story_values import LAST, TURNS, PositionsStoryValues, pairs_shown, sentence_of
from ui.figures.actors import NARROW, WIDE, Grid, Line, Stage
from ui.figures.number import number
from ui.model.shipped import shipped
from ui.sections.story import sentence

SAID = {
    "newcomer": ("dog likes cat", "cat likes dog"),
    "chinese": ("狗喜欢猫", "猫喜欢狗"),
    "numbers": ("3 5 7", "7 5 3"),
    "fresh": ("3 5 7", "7 5 3"),
}


def opened(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str, lang: str = "en"
) -> tuple[Any, PositionsStoryValues, Any]:
    page, found, scenes = telling("positions", open_link, monkeypatch, lang=lang, **READERS[reader])
    assert isinstance(found, PositionsStoryValues)
    return page, found, {one[0].name: one for one in scenes}


def encoded(model: Any, tokens: list[int], code: str) -> np.ndarray:
    """(places, d_model), as the encoder hands them over."""
    with torch.inference_mode():
        x = model.src_embed[0](torch.tensor([tokens]))
        return np.asarray(model.encoder(model.src_embed[1](x) if code == "with" else x, None)[0].numpy())


@pytest.mark.parametrize("reader", SAID)
def test_both_orders_go_through_the_encoder_of_the_model_at_hand(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    page, v, scenes = opened(open_link, monkeypatch, reader)
    assert v.said == SAID[reader]
    at_hand = page.at_hand
    names = v.words[1:4]
    tokens = at_hand.source.tokens_of(names) if at_hand.words else [int(name) for name in names]
    symbols = [2] if at_hand.words else []
    first, second = [1, *tokens, *symbols], [1, *tokens[::-1], *symbols]
    for code in ("without", "with"):
        one, other = encoded(at_hand.load(), first, code), encoded(at_hand.load(), second, code)
        shown = v.first[code].shape[1]
        np.testing.assert_allclose(v.first[code], one[:, :shown], atol=2e-5)
        np.testing.assert_allclose(v.second[code], other[:, :shown], atol=2e-5)
        moved = np.abs(other - one[v.order]).max()
        assert v.largest[code] == pytest.approx(moved, abs=2e-5)
    assert v.largest["without"] < 1e-4, "the same vectors, moved"
    assert v.told_apart
    scene, wide, _ = scenes["differ"]
    said = re.sub(r"<[^>]+>", "", unexplained(sentence(page, scene, wide)))
    assert all(one in said for one in (number(v.largest["with"], 2), number(v.largest["without"], 2), *v.said))


@pytest.mark.parametrize("stage", [WIDE, NARROW])
def test_a_vector_is_laid_below_that_of_the_same_word_on_one_scale(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, stage: Stage
) -> None:
    _, v, _ = opened(open_link, monkeypatch, "newcomer")
    ends = set()
    for tell, code in ((story.moved, "without"), (story.differ, "with")):
        grids = {one.name: one for one in tell(v, stage).beats[-1].actors if isinstance(one, Grid)}
        for n in range(len(v.words)):
            above, below, between = (grids[f"vector {which} {n}"] for which in ("first", "second", "between"))
            assert above.x == below.x == between.x
            np.testing.assert_array_equal(np.ravel(above.values), v.first[code][n])
            np.testing.assert_array_equal(np.ravel(below.values), v.second[code][v.order.index(n)])
            np.testing.assert_array_equal(np.subtract(below.values, above.values), between.values)
        ends |= {one.ends for one in grids.values()}
    assert ends == {(-v.end, v.end)}


def test_a_model_that_hardly_heeds_its_code_gets_another_sentence(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, v, scenes = opened(open_link, monkeypatch, "newcomer")
    deaf = copy(v)
    deaf.largest = {"with": 2e-6, "without": 1e-6}
    found = story.differ(deaf, WIDE)
    assert found.words == "alike"
    scene, wide, _ = scenes["differ"]
    assert not wide.words
    assert "changes little" in sentence(page, scene, found)


@pytest.mark.parametrize("reader", ["newcomer", "numbers"])
def test_hands_stand_where_the_code_says(open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str) -> None:
    page, v, scenes = opened(open_link, monkeypatch, reader)
    d_model = page.at_hand.config.d_model
    _, wide, _ = scenes["clocks"]
    hands = {one.name: one for one in wide.beats[-1].actors if isinstance(one, Line)}
    for place in range(len(v.words)):
        for pair in v.pairs:
            hand = hands[f"hand {pair} {place}"]
            angle = math.atan2(hand.to_x - hand.x, hand.y - hand.to_y)  # clockwise from twelve
            expected = place / 10000 ** (2 * pair / d_model)
            assert math.remainder(angle - expected, 2 * math.pi) == pytest.approx(0, abs=1e-4)
    assert "57°" in sentence(page, *scenes["clocks"][:2]), "the first one turns by a radian"


@pytest.mark.parametrize("d_model", [2, 4, 20, 64, 512])
def test_the_clocks_that_are_shown_turn_slower_and_slower(d_model: int) -> None:
    omega = frequencies(d_model).numpy()
    pairs = pairs_shown(omega)
    assert pairs[0] == 0
    assert (np.diff(omega[list(pairs)]) < 0).all()
    if d_model >= 20:
        assert len(pairs) == len(TURNS)
        assert omega[pairs[-1]] * LAST > 0.5, "the slowest is seen to turn"


@pytest.mark.parametrize(("vocab", "text"), [(11, "3 5 7"), (7, "2 3 4"), (5, "2 3 4"), (4, "")])
def test_numbers_are_those_that_the_model_knows(vocab: int, text: str) -> None:
    at_hand: Any = SimpleNamespace(words=None, source=range(vocab))
    assert sentence_of(at_hand, "") == text


def test_words_are_those_that_the_shipped_translator_knows() -> None:
    source = shipped("translate").config.vocabularies[0]
    assert source.text(source.read("cat likes dog")) == "cat likes dog"


@pytest.mark.parametrize("reader", ["newcomer", "numbers"])
def test_taking_over_shows_the_same_two_orders(open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str) -> None:
    page, v, scenes = opened(open_link, monkeypatch, reader)
    _, wide, _ = scenes["differ"]
    model = page.at_hand.kind
    monkeypatch.undo()
    link = {name: value for name, value in wide.settings.items() if name != "open"}
    app = open_link("positions", lang="en", model=model, **link, **ANSWERED)
    assert not app.exception
    shown = matrices(app, "positions.order")
    for code in ("without", "with"):
        expected = v.second[code] - v.first[code][v.order]
        np.testing.assert_allclose(shown[code], expected, atol=1e-5)
