"""The chapter on positions: what it says of the model at hand is measured, and its snippets measure the same."""

import numpy as np
import pytest
import torch

from tests.app.boards import boards, matrices, panel
from tests.app.conftest import Open
from tests.app.position_code import ANSWERED, code, said
from transformer_core import copy_sequences, greedy_decode, padding_mask
from transformer_core.training.checkpoint import load
from ui.model.shipped import SHIPPED
from ui.text import Words


def test_the_sum_is_embeddings_times_their_size_plus_code(open_link: Open) -> None:
    app = open_link("positions", phrase="1 7 4 7", size="2.5", sum_first="6")
    shown = matrices(app, "positions.sum")
    table = (
        load(SHIPPED / "copy.safetensors")
        .model.get_submodule("src_embed.0.lut")
        .get_parameter("weight")
        .detach()
        .numpy()
    )
    np.testing.assert_allclose(shown["embeddings"], 2.5 * 8 * table[[1, 7, 4, 7], 6:22], rtol=1e-5)
    np.testing.assert_allclose(shown["code"], code(4, 64)[:, 6:22], atol=1e-6)
    np.testing.assert_allclose(shown["sum"], shown["embeddings"] + shown["code"], atol=1e-6)
    assert shown["cos_embeddings"][1, 3] == pytest.approx(1)
    assert shown["cos_sum"][1, 3] < 0.999
    assert shown["cos_code"].min() > 0
    assert panel(app, "positions.sum", "cos_code")["ends"] == [0, 1]


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


@pytest.mark.parametrize("src", ["0 0 0", "hello", "1 99"])
def test_text_that_is_no_sequence_gets_a_sentence_and_every_figure_stays(open_link: Open, src: str) -> None:
    app = open_link("positions", src=src, **ANSWERED)
    assert len(app.warning) == 1
    assert boards(app) == boards(open_link("positions", **ANSWERED))
    assert "positions.order" in boards(app)


def test_past_the_trained_length_the_shipped_model_fails_as_greedy_decoding_says(open_link: Open) -> None:
    exact = matrices(open_link("positions", **ANSWERED), "positions.beyond")["exact"][:, 0]
    model = load(SHIPPED / "copy.safetensors").model.eval()
    sequences = copy_sequences(11, 1000, 12, generator=torch.Generator().manual_seed(0))
    decoded = greedy_decode(model, sequences, padding_mask(sequences), 12)
    assert exact[3] == pytest.approx((decoded == sequences).all(1).float().mean().item(), abs=0.002)
    assert exact[:2].min() > 0.99  # lengths 9 and 10, in training
    assert exact[4] < 0.1  # length 13, which the question is about


def test_an_untrained_model_copies_nothing_at_any_length(open_link: Open) -> None:
    app = open_link("positions", model="fresh", lang="en", **ANSWERED)
    assert not matrices(app, "positions.beyond")["exact"].any()
    assert Words("positions", "en")("beyond.untrained") in said(app)


def test_the_numbers_past_the_trained_length_are_those_of_both_matrices(open_link: Open) -> None:
    app = open_link("positions", **ANSWERED)
    shown = matrices(app, "positions.beyond")
    (pills,) = [group for group in app.get("button_group") if group.key == "positions.beyond.caption"]
    pills.set_value("numbers").run()
    table = app.dataframe[0].value.to_numpy()
    assert table[:, 0].tolist() == [9, 10, 11, 12, 13, 14]
    np.testing.assert_allclose(table[:, 1:], np.hstack([shown["exact"], shown["tokens"]]), atol=1e-6)
