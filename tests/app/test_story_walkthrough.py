"""The story of the forward pass: each result that it shows is made of the operands beside it, and each scene leads to
the stop that makes it."""

import math
from functools import partial

import numpy as np
import pytest

from tests.app import boards
from tests.app.conftest import Open
from tests.app.telling import telling
from tests.app.test_stories import READERS
from transformer_core import START
from ui.chapters.walkthrough.story_values import BLOCKS, WINDOW, WalkthroughStoryValues
from ui.figures.actors import Box, Grid, Word
from ui.figures.number import percent
from ui.sections.story import Told

ENCODER, DECODER = "encoder.layers.0", "decoder.layers.0"
TWO_LAYERS = {"model": "run", "run": "N:2,d_model:24,h:3,d_ff:40,batch:4,steps:1"}
MADE = {  # the tensor at whose stop each scene lets the reader take over
    "rows": "src_embed.1.output",
    "project": f"{ENCODER}.self_attn.query",
    "compare": f"{ENCODER}.self_attn.weights",
    "collect": f"{ENCODER}.sublayer.0.sum",
    "think": f"{ENCODER}.feed_forward.hidden",
    "ask": f"{DECODER}.src_attn.weights",
    "choose": "generator.log_probs",
    "following": "next",
}


def seen(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, **link: str
) -> tuple[WalkthroughStoryValues, dict[str, tuple[Told, Told]]]:
    _, found, scenes = telling("walkthrough", open_link, monkeypatch, **link)
    assert isinstance(found, WalkthroughStoryValues)
    return found, {scene.name: (wide, narrow) for scene, wide, narrow in scenes}


@pytest.mark.parametrize("reader", READERS)
def test_each_result_is_made_of_the_operands_beside_it(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    v, scenes = seen(open_link, monkeypatch, **READERS[reader])
    same = partial(np.testing.assert_allclose, rtol=1e-3, atol=1e-4)
    same(v.table("src_embed.0.output") + v.table("src_embed.1.code"), v.table("src_embed.1.output"))
    attention = f"{ENCODER}.self_attn"
    d_k = v.at_hand.config.d_model // v.at_hand.config.h
    mine = slice(v.head * d_k, (v.head + 1) * d_k)
    for index, role in enumerate(("query", "key", "value")):
        path = f"{attention}.linears.{index}"
        product = v.given(f"{attention}.{role}") @ v.head_weight(f"{path}.weight")
        same(product + v.table(f"{path}.bias")[0, mine], v.table(f"{attention}.{role}"))
    query, key, value = (v.table(f"{attention}.{role}") for role in ("query", "key", "value"))
    scores, weights = v.table(f"{attention}.scores"), v.table(f"{attention}.weights")
    scale = v.at_hand.config.scale
    same(query @ key.T / (math.sqrt(d_k) if scale else 1), scores)
    assert scenes["compare"][0].words == ("" if scale else "unscaled")
    exponentials = np.exp(scores - scores.max(1, keepdims=True))
    same(exponentials / exponentials.sum(1, keepdims=True), weights)
    same(weights @ value, v.table(f"{attention}.heads"))
    for before, path, made in (
        (v.table(f"{attention}.merged"), f"{attention}.linears.3", f"{attention}.output"),
        (v.given(f"{ENCODER}.feed_forward.pre_activation"), f"{ENCODER}.feed_forward.w_1", ""),
        (v.table(f"{ENCODER}.feed_forward.hidden"), f"{ENCODER}.feed_forward.w_2", f"{ENCODER}.feed_forward.output"),
        (v.table("last"), "generator.proj", "generator.logits"),
    ):
        product = before @ v.weight(f"{path}.weight") + v.table(f"{path}.bias")[0]
        expected = v.table(made) if made else v.table(f"{ENCODER}.feed_forward.pre_activation")
        same(product, expected)


@pytest.mark.parametrize("link", [*READERS.values(), TWO_LAYERS], ids=[*READERS, "two_layers"])
def test_what_is_drawn_is_the_tensor_or_says_how_much_of_it(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, link: dict[str, str]
) -> None:
    v, scenes = seen(open_link, monkeypatch, **link)
    tables = {
        "query": v.table(f"{ENCODER}.self_attn.query"),
        "weights": v.table(f"{ENCODER}.self_attn.weights"),
        "hidden": v.table(f"{ENCODER}.feed_forward.hidden"),
        "W 1": v.weight(f"{ENCODER}.feed_forward.w_1.weight"),
        "memory": v.table("encoder.output"),
        "cross": v.table(f"{DECODER}.src_attn.weights"),
        "last": v.table("last"),
    }
    found = set()
    for wide, narrow in scenes.values():
        for beat in (*wide.beats, *narrow.beats):
            texts = {actor.name: actor.text for actor in beat.actors if isinstance(actor, Word)}
            for grid in (actor for actor in beat.actors if isinstance(actor, Grid)):
                name = grid.name.removeprefix("m ")
                if name not in tables:
                    continue
                found.add(name)
                table, shown = tables[name], np.asarray(grid.values)
                np.testing.assert_array_equal(shown, table[: shown.shape[0], : shown.shape[1]])
                assert shown.shape[0] <= WINDOW[0] >= shown.shape[1]
                sizes = [table.shape] if shown.shape == table.shape else [table.shape, shown.shape]
                for size in sizes:
                    assert " × ".join(map(str, size)) in texts[f"shape {name}"]
    assert found == set(tables)


@pytest.mark.parametrize("reader", ["newcomer", "numbers", "chinese"])
def test_every_scene_leads_to_the_stop_of_what_it_makes_and_to_no_bias(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    v, scenes = seen(open_link, monkeypatch, **READERS[reader])
    assert list(scenes) == list(MADE)
    places = [int(wide.settings["place"]) for wide, _ in scenes.values()]
    assert places == sorted(places)
    assert [v.route()[place].path for place in places] == list(MADE.values())
    assert not any(v.route()[place].what.startswith("b_") for place in places)
    beats, narrow = (
        [int({**one.settings, **beat.settings}["place"]) for one in told for beat in one.beats]
        for told in zip(*scenes.values())
    )
    assert beats == narrow
    assert beats == sorted(beats), "each beat goes on from where the one before it was"
    assert len(set(beats)) >= 20
    app = open_link("walkthrough", lang="en", **READERS[reader], **scenes["ask"][0].settings)
    assert not app.exception
    shown = boards.matrices(app, "walkthrough.tensor")
    assert any(np.allclose(table, v.table(MADE["ask"]), atol=1e-5) for table in shown.values())


@pytest.mark.parametrize("reader", READERS)
def test_the_sentences_say_what_the_trace_says(open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str) -> None:
    v, scenes = seen(open_link, monkeypatch, **READERS[reader])
    said = {name: wide.said for name, (wide, _) in scenes.items()}
    hidden = v.table(f"{ENCODER}.feed_forward.hidden")
    assert said["think"]["quiet"] == f"{float((hidden == 0).mean()):.0%}"
    assert hidden.min() >= 0
    looks = v.table(f"{DECODER}.src_attn.weights")[-1]
    assert said["ask"]["most"] == v.words[int(looks.argmax())]
    assert said["ask"]["share"] == percent(float(looks.max()))
    surest = float(np.exp(v.table("generator.log_probs")).max())
    assert said["choose"]["share"] in {percent(surest * (1 + off)) for off in (-1e-6, 0, 1e-6)}  # last bits round it
    assert said["choose"]["word"] == v.at_hand.target.every[v.output[v.turn]] == said["following"]["word"]
    assert scenes["following"][0].words == ("last" if v.turn == len(v.output) - 1 else "")
    own = v.table(f"{DECODER}.self_attn.weights")
    np.testing.assert_array_equal(np.triu(own, 1), np.zeros_like(own))


@pytest.mark.parametrize("reader", READERS)
def test_the_word_that_is_followed_is_one_where_there_are_two(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    v, scenes = seen(open_link, monkeypatch, **READERS[reader])
    symbols = START, v.at_hand.source.end
    assert v.src[v.row] not in symbols or sum(token not in symbols for token in v.src) < 2
    assert scenes["project"][0].said["word"] == v.words[v.row]


def test_the_mark_goes_along_figure_1_and_back_to_where_the_next_turn_begins(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, scenes = seen(open_link, monkeypatch, model="translate")
    order = [block for block, _ in BLOCKS]
    lit = [
        [
            actor.name
            for actor in beat.actors
            if isinstance(actor, Box) and actor.name.startswith("block") and actor.filled
        ]
        for wide, _ in scenes.values()
        for beat in wide.beats
    ]
    assert all(len(each) == 1 for each in lit)
    places = [order.index(each[0].removeprefix("block ")) for each in lit]
    assert places[:-1] == sorted(places[:-1])
    assert order[places[-1]] == "embed_out"
