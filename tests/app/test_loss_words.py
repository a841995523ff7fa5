"""The loss chapter with words: of a long vocabulary the tokens that matter, and the sum of the others."""

import numpy as np
import pytest
import torch

from tests.app import boards
from tests.app.conftest import Open, in_turn
from transformer_core import LabelSmoothing
from ui.model.recorded import forward
from ui.model.shipped import shipped as shipped_model
from ui.text import Words

FLOWERS = "I buy two red flowers every day"


@pytest.mark.parametrize("model", ["translate", "fresh_translate"])
@pytest.mark.parametrize("smoothing", ["0", "0.3"])
def test_the_columns_are_padding_the_answers_and_what_is_likely_and_the_last_one_is_the_rest(
    open_link: Open, model: str, smoothing: str
) -> None:
    app = open_link("loss", open="divergence", model=model, src=FLOWERS, asked_smoothing=smoothing)
    assert not app.exception
    names = boards.panel(app, "loss.divergence", "p")["labels"]["column"]
    answers = boards.panel(app, "loss.divergence", "p")["labels"]["row"]
    assert names[: len(answers) + 1] == ["⟨pad⟩", *answers]
    assert len(names) == 1 + len(answers) + 3 + 1
    shown = boards.matrices(app, "loss.divergence")
    np.testing.assert_allclose(shown["p"].sum(1), 1, atol=1e-5)
    np.testing.assert_allclose(shown["t"].sum(1), 1, atol=1e-5)
    np.testing.assert_allclose(shown["gradient"], shown["p"] - shown["t"], atol=1e-5)
    np.testing.assert_allclose(shown["kl"][:, 0], shown["terms"].sum(1), atol=1e-4)


def test_the_divergence_of_a_sentence_is_the_loss_of_its_pair(open_link: Open) -> None:
    shipped = shipped_model("translate")
    source, target = shipped.config.vocabularies
    src = source.sequence(source.read(FLOWERS))
    tgt = shipped.config.answer(src)
    assert tgt
    log_probs, _ = forward(shipped.model, tuple(src), tuple(tgt[:-1]))
    loss = LabelSmoothing(len(target), 0, 0.3)(log_probs[0], torch.tensor(tgt[1:]))
    app = open_link("loss", open="divergence", model="translate", src=FLOWERS, asked_smoothing="0.3")
    assert boards.matrices(app, "loss.divergence")["kl"].sum() == pytest.approx(float(loss), rel=1e-4)


@in_turn(("src", "known"), [(FLOWERS, True), ("flowers buy two", False)])
def test_without_an_answer_the_model_is_held_against_itself_which_is_said(
    open_link: Open, lang: str, src: str, known: bool
) -> None:
    app = open_link("loss", open="divergence", model="translate", src=src, lang=lang)
    assert not app.exception
    assert (Words("loss", lang)("no_answer") in boards.written(app)) is not known
    assert Words("loss", lang)("few", vocab=141, others=0).split("0")[0] in boards.written(app)


def test_numbers_are_all_drawn_without_a_rest(open_link: Open) -> None:
    app = open_link("loss", open="divergence", src="1 3 2")
    assert boards.panel(app, "loss.divergence", "p")["labels"]["column"] == list(map(str, range(11)))
