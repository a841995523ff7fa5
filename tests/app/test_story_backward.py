"""What the story of the backward pass says, against the model's own gradients and a step of PyTorch's optimiser."""

import math

import numpy as np
import pytest
import torch

from tests.app.conftest import Open
from tests.app.telling import telling
from transformer_core.adamw import BETAS, EPS
from transformer_core.experiments.passing import a_layer, held_by, layer_gradients, reach
from transformer_core.experiments.updates import RATE
from ui.chapters.backward.story_values import BackwardStoryValues
from ui.chapters.shared.word_choice import early, given_right
from ui.figures.actors import Box, Line, Word
from ui.figures.number import number, percent
from ui.model.recorded import answer

READERS = [{"model": "translate"}, {"model": "trained"}, {"model": "fresh", "fresh": "7"}]


@pytest.mark.parametrize("link", READERS, ids=lambda link: link["model"])
def test_its_numbers_are_those_of_autograd_and_of_adamw(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, link: dict[str, str]
) -> None:
    page, v, _ = telling("backward", open_link, monkeypatch, **link)
    assert isinstance(v, BackwardStoryValues)
    target = answer(page.at_hand, v.src)
    at, model = len(target) - 3, early(page.at_hand, page.at_hand.load())
    assert page.at_hand.target.every[target[at + 1]] == v.right

    def loss() -> torch.Tensor:
        return -given_right(model, v.src, target[:-1])[at, target[at + 1]]

    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=BETAS, eps=EPS, weight_decay=0.0)
    before = loss()
    before.backward()
    assert v.loss[0] == pytest.approx(before.item(), rel=1e-4)
    assert math.exp(-before.item()) == pytest.approx(v.p, rel=1e-3)
    tables = model.get_parameter("src_embed.0.lut.weight").grad
    assert tables is not None
    assert int((tables.abs().sum(-1) > 0).sum()) == v.rows == len(set(v.src))
    optimizer.step()
    assert v.loss[2] == pytest.approx((loss() - before).item(), rel=0.02, abs=1e-4)


@pytest.mark.parametrize("link", READERS, ids=lambda link: link["model"])
def test_one_score_is_lifted_and_the_sum_hands_on_the_whole(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, link: dict[str, str]
) -> None:
    page, v, scenes = telling("backward", open_link, monkeypatch, **link)
    assert int((v.logits < 0).sum()) == 1
    assert page.at_hand.target.every[int(v.logits.argmin())] == v.right
    assert v.logits.sum() == pytest.approx(0.0, abs=1e-5)
    said = {scene.name: wide.said for scene, wide, _ in scenes}
    assert said["memory"]["most"] == v.sources[int(v.memory.argmax())]
    assert float(str(said["both"]["past"])) == pytest.approx(float(np.linalg.norm(v.past)), rel=0.01)
    assert v.loss[1] < 0
    assert (scenes[-1][1].words == "") == (v.loss[2] < 0)


@pytest.mark.parametrize("link", READERS, ids=lambda link: link["model"])
def test_a_bar_is_a_gradient_and_its_step_goes_the_other_way(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, link: dict[str, str]
) -> None:
    _, _, scenes = telling("backward", open_link, monkeypatch, **link)
    for told in scenes[0][1:]:
        actors = {actor.name: actor for actor in told.beats[-1].actors}
        base = actors["base"].y
        for rank in range(sum(name.startswith("bar ") for name in actors)):
            bar, step, said = (actors[f"{name} {rank}"] for name in ("bar", "step", "p−t"))
            assert isinstance(bar, Box)
            assert isinstance(step, Line)
            assert isinstance(said, Word)
            below = said.text.startswith("−")
            assert (bar.y >= base) == below == (said.y > base) == (step.to_y < base) == (rank == 0), said.text
            assert abs(step.to_y - step.y) == pytest.approx(bar.height, abs=1.0)


def test_why_something_arrives_is_measured(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, scenes = telling("backward", open_link, monkeypatch, model="translate")
    said = {scene.name: wide.said for scene, wide, _ in scenes}
    kept, lost = (layer_gradients(6, "decoder", sums=sums).all for sums in (True, False))
    assert said["deep"] == {
        "factor": number(a_layer(lost), 2),
        "first": percent(lost[0] / lost[-1]),
        "kept": number(kept[0] / kept[-1], 2),
        "layers": 6,
    }
    assert lost[0] < lost[-1] < kept[-1] * 20
    assert said["soft"] == {
        "divided": percent(1 - held_by(reach(64, scale=True).queries, 0.5), 1),
        "plain": percent(1 - held_by(reach(64, scale=False).queries, 0.5), 1),
        "d_k": 64,
        "times": "8",
    }
