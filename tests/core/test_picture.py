"""Recorded values as figures of Plotly: their numbers, in their places, under the tokens' names."""

from typing import Any

import numpy as np
import pytest
import torch

from tests.core.build import BATCH, D_MODEL, HEADS, SRC_VOCAB, S, T, small_batch, small_model
from transformer_core import explain, record

PATH = "decoder.layers.1.src_attn.weights"


@pytest.fixture
def run() -> Any:
    model, batch = small_model(), small_batch(torch.Generator().manual_seed(0))
    names = [f"w{token}" for token in range(SRC_VOCAB)]
    explanation = explain(model, batch.src, batch.tgt, source_names=names)
    with torch.no_grad(), record(model) as trace:
        model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
    return trace, explanation


def test_every_head_is_a_matrix_with_its_own_numbers(run: Any) -> None:
    trace, _ = run
    drawn = trace.heatmap(PATH, sequence=1).data
    assert len(drawn) == HEADS
    for head, one in enumerate(drawn):
        assert one.type == "heatmap"
        np.testing.assert_allclose(one.z, trace[PATH][1, head], rtol=1e-6)
    (alone,) = trace.heatmap(PATH, head=1).data
    np.testing.assert_allclose(alone.z, trace[PATH][0, 1], rtol=1e-6)


def test_vectors_are_one_matrix_with_a_scale_around_zero(run: Any) -> None:
    trace, _ = run
    figure = trace.heatmap("encoder.output")
    (drawn,) = figure.data
    assert drawn.z.shape == (S, D_MODEL)
    scale = figure.layout.coloraxis
    assert scale.cmin == -scale.cmax
    assert scale.cmax == pytest.approx(np.abs(drawn.z).max())
    shares = trace.heatmap(PATH).layout.coloraxis
    assert (shares.cmin, shares.cmax) == (0, 1)


def test_the_tokens_stand_at_the_rows_and_columns_and_what_is_blocked_is_blank(run: Any) -> None:
    _, explanation = run
    figure = explanation.heatmap(PATH, sequence=1)
    assert list(figure.layout.xaxis.ticktext) == explanation.tokens("encoder", 1)
    assert list(figure.layout.yaxis.ticktext) == explanation.tokens("decoder", 1)
    own = "decoder.layers.0.self_attn.scores"
    (drawn,) = explanation.heatmap(own, head=0).data
    assert np.isnan(drawn.z[np.triu_indices(T, 1)]).all()
    np.testing.assert_allclose(drawn.z[T - 1, 0], explanation.trace[own][0, 0, T - 1, 0], rtol=1e-6)
    assert list(explanation.heatmap("encoder.output").layout.yaxis.ticktext) == explanation.tokens("encoder")


def test_what_is_not_there_is_said_with_the_nearest_name(run: Any) -> None:
    trace, explanation = run
    for one in (trace, explanation):
        with pytest.raises(KeyError, match=r"nearest is decoder\.layers\.1\.src_attn\.weights"):
            one.heatmap("decoder.layers.1.src_attn.weight")
        with pytest.raises(ValueError, match=rf"counted from 0 to {BATCH - 1}"):
            one.heatmap(PATH, sequence=BATCH)
        with pytest.raises(ValueError, match=rf"has {HEADS} heads"):
            one.heatmap(PATH, head=HEADS)
        with pytest.raises(ValueError, match="has no heads"):
            one.heatmap("encoder.output", head=0)
