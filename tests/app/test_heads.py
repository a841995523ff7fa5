"""The chapter on all heads: the wall, and the head that is open."""

from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from tests.app.answers import right
from tests.app.boards import boards, chosen, matrices, panel, quiet
from tests.app.conftest import Open
from transformer_core import padding_mask, record, target_mask
from transformer_core.training.checkpoint import load
from ui.figures.wall import HeadName, table
from ui.model.shipped import SHIPPED
from ui.text import LANGUAGES, Words

SRC, TGT = [1, 4, 2, 9, 6], [1, 7, 5, 3]
LINK = {"src": "1 4 2 9 6", "tgt": "1 7 5 3"}


def tapped(path: str, name: str) -> np.ndarray:
    """What the module at `path` tapped on this sequence, computed here."""
    model = load(SHIPPED / "copy.safetensors").model.eval()
    src, tgt = torch.tensor([SRC]), torch.tensor([TGT[:-1]])
    with torch.no_grad(), record(model) as trace:
        model(src, tgt, padding_mask(src), target_mask(tgt))
    value: np.ndarray = trace[f"{path}.{name}"][0].numpy()
    return value


def weights(path: str) -> np.ndarray:
    """(heads, T, S)"""
    return tapped(path, "weights")


def test_the_wall_has_every_head_of_every_layer_and_kind(open_link: Open) -> None:
    shown = matrices(open_link("heads", **LINK), "heads.wall")
    config = load(SHIPPED / "copy.safetensors").config
    assert len(shown) == 3 * config.N * config.h
    for head in range(config.h):
        np.testing.assert_allclose(shown[f"cross.1.{head}"], weights("decoder.layers.1.src_attn")[head], atol=1e-6)
        np.testing.assert_allclose(shown[f"encoder.0.{head}"], weights("encoder.layers.0.self_attn")[head], atol=1e-6)


def test_the_head_of_the_chosen_cell_is_open_and_its_sum_stands_on_the_page_once(open_link: Open) -> None:
    app = open_link("heads", open="", cell="decoder.1.3.2.1", opened="weights.2.1", **LINK)
    expected = weights("decoder.layers.1.self_attn")[3]
    np.testing.assert_allclose(matrices(app, "heads.open")["weights"], expected, atol=1e-6)
    assert chosen(app, "heads.wall") == ["decoder.1.3", 2, 1]
    assert chosen(app, "heads.open") == ["weights", 2, 1]
    assert [quiet(app, figure) for figure in ("heads.wall", "heads.open")] == [True, False]
    scores = open_link("heads", open="", shown="scores", cell="decoder.1.3.2.1", opened="weights.2.1", **LINK)
    assert not quiet(scores, "heads.wall")  # nothing below writes the sum of a score


@pytest.mark.parametrize("shown", ["weights", "scores"])
def test_every_head_on_the_wall_has_a_formula_of_its_own_numbers(open_link: Open, shown: str) -> None:
    app = open_link("heads", open="", shown=shown, **LINK)
    for key in matrices(app, "heads.wall"):
        assert f"'{key}.before'" in str(panel(app, "heads.wall", key)["made"])


def test_the_numbers_of_the_wall_have_a_column_per_head_and_say_of_which_query_and_key_they_are() -> None:
    encoder, cross = np.arange(9.0).reshape(3, 3), -np.arange(6.0).reshape(2, 3)
    numbers = table({HeadName("encoder", 0, 0): encoder, HeadName("cross", 0, 0): cross})
    assert numbers[5].tolist() == [1, 2, 5, -5]
    assert np.isnan(numbers[6:, 3]).all()
    assert np.isfinite(numbers[:, :3]).all()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_scores_and_weights_of_the_notes_model_open_in_both_languages(open_link: Open, lang: str) -> None:
    for shown in ("weights", "scores"):
        assert not open_link("heads", lang=lang, shown=shown, model="notes", **LINK).exception


@pytest.mark.parametrize("cell", ["cross.7.0.1.1", "sideways.0.0.1.1", "cross.0.0.99.99", "cross.0.0.1", ""])
def test_a_cell_of_no_head_opens_the_first_one(open_link: Open, cell: str) -> None:
    app = open_link("heads", cell=cell, **LINK)
    assert not app.exception
    assert matrices(app, "heads.open")["weights"].shape in [(5, 5), (3, 5)]


def merged_of(app: AppTest, column: int) -> list[Any]:
    """Which cell the merged numbers of a column are."""
    made = panel(app, "heads.concat", "merged")["made"]
    cell: list[Any] = made["formulas"][made["table"][column]]
    return cell


ANSWERED = LINK | right("heads")


def test_the_numbers_wait_for_the_prediction_and_are_means_over_queries(open_link: Open) -> None:
    names = "wall", "open", "by_layer", "alignment", "aligned_sentences", "why_word", "view"
    before = [f"heads.{name}" for name in names]
    assert boards(open_link("heads", **LINK)) == before
    app = open_link("heads", number_cell="following.4.1", **ANSWERED)
    shown = matrices(app, "heads.numbers")
    cross, decoder = weights("decoder.layers.0.src_attn"), weights("decoder.layers.1.self_attn")
    np.testing.assert_allclose(shown["following"][4], [np.diagonal(head, 1).mean() for head in cross], atol=1e-6)
    np.testing.assert_allclose(shown["previous"][3], [np.diagonal(head, -1).mean() for head in decoder], atol=1e-6)
    assert not shown["following"][2:4].any()  # the decoder may not look ahead
    entropies = -(cross * np.log(cross)).sum(-1).mean(-1)
    np.testing.assert_allclose(shown["entropy"][4], entropies, atol=1e-5)


def test_the_merged_heads_times_their_matrix_are_the_modules_output(open_link: Open) -> None:
    app = open_link("heads", merge_kind="encoder", merge_layer="1", merge_cell="output.2.33", **ANSWERED)
    shown = matrices(app, "heads.concat")
    heads = [shown[f"head_{m}"] for m in range(4)]
    np.testing.assert_array_equal(shown["merged"], np.concatenate(heads, axis=1))
    state = load(SHIPPED / "copy.safetensors").model.state_dict()
    weight, bias = (state[f"encoder.layers.1.self_attn.linears.3.{name}"].numpy() for name in ("weight", "bias"))
    np.testing.assert_allclose(shown["output"], shown["merged"] @ weight.T + bias, atol=1e-5)
    np.testing.assert_allclose(shown["merged"], tapped("encoder.layers.1.self_attn", "merged"), atol=1e-6)
    shares = matrices(app, "heads.shares")["shares"][:, 0]
    np.testing.assert_allclose(shares.sum() + bias[33], shown["output"][2, 33], atol=1e-5)
    assert matrices(app, "heads.shares")["number"].item() == shown["output"][2, 33]


def test_of_a_wide_model_a_window_is_shown_that_still_knows_its_heads(open_link: Open) -> None:
    app = open_link("heads", model="notes", merge_first="96", merge_cell="output.1.3", **ANSWERED)
    shown = matrices(app, "heads.concat")
    assert (shown["merged"].shape, shown["output"].shape) == ((3, 64), (3, 64))
    np.testing.assert_array_equal(shown["merged"], np.hstack([shown["head_1"][:, 32:], shown["head_2"][:, :32]]))
    assert merged_of(app, 31) == ["cell", "head_1", ["i", 0], ["j", -64]]
    assert matrices(app, "heads.shares")["weights"].shape == (8, 64)
    assert [panel(app, "heads.concat", name)["borders"] for name in ("merged", "weight", "output")] == [[32], [32], []]


def test_the_concatenation_and_its_matrix_show_where_a_head_ends(open_link: Open) -> None:
    app = open_link("heads", merge_kind="cross", merge_layer="1", merge_cell="weight.60.3", **ANSWERED)
    assert [panel(app, "heads.concat", name)["borders"] for name in ("merged", "weight")] == [[16, 32, 48]] * 2
    weight = load(SHIPPED / "copy.safetensors").model.state_dict()["decoder.layers.1.src_attn.linears.3.weight"].numpy()
    np.testing.assert_array_equal(matrices(app, "heads.concat")["weight"], weight)
    np.testing.assert_array_equal(matrices(app, "heads.shares")["weights"], weight[60].reshape(4, 16))


def test_the_link_into_the_stages_carries_the_open_head(open_link: Open) -> None:
    app = open_link("heads", cell="decoder.1.3.2.1", **LINK)
    (link,) = [link for link in app.get("page_link") if link.label == Words("heads", "en")("opened.link")]
    assert "kind=decoder" in str(link.proto)
    assert "layer=1" in str(link.proto)
    assert "head=3" in str(link.proto)
