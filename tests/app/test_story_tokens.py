"""What the story of tokens says, against the model's own table."""

import math
import re
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from tests.app.answers import right
from tests.app.boards import matrices, unexplained
from tests.app.conftest import Open
from tests.app.telling import telling
from tests.app.test_stories import READERS, beyond
from ui.chapters.tokens import story
from ui.chapters.tokens.story_values import ROWS, TokensStoryValues, longest_word, twins_of
from ui.figures.actors import NARROW, WIDE, Box, Grid, Stage
from ui.figures.number import number
from ui.sections.story import sentence

TOLD_OF = {
    "newcomer": ("flowers", "this"),
    "chinese": ("睡觉", "这"),
    "numbers": ("10", "2"),
    "one_word": ("cats", "this"),
}


def opened(open_link: Open, monkeypatch: pytest.MonkeyPatch, **link: str) -> tuple[Any, TokensStoryValues, Any]:
    page, found, scenes = telling("tokens", open_link, monkeypatch, **link)
    assert isinstance(found, TokensStoryValues)
    return page, found, {one[0].name: one for one in scenes}


def said(page: Any, scene: Any) -> str:
    return re.sub(r"<[^>]+>", "", unexplained(sentence(page, *scene[:2])))


def table_of(page: Any) -> np.ndarray:
    return np.asarray(page.at_hand.load().get_submodule("src_embed.0.lut").get_parameter("weight").detach().numpy())


@pytest.mark.parametrize("reader", TOLD_OF)
def test_words_are_looked_up_in_the_table_of_the_model_at_hand(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    page, v, scenes = opened(open_link, monkeypatch, lang="en", **READERS[reader])
    table = table_of(page)
    one = v.sentence
    assert (one.words[v.word], v.twice.words[v.twins[0]]) == TOLD_OF[reader]
    for looked in (one, v.twice):
        np.testing.assert_array_equal(looked.rows, table[list(looked.tokens)])
        np.testing.assert_allclose(looked.vectors, math.sqrt(v.d_model) * looked.rows, rtol=1e-6)
    np.testing.assert_array_equal(v.table, table[v.first : v.first + ROWS])
    assert v.token in range(v.first, v.first + ROWS)
    assert f"{v.size} tokens" in said(page, scenes["numbers"])
    assert str(v.token) in said(page, scenes["row"])
    means = [np.abs(part).mean() for part in (one.rows, one.vectors, one.code)]
    assert all(number(float(mean), 2) in said(page, scenes["scale"]) for mean in means)
    first, again = v.twins
    assert v.twice.tokens[first] == v.twice.tokens[again]
    assert "largest difference is 0." in said(page, scenes["twice"])


@pytest.mark.parametrize("stage", [WIDE, NARROW])
def test_a_strip_is_its_row_and_the_factor_is_seen_on_one_scale(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, stage: Stage
) -> None:
    _, v, _ = opened(open_link, monkeypatch, **READERS["newcomer"])
    shown = story.table_at(stage).shown
    before, after = (
        {one.name: one for one in tell(v, stage).beats[-1].actors if isinstance(one, Grid)}
        for tell in (story.strip, story.scale)
    )
    for n, token in enumerate(v.sentence.tokens):
        name = f"vector {n}"
        np.testing.assert_array_equal(np.ravel(before[name].values), v.sentence.rows[n, :shown])
        np.testing.assert_array_equal(np.ravel(after[name].values), v.sentence.vectors[n, :shown])
        if f"row {token}" in before:
            np.testing.assert_array_equal(before[name].values, before[f"row {token}"].values)
    assert len({one.ends for one in (*before.values(), *after.values())}) == 1
    first, *_, last = story.scale(v, stage).beats
    heights = [
        next(one for one in beat.actors if isinstance(one, Box) and one.name == f"bar {which}").height
        for beat, which in ((first, "vectors"), (last, "vectors"), (last, "code"))
    ]
    assert heights[1] / heights[0] == pytest.approx(math.sqrt(v.d_model), rel=1e-5)
    assert heights[2] / heights[1] == pytest.approx(np.abs(v.sentence.code).mean() / np.abs(v.sentence.vectors).mean())


def test_large_embeddings_are_not_said_to_be_smaller_than_the_code(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, v, scenes = opened(open_link, monkeypatch, lang="en", **READERS["newcomer"])
    large = copy(v)
    large.sentence = replace(v.sentence, rows=20 * v.sentence.rows, vectors=20 * v.sentence.vectors)
    assert story.scale(large, WIDE).words == "beside"
    assert not scenes["scale"][1].words
    ratio = np.abs(v.sentence.code).mean() / np.abs(v.sentence.rows).mean()
    assert f"{number(float(ratio), 2)} times" in said(page, scenes["scale"])


def test_a_model_of_numbers_is_not_said_to_know_words(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    page, _, scenes = opened(open_link, monkeypatch, lang="en", **READERS["numbers"])
    assert "numbers instead of words" in said(page, scenes["numbers"])


@pytest.mark.parametrize("count", [2, 17, 38])
def test_a_sentence_of_any_length_has_room(open_link: Open, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    src = " ".join((["beautiful", "I"] * count)[:count])
    _, _, scenes = opened(open_link, monkeypatch, model="translate", src=src)
    for _, wide, narrow in scenes.values():
        assert beyond(wide.beats, WIDE) == [] == beyond(narrow.beats, NARROW)


def test_the_longest_word_is_told_of_and_never_a_symbol() -> None:
    words = ["⟨start of it all⟩", "red", "a", "big", "⟨end of it all⟩"]
    assert longest_word(words, [1, 5, 6, 7, 2], end=2) == 3
    assert longest_word(["⟨s⟩", "10", "9"], [1, 10, 9], end=None) == 1
    assert longest_word(["⟨s⟩", "1"], [1, 1], end=None) == 1, "where tokens are numbers, 1 is also a word"
    assert longest_word(["⟨s⟩", "0"], [1, 0], end=None) == 0


@pytest.mark.parametrize("src", ["1", "1 0 0", "2 2"])
def test_a_row_of_hardly_anything_is_told_too(open_link: Open, monkeypatch: pytest.MonkeyPatch, src: str) -> None:
    page, v, scenes = opened(open_link, monkeypatch, lang="en", model="trained", src=src)
    assert v.sentence.words[v.word] in said(page, scenes["numbers"])


def test_the_first_word_that_comes_again_is_the_twin() -> None:
    assert twins_of([1, 4, 7, 7, 4, 2]) == (1, 4)


@pytest.mark.parametrize("scene", ["strip", "scale", "twice"])
def test_taking_over_shows_the_very_vectors(open_link: Open, monkeypatch: pytest.MonkeyPatch, scene: str) -> None:
    _, v, scenes = opened(open_link, monkeypatch, **READERS["newcomer"])
    settings = {name: value for name, value in scenes[scene][1].settings.items() if name != "open"}
    monkeypatch.undo()
    app = open_link(
        "tokens", **{"model": "translate", "src": "I buy two red flowers every day", **settings}, **right("tokens")
    )
    assert not app.exception
    looked = v.twice if scene == "twice" else v.sentence
    expected = looked.rows if scene == "strip" else looked.vectors
    vectors = matrices(app, "tokens.lookup")["vectors"][: len(looked.tokens)]
    np.testing.assert_allclose(vectors, expected[:, : vectors.shape[1]], rtol=1e-5)
    if scene == "twice":
        one, again = (place - 1 for place in v.twins)  # no symbols stand there
        assert matrices(app, "tokens.equal")["differences"][one, again] == 0


def test_symbols_are_looked_up_like_words(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    page, v, _ = opened(open_link, monkeypatch, **READERS["newcomer"])
    with torch.inference_mode():
        start = page.at_hand.load().get_submodule("src_embed.0")(torch.tensor([[1]]))[0, 0].numpy()
    np.testing.assert_array_equal(v.sentence.vectors[0], start)
