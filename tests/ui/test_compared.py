"""What the model at hand is compared with, and the places of its matrices."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from transformer_core.attention import BLOCKED
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model
from ui.chapters.shared.difference.board import Pair
from ui.chapters.shared.tensors import TensorPlace, catalogue, nearest, place
from ui.model.current_model import compared, model_at_hand
from ui.model.recorded import forward, recorded
from ui.model.run_link import run_text
from ui.settings.frame import BREAKS, Frame

SRC, TGT = (1, 4, 2, 7), (1, 4, 2)


def test_nothing_is_compared_unless_the_frame_says_so() -> None:
    frame = Frame()
    assert compared(frame, model_at_hand(frame)) is None


def test_before_training_the_settings_and_the_seed_are_the_same() -> None:
    frame = Frame(model="translate", compare="untrained")
    at_hand = model_at_hand(frame)
    other = compared(frame, at_hand)
    assert other is not None
    assert (other.config, other.step, other.seed) == (at_hand.config, 0, at_hand.seed)
    begun = fresh_model(at_hand.run).state_dict()
    assert all(torch.equal(value, begun[name]) for name, value in other.load().state_dict().items())


@pytest.mark.parametrize("how", BREAKS)
def test_a_broken_model_shares_its_weights_and_leaves_the_whole_one_as_it_is(how: str) -> None:
    frame = Frame(compare=how)
    at_hand = model_at_hand(frame)
    before = recorded(at_hand, SRC, TGT)["decoder.output"]
    other = compared(frame, at_hand)
    assert other is not None
    mine, theirs = (dict(one.load().named_parameters()) for one in (at_hand, other))
    assert all(value.data_ptr() == theirs[name].data_ptr() for name, value in mine.items())
    assert not torch.equal(recorded(other, SRC, TGT)["decoder.output"], before)
    assert torch.equal(forward(at_hand.load(), SRC, TGT)[1]["decoder.output"], before)


def test_the_step_that_is_at_hand_is_the_same_model_and_beyond_the_last_is_the_last() -> None:
    at_hand = model_at_hand(Frame())
    assert at_hand.step is not None
    for step in (at_hand.step, 100_000):
        assert compared(Frame(compare="step", other_step=step), at_hand) == at_hand


def test_another_run_is_had_at_its_step_and_a_run_that_cannot_be_trained_is_trouble() -> None:
    at_hand, config = model_at_hand(Frame()), TrainConfig(d_model=16, h=2, steps=4, seed=3)
    other = compared(Frame(compare="run", other=run_text(config), other_step=2), at_hand, 300.0)
    assert other is not None
    assert (other.config, other.step, other.trouble) == (config, 2, "")
    for text in ("d_model:0", "h:x", '"', 'architecture:"rnn"'):
        lost = compared(Frame(compare="run", other=text), at_hand)
        assert lost is not None
        assert lost.trouble == "config"


@pytest.mark.parametrize("form", [True, False])
def test_every_value_and_parameter_has_a_place_of_its_own(form: bool) -> None:
    model = fresh_model(TrainConfig(N=2, d_model=16, h=2, norm_first=form)).eval()
    names = [*forward(model, SRC, TGT)[1], *dict(model.named_parameters())]
    found = catalogue(names)
    assert list(found.values()) == names
    assert all(nearest(list(found), place(name)) == place(name) for name in names)


def test_a_matrix_that_is_not_there_gives_the_nearest_that_is() -> None:
    places = [place(name) for name in ("src_embed.0.rows", "encoder.layers.0.self_attn.query", "encoder.output")]
    assert nearest(places, place("encoder.layers.5.self_attn.query")) == places[1]
    for nonsense in ("", "x", "encoder.layers.9.sublayer.x.sum", "encoder.layers.0.sublayer.7.sum", "....", "é" * 100):
        assert nearest(places, place(nonsense)) in places


def test_what_the_mask_blocks_in_both_is_no_difference_and_in_one_only_among_weights() -> None:
    scores_a, scores_b = np.array([[1.0, BLOCKED], [2.0, 3.0]]), np.array([[1.5, 5.0], [2.0, BLOCKED]])
    where = TensorPlace("decoder", "0", "self_attn", "masked")
    both = Pair.of(where, scores_a, scores_b, scores_a, scores_b)
    assert both.left_out is not None
    assert both.left_out.tolist() == [[False, True], [False, True]]
    assert (both.largest, both.at, both.mean) == (0.5, (0, 0), 0.25)
    weights_a, weights_b = np.array([[1.0, 0.0], [0.3, 0.7]]), np.array([[0.1, 0.9], [1.0, 0.0]])
    both = Pair.of(where._replace(what="weights"), weights_a, weights_b, scores_a, scores_b)
    assert both.largest == pytest.approx(0.9)
    assert both.left_out is not None
    assert not both.left_out.any()


def test_models_that_are_compared_are_kept_apart() -> None:
    at_hand = model_at_hand(Frame())
    broken = replace(at_hand, how="scale")
    first, second = (recorded(one, SRC, TGT)["encoder.layers.0.self_attn.scores"] for one in (at_hand, broken))
    torch.testing.assert_close(first * 4, second)  # d_k = 16
