"""The chapter on masks: what stands in the place of a blocked score, and what the softmax makes of it."""

import math

import numpy as np
import pytest
import torch

from tests.app.answers import right
from tests.app.boards import boards, matrices, panel, written
from tests.app.conftest import Open
from transformer_core import padding_mask, record, target_mask
from transformer_core.training.checkpoint import load
from ui.chapters.masks.padding import batch, numbers
from ui.model.shipped import SHIPPED
from ui.text import LANGUAGES, Words

EN = Words("masks", "en")
ANSWERED = {"open": "fill"} | right("masks", "blank")


@pytest.mark.parametrize("which", [0, 1])
def test_the_notes_scores_have_the_printed_weights(open_link: Open, which: int) -> None:
    weights = matrices(open_link("masks", which=str(which), **ANSWERED), "masks.fill")["weights"]
    length = (2, 4)[which]
    printed = {
        0: [[0.9330, 0.0670], [0.1070, 0.8930]],
        1: [
            [0.0784, 0.5606, 0.1100, 0.2509], [0.0597, 0.1278, 0.6993, 0.1132],
            [0.2468, 0.1035, 0.5250, 0.1247], [0.0864, 0.1707, 0.5252, 0.2177],
        ],
    }  # fmt: skip
    np.testing.assert_allclose(weights[:length, :length], printed[which], atol=6e-5)
    assert (weights[:length, length:] == 0).all()
    assert np.isnan(weights[length:]).all()


@pytest.mark.parametrize(("fill", "row"), [("infinity", math.nan), ("billion", 0.2), ("lowest", 0.2)])
def test_a_fully_masked_row_is_nan_or_uniform(open_link: Open, fill: str, row: float) -> None:
    app = open_link("masks", fill_with=fill, which="0", **ANSWERED)
    np.testing.assert_allclose(matrices(app, "masks.fill")["weights"][2:], np.full((3, 5), row), rtol=1e-6)
    key = "outcome.nan" if math.isnan(row) else "outcome.uniform"
    assert EN(key, count=3, rows=5, share="0.2") in written(app)


@pytest.mark.parametrize(("fill", "key"), [("infinity", "outcome.nan"), ("lowest", "outcome.uniform")])
def test_a_single_key_that_is_blocked_is_not_called_open(open_link: Open, fill: str, key: str) -> None:
    link = {"lengths": "1", "width": "1", "which": "0", "fill_scores": "model", "fill_mask": "nothing"}
    assert EN(key, count=1, rows=1, share="1") in written(open_link("masks", fill_with=fill, **link, **ANSWERED))


def test_without_a_blank_row_every_fill_gives_the_same_weights(open_link: Open) -> None:
    shown = [
        matrices(open_link("masks", fill_with=fill, fill_mask="keys", **ANSWERED), "masks.fill")["weights"]
        for fill in ("infinity", "billion", "lowest")
    ]
    assert np.array_equal(shown[0], shown[1])
    assert np.array_equal(shown[0], shown[2])


def model_scores(tokens: torch.Tensor, head: int) -> torch.Tensor:
    model = load(SHIPPED / "copy.safetensors").model.eval()
    with torch.no_grad(), record(model) as trace:
        model(tokens, tokens, padding_mask(tokens), target_mask(tokens))
    return trace["decoder.layers.0.self_attn.scores"][0, head]


def test_the_models_own_scores_are_masked_as_its_own_attention_masks_them(open_link: Open) -> None:
    app = open_link("masks", fill_scores="model", fill_mask="both", fill_with="billion", head="2", **ANSWERED)
    tokens = batch(numbers(2, 5, 0), (2, 4), frozenset())[1:]
    scores = model_scores(tokens, 2)
    shown = matrices(app, "masks.fill")
    np.testing.assert_allclose(shown["scores"], scores, atol=1e-5)
    expected = scores.masked_fill(~target_mask(tokens)[0], -1e9).softmax(-1)
    np.testing.assert_allclose(shown["weights"], expected, atol=1e-6)


def test_the_weights_wait_for_the_prediction(open_link: Open) -> None:
    app = open_link("masks")
    assert set(matrices(app, "masks.fill")) == {"scores", "masked"}
    assert "masks.causality" not in boards(app)
    assert set(matrices(open_link("masks", **ANSWERED), "masks.fill")) == {"scores", "masked", "weights"}


def test_what_the_weights_mean_waits_for_the_prediction_too(open_link: Open) -> None:
    app = open_link("masks", open="fill")
    assert EN("fill.why") not in written(app)
    app.toggle(key="masks.blank.show").set_value(True).run()
    assert EN("fill.why") in written(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_newcomer_sees_the_scores_of_words_and_the_notes_scores_are_a_choice(open_link: Open, lang: str) -> None:
    link = {"model": "translate", "lang": lang, **ANSWERED}
    words = ["the", "young", "doctor", "does", "⟨pad⟩"]
    notes = Words("masks", lang)("fill.why_notes")
    for chosen, labels in (("auto", words), ("model", words), ("notes", ["0", "1", "2", "3", "4"])):
        app = open_link("masks", fill_scores=chosen, **link)
        assert panel(app, "masks.fill", "scores")["labels"]["column"] == labels
        assert (notes in written(app)) == (chosen == "notes")
    assert notes in written(open_link("masks", lang=lang, **ANSWERED))  # the model that copies numbers: their task
