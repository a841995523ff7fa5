"""Embeddings and generator may share one matrix (paper, section 3.4): in memory, in the file and in the count."""

import io
from dataclasses import replace
from typing import Any

import pytest
import safetensors.torch
import torch
from torch import Tensor

from tests.core.build import D_FF, D_MODEL, HEADS, MAX_LEN, N, small_batch
from transformer_core import EncoderDecoder, load_any, make_model, record
from transformer_core.backward import covers
from transformer_core.experiments.parameter_count import PAPER, per_block
from transformer_core.training.checkpoint import load, to_bytes
from transformer_core.training.config import ConfigError, TrainConfig
from transformer_core.training.models import fresh_model
from transformer_core.training.run import TrainingRun
from transformer_core.training.state_dict import Imported

VOCAB = 23
NAMES = ("src_embed.0.lut.weight", "tgt_embed.0.lut.weight", "generator.proj.weight")


def model(tied: bool) -> EncoderDecoder:
    torch.manual_seed(0)
    return make_model(VOCAB, VOCAB, N, D_MODEL, D_FF, HEADS, max_len=MAX_LEN, tied=tied).eval()


def written(one: EncoderDecoder) -> bytes:
    file = io.BytesIO()
    torch.save({name: value for name, value in one.state_dict().items() if not name.endswith("pe")}, file)
    return file.getvalue()


def test_three_names_are_one_matrix() -> None:
    state = model(tied=True).state_dict()
    assert len({state[name].data_ptr() for name in NAMES}) == 1
    assert state.keys() == model(tied=False).state_dict().keys()


def test_two_matrices_less_are_counted_and_written() -> None:
    one, three = model(tied=True), model(tied=False)
    less = sum(each.numel() for each in three.parameters()) - sum(each.numel() for each in one.parameters())
    assert less == 2 * VOCAB * D_MODEL
    assert sum(per_block(one).values()) == sum(per_block(three).values()) - less
    assert per_block(one)["generator"] == VOCAB  # its bias
    assert abs(len(written(three)) - len(written(one)) - 4 * less) < 1000  # bytes of names


def test_the_sum_of_the_gradients_on_all_sides_is_the_one_of_the_matrix() -> None:
    batch, one, three = small_batch(torch.Generator().manual_seed(0)), model(tied=True), model(tied=False)
    three.load_state_dict(one.state_dict())
    for each in (one, three):
        each.generator(each(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)).square().sum().backward()
    grads = [three.get_parameter(name).grad for name in NAMES]
    torch.testing.assert_close(one.get_parameter(NAMES[0]).grad, sum(grads), rtol=1e-4, atol=1e-2)
    assert not covers(one)
    assert covers(three)


def reopened(one: EncoderDecoder, kind: str) -> Any:
    if kind == "torch.save":
        return load_any(written(one), HEADS)
    state: dict[str, Tensor] = {name: value for name, value in one.state_dict().items() if name not in NAMES[1:]}
    return load_any(safetensors.torch.save(state, dict.fromkeys(NAMES[1:], NAMES[0])), HEADS)


@pytest.mark.parametrize("kind", ["torch.save", "safetensors"])
def test_a_file_of_a_shared_matrix_is_opened_as_one(kind: str) -> None:
    one, batch = model(tied=True), small_batch(torch.Generator().manual_seed(0))
    opened = reopened(one, kind)
    assert isinstance(opened, Imported)
    assert opened.config.parameters == sum(each.numel() for each in opened.model.parameters())
    assert opened.config.parameters == sum(each.numel() for each in one.parameters())
    given = batch.src, batch.tgt, batch.src_mask, batch.tgt_mask
    with torch.no_grad(), record(opened.model):
        torch.testing.assert_close(opened.model(*given), one(*given))
    apart = load_any(written(model(tied=False)), HEADS)
    assert isinstance(apart, Imported)
    assert not apart.config.shape.tied


def test_the_papers_base_model_has_the_number_of_parameters_that_it_states() -> None:
    sizes = PAPER["base"]
    with torch.device("meta"):
        base = make_model(
            37_000, 37_000, sizes.N, sizes.d_model, sizes.d_ff, sizes.h, norm_first=False, max_len=1, tied=True
        )
    assert sum(each.numel() for each in base.parameters()) == pytest.approx(sizes.stated, rel=0.03)


def test_vocabularies_of_two_sizes_share_no_matrix() -> None:
    with pytest.raises(ValueError, match="no room for 11 tokens of the source and 13 of the target"):
        make_model(11, 13, tied=True)


RUN = TrainConfig(N=1, d_model=12, h=3, d_ff=20, vocab=9, length=7, batch=5, steps=4, tied=True)


def test_a_run_trains_one_matrix_and_its_file_gives_it_back() -> None:
    assert RUN.parameters == sum(each.numel() for each in fresh_model(RUN).parameters())
    assert replace(RUN, tied=False).parameters - RUN.parameters == 2 * RUN.vocab * RUN.d_model
    run = TrainingRun(RUN)
    for _ in range(RUN.steps):
        run.update()
    before, after = (each.get_parameter(NAMES[0]) for each in (fresh_model(RUN), run.model))
    assert not torch.equal(before, after)
    found = load(to_bytes(run.model, RUN, RUN.steps))
    assert found.config == RUN
    assert len({found.model.get_parameter(name).data_ptr() for name in NAMES}) == 1
    assert torch.equal(found.model.get_parameter(NAMES[2]), after)


def test_a_run_of_two_vocabularies_is_refused_and_one_of_both_directions_is_not() -> None:
    assert TrainConfig.of_task("translate", "both", tied=True).shape.tied
    with pytest.raises(ConfigError, match="different tokens") as refusal:
        TrainConfig.of_task("translate", "en-zh", tied=True)
    assert refusal.value.reason == "tied"
