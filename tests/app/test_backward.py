"""The chapter on the backward pass: every formula gives its gradient, and every stop has its words."""

from typing import Any

import pytest
import torch

from tests.app.conftest import Open
from transformer_core import EncoderDecoder, make_model
from transformer_core.tasks import Vocabulary
from ui.chapters.backward.board import board
from ui.chapters.backward.stops import route
from ui.chapters.backward.values import there_and_back
from ui.chapters.backward.weight import BETAS, EPS, RATE, moved, step_of
from ui.chapters.backward.weight import board as weight_board
from ui.chapters.shared.forward.stops import Stop
from ui.chapters.shared.forward.values import Values
from ui.figures.evaluated import furthest
from ui.text import Words, load

NAMES = Vocabulary.of_numbers(7), Vocabulary.of_numbers(9)
SRC, TARGET = (1, 5, 2, 6, 3), (1, 7, 3, 8)


def small_model(**how: Any) -> EncoderDecoder:
    torch.manual_seed(0)
    model = make_model(7, 9, N=2, d_model=12, d_ff=10, h=3, **how).eval()
    for name, weight in model.named_parameters():
        if name.endswith(("a_2", "b_2", "bias")):
            torch.nn.init.normal_(weight, std=0.5)
    return model


def law(stop: Stop, values: Values, model: EncoderDecoder) -> float:
    """How far the formulas of a stop are from its gradient, to the largest number in that."""
    off = furthest(board(stop, values, model, NAMES, Words("backward", "en")))
    assert off is not None
    return off / max(1.0, float(values[stop.path].abs().max()))


@pytest.mark.parametrize("scale", [True, False])
def test_the_formula_of_every_stop_gives_its_gradient_from_its_inputs(scale: bool) -> None:
    model = small_model(scale=scale)
    values = there_and_back(model, SRC, TARGET, 1)
    assert {stop.path: off for stop in route(model) if (off := law(stop, values, model)) > 1e-5} == {}


def test_the_route_leads_from_the_loss_to_all_that_is_learned_by_products() -> None:
    model = small_model()
    values, seen = there_and_back(model, SRC, TARGET, 1), set[str]()
    for stop in route(model):
        gradients = {path for path in stop.inputs if path.startswith("∂")}
        ready = {path for path in seen if values[path] is not None}
        same = {path for path in gradients if any(torch.equal(values[path], values[one]) for one in ready)}
        joined = {path for path in gradients if path.removesuffix(".joined") in ready}
        assert gradients <= ready | same | joined, f"{stop.path}: what it is made of was seen before"
        assert {stop.path, *stop.inputs} <= values.keys()
        seen.add(stop.path)
    tables = {f"∂{side}_embed.0.lut.weight" for side in ("src", "tgt")}
    assert tables <= seen


def test_every_stop_has_its_words() -> None:
    for stop in route(small_model()):
        assert {f"at.{stop.what}.title", f"at.{stop.what}.text"} <= set(load("backward"))


def test_only_the_wrong_word_counts_and_what_never_stood_there_learns_nothing() -> None:
    values = there_and_back(small_model(), SRC, TARGET, 1)
    logits = values["∂generator.logits"][0]
    assert logits[[0, 2]].abs().max() == 0
    assert logits[1].sum().abs() < 1e-6
    assert int(logits[1].argmin()) == int(values["right"]) == TARGET[2]
    table = values["∂src_embed.0.lut.weight"]
    assert table[[n for n in range(7) if n not in SRC]].abs().max() == 0
    assert (table[list(SRC)].abs().sum(-1) > 0).all()


def test_a_model_that_it_does_not_know_is_said(open_link: Open) -> None:
    app = open_link("backward", model="run", run="norm_first:false,steps:1", step="1", lang="en")
    assert not app.exception
    assert any("normalise before" in info.value for info in app.info)


def test_a_weights_gradient_is_its_parts_and_what_a_difference_measures_and_its_first_step_lowers_the_loss() -> None:
    name, values = "encoder.layers.1.feed_forward.w_1.weight", there_and_back(small_model(), SRC, TARGET, 1)
    out, into = divmod(int(values[f"∂{name}"].abs().argmax()), 12)
    gradient = float(values[f"∂{name}"][out, into])
    (stop,) = (stop for stop in route(small_model()) if stop.path == f"∂{name}")
    picture = weight_board(stop, values, NAMES, out, into, Words("backward", "en"))
    off = furthest(picture)
    assert off is not None
    assert off < 1e-6
    assert picture.panels[2].values.sum() == pytest.approx(gradient, rel=1e-4, abs=1e-8)
    found = moved(small_model(), SRC, TARGET, 1, name, out, into, gradient)
    assert found.difference == pytest.approx(gradient, rel=1e-3, abs=1e-8)
    assert found.foretold < 0
    assert found.measured == pytest.approx(found.foretold, rel=0.2)


def test_the_first_step_is_that_of_adamw() -> None:
    for gradient in (0.3, -2e-4):
        weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
        weight.grad = torch.tensor([gradient], dtype=torch.float64)
        torch.optim.AdamW([weight], lr=RATE, betas=BETAS, eps=EPS, weight_decay=0.0).step()
        assert step_of(gradient) == pytest.approx(float(weight.detach()), rel=1e-9)
