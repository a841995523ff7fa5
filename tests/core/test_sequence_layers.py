"""The measured layers: they are what they are called, and what is counted of them follows laws."""

import time

import pytest
import torch

from transformer_core.experiments import sequence_layers
from transformer_core.experiments.sequence_layers import (
    LAYERS,
    FusedAttention,
    SelfAttention,
    build,
    measure,
    saved_bytes,
)

D, KERNEL = 6, 3


@pytest.mark.parametrize("name", LAYERS)
def test_every_layer_gives_as_many_vectors_as_it_is_given(name):
    assert build(name, D, KERNEL)(torch.randn(1, 7, D)).shape == (1, 7, D)


def test_fused_attention_computes_the_numbers_of_the_explicit_one():
    explicit, fused = SelfAttention(D).eval(), FusedAttention(D).eval()
    fused.load_state_dict(explicit.state_dict())
    x = torch.randn(1, 9, D)
    torch.testing.assert_close(fused(x), explicit(x))


def saved(name, n):
    return saved_bytes(build(name, D, KERNEL), torch.randn(1, n, D, requires_grad=True))


def test_explicit_attention_keeps_its_weights_for_the_backward_pass_and_no_other_layer_grows_as_fast():
    assert saved("explicit", 256) >= 4 * 256**2
    for name in ("fused", "recurrent", "convolution"):
        assert saved(name, 256) < 4 * 256**2
        assert saved(name, 256) <= 2.1 * saved(name, 128)


def test_a_convolution_keeps_its_input_and_nothing_else():
    assert saved("convolution", 50) == 4 * 50 * D


def test_the_weights_of_a_layer_are_not_counted():
    assert saved_bytes(build("explicit", 64), torch.randn(1, 1, 64, requires_grad=True)) < 4 * 64 * 64


class Waiting(torch.nn.Module):
    """Waits, as a process does while another one has the processor."""

    seconds = 0.05

    def forward(self, x):
        time.sleep(self.seconds)
        return x * 1


def test_what_others_take_of_the_processor_meanwhile_does_not_count(monkeypatch):
    monkeypatch.setattr(sequence_layers, "build", lambda *_: Waiting())
    monkeypatch.setattr(sequence_layers, "LAYERS", {"fused": "attention"})
    monkeypatch.setattr(sequence_layers, "SHORT", 3)
    (point,) = filter(None, measure(4, KERNEL, sizes=(3,), repeats=1))
    assert point.forward < Waiting.seconds


def test_points_come_one_by_one_with_moments_to_interrupt_between_them(monkeypatch):
    monkeypatch.setattr(sequence_layers, "SHORT", 10)
    work = list(measure(4, KERNEL, sizes=(3, 8), repeats=2))
    points = [point for point in work if point is not None]
    assert [(point.n, point.layer) for point in points] == [(n, name) for n in (3, 8) for name in LAYERS]
    assert len(work) == len(LAYERS) * (1 + 1 + 3) + len(LAYERS) * (1 + 1 + 2)
    assert all(point.forward > 0 and point.backward > 0 and point.saved > 0 for point in points)
