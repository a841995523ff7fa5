"""Two lanes, and the cache: what the page shows is what the core's own loops give."""

import re
from typing import Any

import numpy as np
import pytest
import torch

from tests.app import boards
from tests.app.answers import right
from tests.app.conftest import Open, in_turn
from transformer_core import greedy_steps, padding_mask, subsequent_mask
from ui.chapters.decoding.lanes import gap, lanes_of
from ui.model.current_model import model_at_hand
from ui.settings.frame import Frame
from ui.text import LANGUAGES, Words

SENTENCE = "we drink tea every day"
REPLIES = right("decoding", "parting", "anew")  # without which the figures wait


def lanes(model: str) -> tuple[Any, tuple[int, ...], int, int]:
    """The model at hand, a source, and a turn at which the lower lane writes another token."""
    at_hand = model_at_hand(Frame(model=model))
    if model == "trained":
        return at_hand, (1, 3, 2, 5, 4, 6), 2, 7
    source = at_hand.source
    return at_hand, tuple(source.sequence(source.read(SENTENCE))), 3, at_hand.target.read("休息")[0]


def link(model: str, src: tuple[int, ...], **more: object) -> dict[str, str]:
    text = SENTENCE if model == "translate" else " ".join(map(str, src))
    return {"open": "lanes", "model": model, "src": text} | REPLIES | {name: str(value) for name, value in more.items()}


@pytest.mark.parametrize("model", ["trained", "translate"])
def test_left_alone_the_two_lanes_are_one_and_the_page_says_how_nearly(open_link: Open, model: str) -> None:
    at_hand, src, _, _ = lanes(model)
    app = open_link("decoding", lang="en", **link(model, src))
    assert not app.exception
    found = lanes_of(at_hand, src, 1, 1, 0)
    assert found.written == found.right
    assert gap(at_hand, found) < 1e-3
    shown = boards.matrices(app, "decoding.lanes")
    assert np.abs(shown["difference"]).max() < 1e-4
    assert "max |Δ logit| = **" in boards.written(app)
    assert Words("decoding", "en")("lanes.looks_same") in boards.written(app)


@pytest.mark.parametrize("model", ["trained", "translate"])
def test_another_token_changes_the_lower_lane_from_the_next_turn_on_and_the_upper_one_nowhere(
    open_link: Open, model: str
) -> None:
    at_hand, src, slip, token = lanes(model)
    before = boards.matrices(open_link("decoding", **link(model, src)), "decoding.lanes")
    app = open_link("decoding", lang="en", **link(model, src, slip=slip, slip_token=token))
    assert not app.exception
    shown = boards.matrices(app, "decoding.lanes")
    assert np.abs(shown["difference"][:slip]).max() < 1e-4
    assert np.abs(shown["difference"][slip]).max() > 1e-3 or model == "trained"
    assert shown["difference"][slip].any()
    if model == "trained":  # all of a short vocabulary is drawn, so that the columns are the same
        np.testing.assert_array_equal(shown["parallel"], before["parallel"])

    sources, right = torch.tensor([src]), list(lanes_of(at_hand, src, 1, 1, 0).right)
    mask, n = padding_mask(sources), len(shown["parallel"])
    with torch.no_grad():
        forced = (
            at_hand.load()
            .generator(at_hand.load()(sources, torch.tensor([right[:-1]]), mask, subsequent_mask(len(right) - 1)))[0]
            .exp()
        )
    steps = list(greedy_steps(at_hand.load(), sources, mask, at_hand.most(src), prefix=[*right[1:slip], token]))
    np.testing.assert_allclose(shown["parallel"].max(1), forced.max(1).values[:n], atol=1e-5)
    alone = torch.cat([step.log_probs for step in steps]).exp()
    np.testing.assert_allclose(shown["alone"].max(1), alone.max(1).values[:n], atol=1e-5)


def test_a_token_that_ends_the_sentence_early_costs_the_words_that_are_missing(open_link: Open) -> None:
    at_hand, src, slip, token = lanes("translate")
    found = lanes_of(at_hand, src, 1, slip, token)
    of = max(len(found.written), len(found.right)) - slip - 1
    wrong = of - sum(a == b for a, b in zip(found.written[slip + 1 :], found.right[slip + 1 :]))
    assert wrong > 0
    for lang in LANGUAGES:
        app = open_link("decoding", lang=lang, **link("translate", src, slip=slip, slip_token=token))
        assert Words("decoding", lang)("lanes.wrong", wrong=wrong, of=of) in boards.written(app)


def test_a_mistake_that_a_copy_does_not_mind_is_said_to_be_harmless(open_link: Open) -> None:
    at_hand, src, slip, token = lanes("trained")
    found = lanes_of(at_hand, src, 1, slip, token)
    same = found.written[slip + 1 :] == found.right[slip + 1 :]
    app = open_link("decoding", lang="en", **link("trained", src, slip=slip, slip_token=token))
    assert (Words("decoding", "en")("lanes.none", of=len(src) - slip - 1) in boards.written(app)) == same


def test_the_token_that_the_lower_lane_would_write_anyway_is_said_to_change_nothing(open_link: Open) -> None:
    at_hand, src, slip, _ = lanes("translate")
    own = lanes_of(at_hand, src, 1, slip, 0).written[slip]
    app = open_link("decoding", lang="en", **link("translate", src, slip=slip, slip_token=own))
    said = boards.written(app)
    assert Words("decoding", "en")("lanes.anyway", slip=slip, token=at_hand.target.every[own]) in said
    assert "moves most" not in said


@pytest.mark.parametrize("slip_token", [0, 30])
def test_a_model_that_has_learned_nothing_parts_the_lanes_by_itself(open_link: Open, slip_token: int) -> None:
    at_hand = model_at_hand(Frame(model="fresh_translate"))
    src = tuple(at_hand.source.sequence(at_hand.source.read(SENTENCE)))
    found = lanes_of(at_hand, src, 1, 9, slip_token)
    turn = next(t for t, pair in enumerate(zip(found.written, found.right)) if pair[0] != pair[1])
    assert turn < 9
    for lang in LANGUAGES:
        query = {
            **REPLIES,
            "open": "lanes",
            "model": "fresh_translate",
            "src": SENTENCE,
            "slip": "9",
            "slip_token": str(slip_token),
        }
        ours, theirs = (at_hand.target.every[tokens[turn]] for tokens in (found.written, found.right))
        said = Words("decoding", lang)("lanes.own", turn=turn, ours=ours, theirs=theirs)
        assert said in boards.written(open_link("decoding", lang=lang, **query))


def test_where_there_is_no_answer_nothing_is_held_against_one(open_link: Open) -> None:
    query = {"open": "lanes", "model": "translate", "src": "cats cats cats", "slip": "1", "slip_token": "30"} | REPLIES
    said = boards.written(open_link("decoding", lang="en", **query))
    assert Words("decoding", "en")("lanes.no_answer") in said
    assert "the answer's token" not in said


@in_turn("section", ["lanes", "cache"])
def test_a_section_by_itself_says_that_the_source_is_too_short(open_link: Open, section: str, lang: str) -> None:
    app = open_link("decoding", lang=lang, model="trained", only=section, src="1")
    assert not app.exception
    assert [info.value for info in app.info] == [Words("decoding", lang)("unread")]


@pytest.mark.parametrize(
    ("press", "key", "value"),
    [({"axis": "row", "index": 2}, "slip", 3), ({"axis": "column", "index": 7}, "slip_token", 7)],
)
def test_the_turn_and_the_token_are_taken_by_their_names(
    open_link: Open, press: dict[str, object], key: str, value: int
) -> None:
    app = open_link("decoding", open="lanes", src="1 3 2 5 4", **REPLIES)
    boards.does(app, "decoding.lanes", "label", {"panel": "alone"} | press)
    assert not app.exception
    widgets = [*app.slider, *app.selectbox]
    (widget,) = [each for each in widgets if each.key == f"decoding:{key}"]
    assert widget.value == value


def test_the_controls_move_the_figure(open_link: Open) -> None:
    app = open_link("decoding", open="lanes", src="1 3 2 5 4", **REPLIES)
    app.selectbox(key="decoding:slip_token").set_value(9).run()
    app.slider(key="decoding:slip").set_value(3).run()
    assert not app.exception
    assert boards.panel(app, "decoding.lanes", "alone")["labels"]["row"][2] == "3 → 9 ✎"


@in_turn(
    "more",
    [
        {"src": "1"},
        {"src": "x"},
        {"src": "1 2", "slip": "63", "slip_token": "999", "lane_head": "63"},
        {"src": "1 0 0 3", "slip": "1", "slip_token": "1"},
        {"model": "run", "run": "N:2,h:2,d_model:16,norm_first:false,scale:false,steps:2,warmup:1", "slip_token": "4"},
        {"model": "fresh_translate", "start": "0", "slip": "5", "slip_token": "2"},
        {"model": "translate", "src": "day day", "slip": "9", "slip_token": "2"},
    ],
)
def test_nothing_in_a_link_breaks_the_lanes_or_the_cache(open_link: Open, lang: str, more: dict[str, str]) -> None:
    app = open_link("decoding", open="lanes,cache", lang=lang, **more)
    assert not app.exception


@pytest.mark.parametrize("model", ["trained", "translate"])
def test_with_a_cache_the_numbers_are_the_same_and_nothing_is_timed_before_it_is_asked_for(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setattr("ui.chapters.decoding.cache.SECONDS", 0.0)
    _, src, _, _ = lanes(model)
    app = open_link("decoding", lang="en", **link(model, src) | {"open": "cache"})
    assert not app.exception
    said = boards.written(app)
    exact = re.search(
        r"with a cache differs from ln p without one by at most \*\*([\d.]+)(?:×10⁻([⁰¹²³⁴-⁹]+))?\*\*", said
    )
    assert exact, said
    assert exact[2] or float(exact[1]) < 1e-3
    assert "Measured on this server" not in said
    app.button(key="decoding.measure").click().run()
    assert not app.exception
    assert "Measured on this server" in boards.written(app)
