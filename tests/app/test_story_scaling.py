"""What the story of the scale says, worked out anew from the sampled vectors."""

import math
import re
from typing import Any

import numpy as np
import pytest

from tests.app.boards import matrices, unexplained
from tests.app.conftest import Open
from tests.app.telling import telling
from ui.chapters.scaling.size import sample_of
from ui.chapters.scaling.story_values import ROWS, SEED, SHOWN, STOPS, ScalingStoryValues, typical, values
from ui.figures.actors import Box, Dot, Grid
from ui.figures.number import percent
from ui.frame.chapter import Chapter
from ui.sections.story import Scene, Told, sentence

Scenes = dict[str, tuple[Scene[ScalingStoryValues], Told, Told]]


@pytest.fixture
def story(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> tuple[Chapter[Any], ScalingStoryValues, Scenes]:
    page, _, scenes = telling("scaling", open_link, monkeypatch, model="trained", lang="en")
    return page, values(page), {one[0].name: one for one in scenes}


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True))


def jacobian(p: np.ndarray) -> np.ndarray:
    return np.asarray(np.diag(p) - np.outer(p, p))


def products(d_k: int) -> np.ndarray:
    """(queries, keys), of the vectors themselves."""
    sample = sample_of(SEED)
    return np.asarray((sample.q[..., :d_k].double() * sample.k[..., :d_k].double()).sum(-1).numpy())


def test_the_scores_are_products_of_the_sampled_vectors(story: Any) -> None:
    _, v, _ = story
    for d_k in SHOWN:
        np.testing.assert_allclose(v.scores(d_k), products(d_k), atol=1e-4)
        assert v.spread(d_k) == pytest.approx(math.sqrt(d_k), rel=0.15), "their standard deviation is about √d_k"
        assert v.spread(d_k, divided=True) == pytest.approx(1, rel=0.15)


def test_the_query_is_the_most_typical_of_those_whose_tower_only_grows(story: Any) -> None:
    _, v, _ = story
    logs = np.array([
        [[math.log(np.linalg.norm(jacobian(p))) for p in softmax(products(d_k) / root)] for d_k, root in roots]
        for roots in ([(d_k, 1.0) for d_k in SHOWN], [(d_k, math.sqrt(d_k)) for d_k in SHOWN])
    ])  # fmt: skip
    middle = np.sort(logs)[..., (logs.shape[-1] - 1) // 2]
    away = ((logs - middle[..., None]) ** 2).sum((0, 1))
    largest = np.array([softmax(products(d_k)).max(-1) for d_k in STOPS])
    away[(np.diff(largest, axis=0) <= 0).any(0)] = math.inf
    assert v.row == away.argmin() == typical(sample_of(SEED).products[np.array(SHOWN) - 1].double())
    assert len(set(v.rows)) == ROWS
    assert v.row in v.rows


def test_the_sentences_have_the_numbers_of_the_figure(story: Any) -> None:
    page, v, scenes = story
    few, most = products(SHOWN[0]), products(SHOWN[-1])
    near, far, divided = (softmax(one[v.row]) for one in (few, most, most / 16))
    sizes = [float(np.linalg.norm(jacobian(p))) for p in (near, far, divided)]
    means = {
        root: np.mean([np.linalg.norm(jacobian(p)) for p in softmax(most / root)]) for root in (1, math.sqrt(SHOWN[-1]))
    }
    expected = {
        "spread": [f"{few.std(ddof=1):.1f}", f"{most.std(ddof=1):.1f}"],
        "collapse": [percent(near.max(), 1), percent(far.max(), 1), percent(1 - far.max(), 1)],
        "closes": [f"{sizes[0]:.2g}", f"{sizes[1]:.2g}"],
        "reopens": ["√256 = 16", percent(divided.max(), 1), f"{sizes[2]:.2g}", f"{sizes[1]:.2g}"],
        "every": [f"{means[1]:.2g}", "400"],
    }
    for name, numbers in expected.items():
        scene, wide, narrow = scenes[name]
        said = re.sub(r"<[^>]+>", "", unexplained(sentence(page, scene, wide)))
        assert all(number in said for number in numbers), said
        assert wide.said == narrow.said
    assert far.max() > 0.95, "one tower takes nearly everything"
    assert sizes[1] < 0.1 * sizes[0] < 2 * sizes[2], "the gradient closes, and the division opens it"
    assert v.means[:, 1].min() > 0.9 * v.means[:, 1].max(), "divided, d_k makes next to no difference"
    assert v.means[-1, 0] == pytest.approx(means[1], rel=1e-4)


@pytest.mark.parametrize("stage", [1, 2])
def test_one_scale_through_all_scenes(story: Any, stage: int) -> None:
    """What spreads, collapses and opens again is seen to: a score, a weight and a slope are as long all the way."""
    _, v, scenes = story
    units, talls, ends = set(), set(), set()
    for name in ("spread", "collapse", "closes", "reopens"):
        last = scenes[name][stage].beats[-1].actors
        d_k, divided = SHOWN[-1], name == "reopens"
        dots = {one.name: one.x for one in last if isinstance(one, Dot)}
        scores = v.scores(d_k, divided)[v.row]
        low, high = int(scores.argmin()), int(scores.argmax())
        apart = dots[f"dot {v.row}.{high}"] - dots[f"dot {v.row}.{low}"]
        units.add(round(float(apart / (scores.max() - scores.min())), 6))
        weights = v.weights(d_k, divided)
        towers = {one.name: one.height for one in last if isinstance(one, Box) and one.name.startswith("tower")}
        talls |= {round(float(towers[f"tower {key}"] / weights[key]), 3) for key in [int(weights.argmax())] if towers}
        ends |= {one.ends for one in last if isinstance(one, Grid)}
    assert [len(found) for found in (units, talls, ends)] == [1, 1, 1]


@pytest.mark.parametrize("scene", ["closes", "reopens"])
def test_taking_over_shows_the_very_softmax_and_jacobian(
    story: Any, open_link: Open, monkeypatch: pytest.MonkeyPatch, scene: str
) -> None:
    _, v, scenes = story
    _, wide, _ = scenes[scene]
    monkeypatch.undo()
    app = open_link("scaling", lang="en", **wide.settings)
    assert not app.exception
    shown = matrices(app, "scaling.steps")
    p = v.weights(SHOWN[-1], divided=scene == "reopens")
    np.testing.assert_allclose(shown["shares"][:, 1], p, atol=1e-4)
    np.testing.assert_allclose(shown["jacobian"], jacobian(p), atol=1e-4)


def test_a_caption_names_the_sizes_that_are_shown(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, scenes = telling("scaling", open_link, monkeypatch, model="translate")
    for _, wide, narrow in scenes:
        assert ".products[:256] · " in wide.origin == narrow.origin
    assert SHOWN[-1] == 256
