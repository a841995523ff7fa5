"""What an answer costs: bytes of real caches beside their formula, the work of a token, and links without sense."""

import json
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import elements, written
from tests.app.conftest import Open
from transformer_core.experiments.answer_cost import LENGTHS, cache_bytes, measure_answer, products_of_token
from ui.cache import ValueCache
from ui.chapters.answer_cost import work
from ui.chapters.answer_cost.memory import KINDS, measured_bytes, sizes_of
from ui.text import Words

SAY = Words("answer_cost", "en")


def chart(app: AppTest, name: str) -> dict[str, Any]:
    (found,) = [one for one in elements(app.main) if one.type == "echarts_chart" and one.proto.id.endswith(name)]
    return dict(json.loads(found.proto.spec))


@pytest.mark.parametrize("window", [1, 24, 300])
def test_a_cache_takes_the_bytes_of_the_formula(window: int) -> None:
    sizes, found, n = sizes_of("here", "gpt"), measured_bytes(window), np.array(LENGTHS)
    expected = {"all": sizes, "grouped": sizes._replace(groups=2), "one": sizes._replace(groups=1)}
    for kind, each in expected.items():
        assert found[kind] == cache_bytes(each, n).tolist()
    assert found["window"] == cache_bytes(sizes, n, window).tolist()
    assert found["all"][-1] == 2 * 2 * 64 * 4 * 256  # keys and values, layers, d_model, bytes, tokens


def test_the_work_of_a_token_is_counted_as_a_loop_counts_it() -> None:
    sizes = sizes_of("here", "gpt")._replace(groups=2)
    n, d, d_k = 7, 64, 16
    row = d * d + 2 * d * 2 * d_k + n * d + n * d + d * d + d * 256 + 256 * d
    counted = [products_of_token(sizes, np.array([n]), cached=cached)[0] for cached in (True, False)]
    assert counted == [2 * row + d * sizes.vocab, 2 * row * n + d * sizes.vocab]


def test_what_was_measured_stands_on_the_lines(open_link: Open) -> None:
    app = open_link("answer_cost", window="24", lang="en")
    series = chart(app, "answer_cost.memory")["series"]
    dots = [one for one in series if one["name"] == SAY("memory.measured")]
    assert len(dots) == 1
    assert len(dots[0]["data"]) == len(KINDS) * len(LENGTHS)


def test_far_lengths_are_said_to_be_a_formula(open_link: Open) -> None:
    app = open_link("answer_cost", cache_of="seventy", lang="en")
    assert "By formula, not measured" in written(app)
    assert "344\N{NO-BREAK SPACE}GB" in written(app)
    assert "42.9\N{NO-BREAK SPACE}GB" in written(app)
    assert SAY("memory.measured") not in json.dumps(chart(app, "answer_cost.memory"))


@pytest.mark.parametrize("window", ["0", "-3", "1e9", "x"])
def test_a_window_that_cannot_be_is_the_default(open_link: Open, window: str) -> None:
    app = open_link("answer_cost", window=window)
    assert not app.exception
    assert app.number_input(key="answer_cost:window").value == 64


def test_time_is_measured_on_a_press(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "cached", ValueCache())
    monkeypatch.setattr(work, "measure_answer", lambda model: measure_answer(model, (4, 8)))
    app = open_link("answer_cost", lang="en")
    app.button(key="answer_cost.measure").click().run()
    assert not app.exception
    assert len(chart(app, "answer_cost.times")["series"][0]["data"]) == 2
    assert "after 8 tokens" in written(app)
