"""What the story of the loss says of its word is so: what it costs, its gradient, what one step does."""

import math

import numpy as np
import pytest
import torch

from tests.app.conftest import Open
from tests.app.telling import telling, told_anew
from transformer_core import padding_mask, target_mask
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model
from ui.chapters.loss.story import RATE, SHOWN, wrong_word
from ui.model.shipped import shipped

SRC, TARGET = (1, 3, 2, 5, 4), (1, 3, 2, 5, 4)


def test_the_word_is_the_first_that_is_wrong_and_one_step_does_what_autograd_says() -> None:
    config = TrainConfig()
    word = wrong_word(fresh_model(config).eval(), SRC, TARGET)
    assert word.before.argmax() != word.right == TARGET[word.at + 1]
    assert word.before.sum() == pytest.approx(1, abs=1e-5)
    again = fresh_model(config).eval()
    src, given = torch.tensor([SRC]), torch.tensor([TARGET[:-1]])
    chances = again.generator(again(src, given, padding_mask(src, 0), target_mask(given, 0)))[0]
    for at in range(word.at):
        assert chances[at].argmax() == TARGET[at + 1], "it is the first"
    torch.testing.assert_close(chances[word.at].exp().detach().numpy(), word.before, rtol=1e-4, atol=1e-6)
    optimizer = torch.optim.SGD(again.parameters(), lr=RATE)
    (-chances[word.at, word.right]).backward()
    optimizer.step()
    chances = again.generator(again(src, given, padding_mask(src, 0), target_mask(given, 0)))[0]
    np.testing.assert_allclose(chances[word.at].exp().detach().numpy(), word.after, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("model", ["trained", "translate", "fresh"])
def test_its_numbers_are_those_of_the_word(open_link: Open, monkeypatch: pytest.MonkeyPatch, model: str) -> None:
    _, _, scenes = telling("loss", open_link, monkeypatch, model=model, lang="en")
    said = {scene.name: told.said for scene, told, _ in scenes}
    p = float(str(said["guess"]["p"]).rstrip("%")) / 100
    assert float(str(said["price"]["loss"])) == pytest.approx(-math.log(p), rel=0.01)
    assert float(str(said["push"]["own"])) == pytest.approx(1 - p, abs=0.01)
    assert float(str(said["step"]["less"])) < float(str(said["step"]["loss"]))
    bars = [one for one in scenes[0][1].beats[-1].actors if one.name.startswith("bar ")]
    assert len(bars) == SHOWN


def test_the_shipped_model_is_left_as_it_was(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    before = [one.clone() for one in shipped("translate").model.parameters()]
    told_anew("loss", open_link, monkeypatch, model="translate", lang="en", scene="1")
    assert all(torch.equal(one, other) for one, other in zip(before, shipped("translate").model.parameters()))
