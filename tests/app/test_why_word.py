"""Why this word, not that one: the parts of the difference, on the page."""

import math
import re
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from tests.app.boards import boards, matrices, panel, written
from tests.app.conftest import Open
from transformer_core import padding_mask, target_mask
from transformer_core.experiments.contributions import Contributions, contributions
from transformer_core.training.checkpoint import load
from ui.chapters.heads.why_word import difference as page
from ui.model.current_model import model_at_hand
from ui.model.recorded import answer
from ui.model.shipped import SHIPPED
from ui.settings.frame import Frame
from ui.text import LANGUAGES, Words

FIGURE = "heads.why_word"
POST = {"model": "run", "run": "N:2,d_model:48,h:3,d_ff:96,norm_first:false,steps:4,seed:4", "step": "4"}


def logits_of(file: str, src: tuple[int, ...], given: tuple[int, ...]) -> np.ndarray:
    """(T, vocab)"""
    model, sources, targets = load(SHIPPED / file).model, torch.tensor([src]), torch.tensor([given])
    with torch.no_grad():
        out = model(sources, targets, padding_mask(sources), target_mask(targets))
        logits: np.ndarray = model.generator.proj(out)[0].numpy()
    return logits


def sums(app: AppTest) -> list[float]:
    found: list[float] = matrices(app, FIGURE)["sums"][:, 0].tolist()
    return found


def test_the_boards_make_up_the_difference_between_the_likeliest_token_and_the_next(open_link: Open) -> None:
    app = open_link("heads", open="why_word", src="1 4 2 9 6", tgt="1 4 2 9 6", why_row="2")
    first, second = sorted(logits_of("copy.safetensors", (1, 4, 2, 9, 6), (1, 4, 2, 9))[2])[:-3:-1]
    shown = matrices(app, FIGURE)
    assert sums(app)[-1] == pytest.approx(first - second, abs=1e-4)
    parts = [shown[name].sum() for name in ("heads", "vectors", "biases")]
    np.testing.assert_allclose(sums(app), [*parts, sum(parts)], atol=1e-4)
    assert [shown[name].shape for name in ("heads", "vectors", "biases")] == [(4, 4), (4, 1), (8, 1)]


def test_another_rival_is_another_difference(open_link: Open) -> None:
    at_hand = model_at_hand(Frame(model="translate"))
    src = tuple(at_hand.source.sequence(at_hand.source.read("two white cats sleep")))
    logits = np.sort(logits_of("translate.safetensors", src, answer(at_hand, src)[:-1])[1])[::-1]
    for rival in (0, 4):
        app = open_link(
            "heads", open="why_word", model="translate", src="two white cats sleep", why_row="1", why_rival=str(rival)
        )
        assert sums(app)[-1] == pytest.approx(logits[0] - logits[1 + rival], abs=1e-4)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_after_each_sub_layer_a_norm_has_a_bias_of_its_own_and_that_all_are_held_is_said(
    open_link: Open, lang: str
) -> None:
    app = open_link("heads", open="why_word", lang=lang, src="1 4 2", **POST)
    assert matrices(app, FIGURE)["biases"].shape == (2 * 3 + 2 * 3 + 1, 1)
    assert Words("heads", lang)("why_word.held_post", norms=6) in written(app)
    app = open_link("heads", open="why_word", lang=lang, src="1 4 2")
    assert Words("heads", lang)("why_word.held") in written(app)


def test_the_largest_part_is_named_with_the_token_that_it_speaks_for(open_link: Open) -> None:
    app = open_link("heads", open="why_word", lang="en", why_row="2")
    shown = matrices(app, FIGURE)
    largest = max((shown[name].ravel() for name in ("heads", "vectors", "biases")), key=lambda of: np.abs(of).max())
    value = largest[np.abs(largest).argmax()]
    (said,) = re.findall(r"contribution, \*\*(\S+)\*\* in favour of (\S+),", written(app))
    assert float(said[0]) == pytest.approx(abs(value), rel=1e-2)
    (word,) = re.findall(r"most probable token is \*\*(\S+)\*\*", written(app))
    assert (said[1] == word) == (value > 0)


def test_a_chosen_head_leads_into_its_stages_and_to_what_it_looks_at(open_link: Open) -> None:
    link, look = (Words("heads", "en")(key) for key in ("why_word.link", "why_word.look"))
    app = open_link("heads", open="why_word", lang="en", why_cell="heads.2.1")  # self-attention of layer 1
    assert [button.label for button in app.button].count(look) == 0
    assert "kind=decoder&layer=1&head=1" in str([one.proto for one in app.get("page_link") if one.label == link])
    app = open_link("heads", open="why_word", lang="en", why_cell="heads.3.1", why_row="2")
    (button,) = [button for button in app.button if button.label == look]
    button.click().run()
    assert [app.query_params[name][0] for name in ("align_layer", "align_head", "align_word")] == ["1", "1", "2"]
    assert panel(app, FIGURE, "heads")["labels"]["row"] == ["D 0", "C 0", "D 1", "C 1"]


@pytest.mark.parametrize(
    "query", [{"src": "1"}, {"tgt": "1"}, {"src": "1 3 2 0 0"}, {"why_row": "98", "why_rival": "999"}]
)
def test_the_shortest_sequences_and_settings_beyond_them_open_all_the_same(
    open_link: Open, query: dict[str, str]
) -> None:
    app = open_link("heads", open="why_word", **query)
    assert not app.exception
    assert FIGURE in boards(app)


def test_logits_further_apart_than_any_probability_can_say_are_no_mishap(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def far_apart(*given: Any) -> Contributions:
        found = contributions(*given)
        return found._replace(logits=1e4 * found.logits)

    monkeypatch.setattr(page, "contributions", far_apart)
    app = open_link("heads", open="why_word", lang="en")
    assert not app.exception
    assert "∞ times as probable" in written(app)


@pytest.mark.parametrize(
    ("section", "slider", "link"),
    [
        ("why_word", "why_row", {}),
        ("what_if", "if_query", {"hurts": "decoder", "if_how": "row"}),
        ("what_if", "if_query", {"hurts": "decoder", "if_how": "row", "if_kind": "encoder"}),
    ],
)
def test_rows_with_the_same_tokens_can_each_be_chosen(
    open_link: Open, section: str, slider: str, link: dict[str, str]
) -> None:
    app = open_link("heads", open=section, src="1 3 3 3 3 2 2", **link)
    stops = app.select_slider(key=f"heads:{slider}").options
    assert len(set(stops)) == len(stops) > 5


@pytest.mark.parametrize("rival", ["0", "4", "100"])
def test_how_often_as_likely_is_what_a_reader_gets_from_the_difference_that_is_shown(
    open_link: Open, rival: str
) -> None:
    app = open_link("heads", open="why_word", model="translate", src="two white cats sleep", why_rival=rival, lang="en")
    ((shown, times),) = re.findall(r"exp\(([\d.]+)\) ≈ ([\d.]+(?:×10[⁰¹²³⁴-⁹]+)?)\.", written(app))
    power = times.partition("×10")[2].translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789"))
    assert float(times.partition("×")[0]) * 10 ** int(power or 0) == pytest.approx(math.exp(float(shown)), rel=0.06)
