"""The chapter on positions: what it says of the model at hand is measured, and its snippets measure the same."""

from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from tests.app.boards import boards, matrices, panel, snippet, sums
from tests.app.conftest import Open
from tests.app.position_code import ANSWERED, FIGURES, code, said, traces
from transformer_core import copy_sequences, greedy_decode, padding_mask
from transformer_core.checkpoint import load
from ui.figures.arithmetic import number
from ui.session import SHIPPED
from ui.text import Words


def test_the_sum_is_embeddings_times_their_size_plus_code(open_link: Open) -> None:
    app = open_link("positions", phrase="1 7 4 7", size="2.5", sum_first="6", sum_cell="sum.3.2")
    shown = matrices(app, "positions.sum")
    table = load(SHIPPED).model.get_submodule("src_embed.0.lut").get_parameter("weight").detach().numpy()
    np.testing.assert_allclose(shown["embeddings"], 2.5 * 8 * table[[1, 7, 4, 7], 6:22], rtol=1e-5)
    np.testing.assert_allclose(shown["code"], code(4, 64)[:, 6:22], atol=1e-6)
    np.testing.assert_allclose(shown["sum"], shown["embeddings"] + shown["code"], atol=1e-6)
    assert shown["cos_embeddings"][1, 3] == pytest.approx(1)
    assert shown["cos_sum"][1, 3] < 0.999
    assert shown["cos_code"].min() > 0
    assert panel(app, "positions.sum", "cos_code")["ends"] == [0, 1]
    assert sums(app)[0].endswith(f"= {number(float(shown['sum'][3, 2]))}")


def test_embeddings_of_size_zero_leave_the_code_alone(open_link: Open) -> None:
    shown = matrices(open_link("positions", size="0"), "positions.sum")
    np.testing.assert_allclose(shown["cos_sum"], shown["cos_code"], atol=1e-6)
    assert not shown["cos_embeddings"].any()


@pytest.mark.parametrize("model", ["trained", "fresh"])
def test_the_encoder_sees_the_order_through_the_position_code_only(open_link: Open, model: str) -> None:
    app = open_link("positions", model=model, src="1 3 2 9 5", order_seed="4", **ANSWERED)
    shown = matrices(app, "positions.order")
    assert np.abs(shown["without"]).max() < 1e-5
    assert np.abs(shown["with"]).max() > 0.1
    highest = [panel(app, "positions.order", name)["ends"][1] for name in ("with", "without")]
    assert highest[0] == highest[1] > 1  # that of the vectors themselves: rounding is not to look like a difference


def test_a_difference_of_the_order_is_written_out(open_link: Open) -> None:
    app = open_link("positions", order_cell="with.2.4", **ANSWERED)
    assert sums(app)[0].endswith(f"= {number(float(matrices(app, 'positions.order')['with'][2, 4]))}")


@pytest.mark.parametrize("src", ["0 0 0", "hello", "1 99"])
def test_text_that_is_no_sequence_gets_a_sentence_and_the_rest_of_the_page_stays(open_link: Open, src: str) -> None:
    app = open_link("positions", src=src, **ANSWERED)
    assert len(app.warning) == 1
    assert boards(app) == [f"positions.{figure}" for figure in FIGURES if figure != "order"]


def test_past_the_trained_length_the_shipped_model_fails_as_greedy_decoding_says(open_link: Open) -> None:
    exact = matrices(open_link("positions", **ANSWERED), "positions.beyond")["exact"][:, 0]
    model = load(SHIPPED).model.eval()
    sequences = copy_sequences(11, 1000, 12, generator=torch.Generator().manual_seed(0))
    decoded = greedy_decode(model, sequences, padding_mask(sequences), 12)
    assert exact[3] == pytest.approx((decoded == sequences).all(1).float().mean().item(), abs=0.002)
    assert exact[:2].min() > 0.99  # lengths 9 and 10, in training
    assert exact[4] < 0.1  # length 13, which the question is about


def test_an_untrained_model_copies_nothing_at_any_length(open_link: Open) -> None:
    app = open_link("positions", model="fresh", lang="en", **ANSWERED)
    assert not matrices(app, "positions.beyond")["exact"].any()
    assert Words("positions", "en")("beyond.untrained") in said(app)


@pytest.mark.parametrize(
    ("figure", "matrix", "name", "link"),
    [
        ("code", "code", "code", {"length": "9", "base": "2.5"}),
        ("products", "products", "products", {}),
        ("rotation", "rotation", "rotation", {"shift": "11"}),
        ("layouts", "concatenated", "other", {}),
        ("sum", "cos_sum", "cosines", {"size": "0.75"}),
        ("order", "with", "gap", {"src": "1 3 2 9 5"}),
        ("order", "without", "without", {"model": "fresh", "fresh": "2"}),
    ],
)
def test_a_snippet_computes_the_numbers_shown(
    open_link: Open, figure: str, matrix: str, name: str, link: dict[str, str]
) -> None:
    app = open_link("positions", **link, **ANSWERED)
    shown = matrices(app, f"positions.{figure}")[matrix]
    computed = _left_behind(app, figure)[name].detach().squeeze(0)[:, : shown.shape[1]]
    np.testing.assert_allclose(computed, shown, atol=1e-5)


def test_the_snippets_of_curves_and_lengths_compute_them(open_link: Open) -> None:
    app = open_link("positions", form_d="20", **ANSWERED)
    np.testing.assert_allclose(_left_behind(app, "wavelengths")["lengths"], next(iter(traces(app, 1).values())), 1e-6)
    app = open_link("positions", form_d="20", **ANSWERED)
    for error, curve in zip(_left_behind(app, "forms")["errors"], traces(app, 3).values(), strict=True):
        np.testing.assert_allclose(error, np.nan_to_num(10**curve), 1e-5)
    app = open_link("positions", **ANSWERED)
    shown, scores = matrices(app, "positions.beyond"), _left_behind(app, "beyond")["scores"]
    np.testing.assert_allclose([score.exact for score in scores], shown["exact"][:, 0], atol=1e-6)
    for score, row in zip(scores, shown["tokens"], strict=True):
        np.testing.assert_allclose(score.tokens, row[: len(score.tokens)], atol=1e-6)


def test_the_numbers_past_the_trained_length_are_those_of_both_matrices(open_link: Open) -> None:
    app = open_link("positions", **ANSWERED)
    shown = matrices(app, "positions.beyond")
    (pills,) = [group for group in app.get("button_group") if group.key == "positions.beyond.caption"]
    pills.set_value("numbers").run()
    table = app.dataframe[0].value.to_numpy()
    assert table[:, 0].tolist() == [9, 10, 11, 12, 13, 14]
    np.testing.assert_allclose(table[:, 1:], np.hstack([shown["exact"], shown["tokens"]]), atol=1e-6)


def _left_behind(app: AppTest, figure: str) -> dict[str, Any]:
    """The names that a figure's snippet leaves in the prompt."""
    namespace: dict[str, Any] = {}
    exec(snippet(app, f"positions.{figure}"), namespace)
    return namespace
