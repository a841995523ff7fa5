"""Which heads matter: each of them switched off in turn."""

from pathlib import Path

import pytest
import torch

from tests.core.build import unsettle
from transformer_core import PAD, START, Batch, EncoderDecoder, copy_sequences, greedy_decode, make_model
from transformer_core.experiments.ablation import Head, ablations, every_head, memory_of, scores_without
from transformer_core.experiments.interventions import head_off
from transformer_core.tasks import Letters
from transformer_core.tasks.batch import Pairs
from transformer_core.trace import intervene
from transformer_core.training.checkpoint import load

COPY, TRANSLATE = (
    Path(__file__).parents[2] / "assets" / "model" / file for file in ("copy.safetensors", "translate.safetensors")
)
TASK = Letters("sort", 5, 6, 2)


def untrained(norm_first: bool = True) -> EncoderDecoder:
    torch.manual_seed(0)
    model = make_model(len(TASK.source), len(TASK.target), N=2, d_model=12, d_ff=8, h=3, norm_first=norm_first)
    unsettle(model)
    return model.eval()


def log_probs(model: EncoderDecoder, batch: Batch) -> torch.Tensor:
    with torch.no_grad():
        out: torch.Tensor = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
    return out


def test_a_target_is_right_if_and_only_if_decoding_by_itself_writes_it() -> None:
    checkpoint = load(TRANSLATE)
    model, task = checkpoint.model, checkpoint.config.words
    assert task is not None
    pairs = task.held_out(60)
    batch, wrong = Batch(*pairs), 0
    for off in (Head("decoder.layers.0.self_attn", 3), Head("encoder.layers.0.self_attn", 3), None):
        found = scores_without(model, pairs, memory_of(model, pairs), off)
        with intervene(model, {} if off is None else head_off(*off)):
            said = greedy_decode(model, batch.src, batch.src_mask, pairs.tgt.size(1), START, task.target.end)
        for right, output, target in zip(found.right.tolist(), said.tolist(), pairs.tgt.tolist()):
            wanted = [token for token in target if token != PAD]  # the end symbol is its last
            assert right == (output[: len(wanted)] == wanted)
            wrong += not right
    assert 5 < wrong < 120  # there is something to tell apart


def test_so_it_is_where_a_target_has_no_end_symbol() -> None:
    model, longer = load(COPY).model, copy_sequences(11, 40, 12, generator=torch.Generator().manual_seed(0))
    pairs = Pairs(longer, longer)  # longer than it has learned: it makes mistakes
    right = scores_without(model, pairs, memory_of(model, pairs), None).right
    said = greedy_decode(model, longer, None, 12)
    assert right.tolist() == (said == longer).all(-1).tolist()
    assert right.any() != right.all()


def test_with_nothing_off_the_loss_is_that_of_the_model_and_padding_counts_for_nothing() -> None:
    model, pairs = untrained(), TASK.held_out(20)
    found, batch = scores_without(model, pairs, memory_of(model, pairs), None), Batch(*pairs)
    by_token = log_probs(model, batch).double()
    for row, answer in enumerate(batch.tgt_y.tolist()):
        expected = -sum(float(by_token[row, at, token]) for at, token in enumerate(answer) if token != PAD)
        assert float(found.losses[row]) == pytest.approx(expected, rel=1e-5)
    assert int(found.tokens.sum()) == batch.ntokens
    assert found.loss == pytest.approx(float(found.losses.sum()) / batch.ntokens)
    assert found.exact_match == int(found.right.sum()) / 20


@pytest.mark.parametrize("norm_first", [True, False])
def test_each_head_in_turn_gives_what_the_whole_model_gives_without_its_columns_of_w_o(norm_first: bool) -> None:
    model, pairs = untrained(norm_first), TASK.held_out(12)
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    found = dict(ablations(model, pairs))
    assert list(found) == [None, *every_head(model)]
    assert all(torch.equal(weight, before[name]) for name, weight in model.state_dict().items())
    for off, scores in found.items():
        model.load_state_dict(before)
        if off is not None:
            with torch.no_grad():
                model.get_submodule(f"{off.attention}.linears.3").get_parameter("weight")[
                    :, 4 * off.head : 4 * off.head + 4
                ] = 0
        expected = scores_without(model, pairs, memory_of(model, pairs), None)
        torch.testing.assert_close(scores.losses, expected.losses, rtol=1e-4, atol=1e-4)
    assert len({round(scores.loss, 4) for scores in found.values()}) > 10  # and no two heads are the same


def test_all_heads_are_named_once() -> None:
    heads = every_head(untrained())
    assert len(set(heads)) == 3 * 2 * 3
    assert heads[0] == Head("encoder.layers.0.self_attn", 0)
    assert heads[-1] == Head("decoder.layers.1.src_attn", 2)


def test_a_head_that_is_not_there_is_refused() -> None:
    model, pairs = untrained(), Pairs(*(side[:2] for side in TASK.held_out(2)))
    with pytest.raises(ValueError, match="no head 3 among 3"):
        scores_without(model, pairs, memory_of(model, pairs), Head("decoder.layers.0.src_attn", 3))
    with pytest.raises(ValueError, match="no module has tapped"):
        scores_without(model, pairs, memory_of(model, pairs), Head("decoder.layers.2.src_attn", 0))
