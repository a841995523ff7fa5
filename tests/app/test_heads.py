"""The chapter on all heads: the wall, and the head that is open."""

import numpy as np
import pytest
import torch

from tests.app.boards import chosen, matrices, sums
from tests.app.conftest import Open
from transformer_core import padding_mask, record, target_mask
from transformer_core.checkpoint import load
from ui.figures.arithmetic import number
from ui.session import SHIPPED
from ui.text import LANGUAGES

SRC, TGT = [1, 4, 2, 9, 6], [1, 7, 5, 3]
LINK = {"src": "1 4 2 9 6", "tgt": "1 7 5 3"}


def weights(path: str) -> np.ndarray:
    """(heads, T, S), computed here."""
    model = load(SHIPPED).model.eval()
    src, tgt = torch.tensor([SRC]), torch.tensor([TGT[:-1]])
    with torch.no_grad(), record(model) as trace:
        model(src, tgt, padding_mask(src), target_mask(tgt))
    value: np.ndarray = trace[f"{path}.weights"][0].numpy()
    return value


def test_the_wall_has_every_head_of_every_layer_and_kind(open_link: Open) -> None:
    shown = matrices(open_link("heads", **LINK), "heads.wall")
    config = load(SHIPPED).config
    assert len(shown) == 3 * config.N * config.h
    for head in range(config.h):
        np.testing.assert_allclose(shown[f"cross.1.{head}"], weights("decoder.layers.1.src_attn")[head], atol=1e-6)
        np.testing.assert_allclose(shown[f"encoder.0.{head}"], weights("encoder.layers.0.self_attn")[head], atol=1e-6)


def test_the_head_of_the_chosen_cell_is_open_with_its_sum(open_link: Open) -> None:
    app = open_link("heads", cell="decoder.1.3.2.1", opened="weights.2.1", **LINK)
    expected = weights("decoder.layers.1.self_attn")[3]
    np.testing.assert_allclose(matrices(app, "heads.open")["weights"], expected, atol=1e-6)
    assert chosen(app, "heads.open") == ["weights", 2, 1]
    assert sums(app)[0].endswith(f"= {number(float(expected[2, 1]))}")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_scores_and_weights_of_the_notes_model_open_in_both_languages(open_link: Open, lang: str) -> None:
    for shown in ("weights", "scores"):
        assert not open_link("heads", lang=lang, shown=shown, model="notes", **LINK).exception


@pytest.mark.parametrize("cell", ["cross.7.0.1.1", "sideways.0.0.1.1", "cross.0.0.99.99", "cross.0.0.1", ""])
def test_a_cell_of_no_head_opens_the_first_one(open_link: Open, cell: str) -> None:
    app = open_link("heads", cell=cell, **LINK)
    assert not app.exception
    assert matrices(app, "heads.open")["weights"].shape in [(5, 5), (3, 5)]
