"""The programs under the figures of the chapter on layers compute the figures."""

from typing import Any

import numpy as np
import pytest
import torch

from tests.app.layers_values import SEQUENCES, at_hand, norm_values, run_snippet, trace
from transformer_core.depth import gradient_norms
from transformer_core.dropout import dropout_steps
from ui.labs import (
    layers_depth,
    layers_dropout,
    layers_init,
    layers_network,
    layers_norm,
    layers_places,
    layers_ratio,
    layers_residual,
)
from ui.labs.layers_places import Place


def recording() -> str:
    return layers_places.recording_snippet(at_hand(), SEQUENCES)


@pytest.mark.parametrize("formula", ["notes", "torch", "difference"])
def test_the_norm_snippet_computes_the_figure(formula: str) -> None:
    place = Place("encoder", 0, 1)
    snippet = layers_norm.norm_snippet(recording(), place, True, place.wrapper(at_hand().model).norm, formula)
    expected = layers_norm.output_of(norm_values(), formula)
    torch.testing.assert_close(run_snippet(snippet), expected, atol=1e-5, rtol=1e-4)


def test_the_network_snippet_computes_the_figure() -> None:
    order = [3, 0, 1, 2, 4]
    path, x = "encoder.layers.0.feed_forward", "encoder.layers.0.sublayer.1.norm.output"
    hidden = trace()[f"{path}.hidden"][0, order]
    names: dict[str, Any] = {}
    exec(layers_network.network_snippet(recording(), path, x, order), names)
    torch.testing.assert_close(names["shown"], hidden, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(names["before"], trace()[f"{path}.pre_activation"][0, order], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(names["out"], trace()[f"{path}.output"][0, order], atol=1e-5, rtol=1e-4)


def test_the_residual_snippets_compute_the_figures() -> None:
    path = "decoder.layers.1.sublayer.2"
    assert torch.equal(run_snippet(layers_residual.sum_snippet(recording(), path)), trace()[f"{path}.output"][0])
    stream = run_snippet(layers_residual.stream_snippet(recording(), "decoder"))
    assert stream.shape == (4, 7 + 6)
    torch.testing.assert_close(stream[:, 12], trace()[f"{path}.branch"][0].norm(dim=-1))
    torch.testing.assert_close(stream[:, 6], trace()[f"{path}.output"][0].norm(dim=-1))
    torch.testing.assert_close(stream[:, 0], trace()["tgt_embed.1.output"][0].norm(dim=-1))


def test_the_dropout_snippet_draws_the_same_numbers() -> None:
    x = trace()["encoder.layers.0.sublayer.0.branch"][0]
    expected = dropout_steps(x, 0.3, torch.Generator().manual_seed(8)).output
    torch.testing.assert_close(run_snippet(layers_dropout.dropout_snippet(recording(), 0.3, 8)), expected)


def test_the_mean_snippet_draws_the_same_numbers() -> None:
    value = trace()["encoder.layers.0.sublayer.0.branch"][0, 2, 9]
    draws = dropout_steps(value.expand(layers_dropout.DRAWS), 0.3, torch.Generator().manual_seed(8)).output
    shown = run_snippet(layers_dropout.mean_snippet(recording(), (2, 9), 0.3, 8))
    torch.testing.assert_close(shown[[0, 7, -1]], torch.stack([draws[0], draws[:8].mean(), draws.mean()]))


def test_the_ratio_snippet_measures_the_same_ratios() -> None:
    x = trace()["encoder.layers.0.sublayer.0.input"][0, 0]
    shown = run_snippet(layers_ratio.ratio_snippet(recording(), "encoder.layers.0.sublayer.0.input", [2, 5, 64]))
    assert shown.tolist() == pytest.approx([layers_ratio.ratio_of(x[:n]) for n in (2, 5, 64)])


def test_the_relu_snippet_computes_the_curves_points() -> None:
    shown = run_snippet(layers_network.relu_snippet(recording(), "encoder.layers.0.feed_forward", 3))
    before, hidden = (trace()[f"encoder.layers.0.feed_forward.{tap}"][0, 3] for tap in ("pre_activation", "hidden"))
    assert torch.equal(shown, torch.stack([before, hidden], dim=1))


def test_the_init_snippet_draws_the_same_numbers() -> None:
    shown = run_snippet(layers_init.init_snippet(30, 20, 5)).numpy()
    weights = layers_init.drawn(30, 20, 5)
    assert np.array_equal(shown[0], weights["xavier"])
    assert np.array_equal(shown[1], weights["default"])


def test_the_depth_snippet_computes_the_figure() -> None:
    pre, post = run_snippet(layers_depth.depth_snippet(2, "decoder", "default", 7))
    assert pre == gradient_norms(2, norm_first=True, init="default", seed=7).decoder
    assert post == gradient_norms(2, norm_first=False, init="default", seed=7).decoder


def test_the_snippet_of_all_depths_computes_both_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers_depth, "DEEPEST", 3)
    _, post = run_snippet(layers_depth.table_snippet("encoder", "xavier", 4))
    assert [len(row) for row in post] == [1, 2, 3]
    assert post[2] == gradient_norms(3, norm_first=False, seed=4).encoder
