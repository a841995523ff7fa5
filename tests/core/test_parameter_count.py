"""How many parameters a model has, and where they are."""

import pytest

from transformer_core import make_model
from transformer_core.experiments.parameter_count import PAPER, PAPER_VOCAB, of_the_paper, per_block, per_part


@pytest.mark.parametrize("norm_first", [True, False])
def test_every_parameter_belongs_to_one_block(norm_first: bool) -> None:
    model = make_model(7, 9, N=3, d_model=12, d_ff=20, h=2, norm_first=norm_first)
    counts = per_block(model)
    assert sum(counts.values()) == sum(weight.numel() for weight in model.parameters())
    assert per_part(model).keys() == {"embeddings", "encoder", "decoder", "generator"}
    assert sum(per_part(model).values()) == sum(counts.values())


def test_a_block_has_the_parameters_that_its_sizes_say() -> None:
    counts = per_block(make_model(7, 9, N=3, d_model=12, d_ff=20, h=2))
    attention, feed_forward, norm = 4 * (12 * 12 + 12), 12 * 20 + 20 + 20 * 12 + 12, 2 * 12
    assert counts == {
        "src_embed": 7 * 12,
        "encoder.self_attn": 3 * attention,
        "encoder.feed_forward": 3 * feed_forward,
        "encoder.norm": 3 * 2 * norm + norm,
        "tgt_embed": 9 * 12,
        "decoder.self_attn": 3 * attention,
        "decoder.src_attn": 3 * attention,
        "decoder.feed_forward": 3 * feed_forward,
        "decoder.norm": 3 * 3 * norm + norm,
        "generator": 9 * 12 + 9,
    }


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_models_have_about_as_many_parameters_as_it_states(name: str) -> None:
    counts = of_the_paper(name)
    assert sum(counts.values()) == pytest.approx(PAPER[name].stated, rel=0.04)
    assert counts["embeddings"] == PAPER_VOCAB * PAPER[name].d_model
    assert counts["decoder"] > counts["encoder"]
