"""Learned positions: a plain `nn.Embedding` that is added, a table that ends, and rows that only training changes."""

from dataclasses import replace
from typing import cast

import pytest
import torch
from torch import nn

from tests.core.build import assert_within
from transformer_core import EncoderDecoder, LearnedPositions, PositionalEncoding, make_model, record
from transformer_core.backward import covers
from transformer_core.copies import twin
from transformer_core.decoding.cache import CachedDecoder
from transformer_core.exercises.faults.reading import without_positions
from transformer_core.masks import padding_mask, target_mask
from transformer_core.training.checkpoint import load, to_bytes
from transformer_core.training.config import ConfigError, TrainConfig
from transformer_core.training.models import fresh_model
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.run import TrainingRun
from transformer_core.training.settings import POSITION_ROWS
from transformer_core.training.state_dict import Imported, load_any
from ui.run_limits import check_drawn

SRC, TGT = torch.tensor([[1, 5, 2, 6, 3], [1, 4, 4, 0, 0]]), torch.tensor([[1, 7, 3, 8], [1, 2, 0, 0]])
SMALL = TrainConfig(N=2, d_model=12, h=3, d_ff=20, vocab=9, length=7, batch=5, steps=6, learned_positions=True)


def model_of(max_len: int = 9) -> EncoderDecoder:
    torch.manual_seed(3)
    model = make_model(7, 11, N=2, d_model=12, d_ff=10, h=3, dropout=0.0, max_len=max_len, learned_positions=True)
    return model.eval()


def tables(model: EncoderDecoder) -> list[torch.Tensor]:
    sides = (cast(nn.Sequential, side)[1] for side in (model.src_embed, model.tgt_embed))
    return [cast(LearnedPositions, side).lut.weight.detach() for side in sides]


def test_it_is_a_plain_embedding_of_the_positions_that_is_added() -> None:
    positions, theirs = LearnedPositions(6, dropout=0.3, max_len=9).eval(), nn.Embedding(9, 6)
    theirs.load_state_dict(positions.lut.state_dict())
    x = torch.randn(2, 4, 6)
    with record(positions) as trace:
        found = positions(x, first=3)
    assert torch.equal(found, x + theirs(torch.arange(3, 7)))
    assert trace["code"].shape == (1, 4, 6)
    assert torch.equal(trace["output"], found)


def test_gradients_are_those_of_the_plain_embedding() -> None:
    positions, theirs = LearnedPositions(6, dropout=0.0, max_len=9), nn.Embedding(9, 6)
    theirs.load_state_dict(positions.lut.state_dict())
    x, weights = torch.randn(2, 4, 6), torch.randn(2, 4, 6)
    for added in (positions(x), x + theirs(torch.arange(4))):
        (added * weights).sum().backward()
    assert positions.lut.weight.grad is not None
    assert theirs.weight.grad is not None
    assert_within(positions.lut.weight.grad, theirs.weight.grad, 1e-6)
    assert not positions.lut.weight.grad[4:].any()


def test_its_values_have_the_names_that_the_sinusoids_have() -> None:
    sinusoids = make_model(7, 11, 2, 12, 10, 3, 0.0, max_len=9)
    names = []
    for model in (model_of(), sinusoids):
        with torch.no_grad(), record(model) as trace:
            model.generator(model(SRC, TGT, padding_mask(SRC), target_mask(TGT)))
        names.append({path: value.shape for path, value in trace.items()})
    assert names[0] == names[1]


def test_sinusoids_stay_the_default() -> None:
    model = make_model(7, 11, 1, 12, 10, 3)
    assert isinstance(cast(nn.Sequential, model.src_embed)[1], PositionalEncoding)
    assert TrainConfig().learned_positions is False


def test_each_side_has_a_table_of_its_own() -> None:
    source, target = tables(model_of())
    assert source.shape == target.shape == (9, 12)
    assert source.data_ptr() != target.data_ptr()


def test_beyond_its_last_row_there_is_nothing_to_add() -> None:
    positions = LearnedPositions(6, dropout=0.0, max_len=9)
    positions(torch.zeros(2, 9, 6))
    with pytest.raises(ValueError, match="ends with position 8, before 9"):
        positions(torch.zeros(2, 10, 6))
    with pytest.raises(ValueError, match="ends with position 8, before 11"):
        positions(torch.zeros(2, 4, 6), first=8)


@pytest.mark.parametrize("shape", [(2, 4, 5), (6,)])
def test_vectors_of_another_size_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="have size 6"):
        LearnedPositions(6, dropout=0.0, max_len=9)(torch.zeros(shape))


@pytest.mark.parametrize(("d_model", "max_len"), [(0, 4), (6, 0)])
def test_a_table_without_rows_or_columns_is_refused(d_model: int, max_len: int) -> None:
    with pytest.raises(ValueError, match="at least one row and one column"):
        LearnedPositions(d_model, 0.0, max_len)


def test_positions_cannot_be_learned_and_left_out() -> None:
    with pytest.raises(ValueError, match="learned and left out"):
        make_model(7, 11, 1, 12, 10, 3, positions=False, learned_positions=True)
    with pytest.raises(ConfigError) as refusal:
        TrainConfig(positions=False, learned_positions=True)
    assert refusal.value.reason == "no_positions"


def test_the_cache_adds_the_row_of_the_token_that_is_new() -> None:
    model, tokens = model_of(), torch.tensor([[1, 7, 3, 8], [1, 2, 5, 6]])
    with torch.no_grad():
        memory = model.encode(SRC, padding_mask(SRC))
        cached = CachedDecoder(model, memory, padding_mask(SRC))
        for length in range(1, tokens.size(1) + 1):
            step = cached.next(tokens[:, length - 1])
        whole = model.generator(model.decode(memory, padding_mask(SRC), tokens, target_mask(tokens)))[:, -1]
    assert_within(step, whole, 1e-5)


def test_a_fault_that_leaves_positions_out_leaves_the_model_as_it_was() -> None:
    model = model_of()
    faulty, before = twin(model), [table.clone() for table in tables(model)]
    without_positions(faulty, lambda name, count: 0)
    assert all(not table.any() for table in tables(faulty))
    assert all(torch.equal(now, then) for now, then in zip(tables(model), before, strict=True))


@pytest.mark.parametrize("min_length", [None, 3])
@pytest.mark.parametrize("seed", [0, 4])
def test_training_changes_the_rows_of_the_positions_that_it_has_read_and_no_other(
    seed: int, min_length: int | None
) -> None:
    config = replace(SMALL, seed=seed, min_length=min_length)
    run = TrainingRun(config)
    for _ in run.work():
        pass
    for side, (before, after) in enumerate(zip(tables(fresh_model(config)), tables(run.model), strict=True)):
        read = config.length - side  # the decoder reads no last token
        assert (before != after).any(1).tolist() == [row < read for row in range(POSITION_ROWS)]


def test_a_run_by_hand_and_one_by_autograd_learn_the_same() -> None:
    """Over rows of several lengths, which sinusoids would let be packed two to a row."""
    config = replace(SMALL, min_length=3, batch=9)
    assert covers(fresh_model(config))
    found = []
    for by_hand in (True, False):
        run = TrainingRun(config)
        run.gradient.by_hand = by_hand
        for _ in run.work():
            pass
        found.append(tables(run.model))
    for one, other in zip(*found, strict=True):
        assert_within(one, other, 1e-4)


def test_the_number_of_parameters_counts_both_tables() -> None:
    config = SMALL
    assert config.parameters == sum(parameter.numel() for parameter in fresh_model(config).parameters())
    assert config.parameters - replace(config, learned_positions=False).parameters == 2 * POSITION_ROWS * 12


def test_tokens_and_positions_start_equally_large() -> None:
    config = TrainConfig(vocab=300, d_model=256, h=4, learned_positions=True)
    model = fresh_model(config)
    with torch.no_grad(), record(model) as trace:
        model.encode(torch.arange(64)[None], None)
    for path in ("src_embed.0.output", "src_embed.1.code"):
        assert trace[path].std().item() == pytest.approx(config.embedding_std, rel=0.05)


def test_a_saved_model_is_read_with_its_tables() -> None:
    model = fresh_model(SMALL).eval()
    read = load(to_bytes(model, SMALL, 0))
    assert read.config == SMALL
    assert all(torch.equal(*pair) for pair in zip(tables(model), tables(read.model), strict=True))


def test_a_state_dict_tells_how_many_positions_were_learned() -> None:
    model = model_of(max_len=13)
    found = load_any(model.state_dict(), h=3)
    assert isinstance(found, Imported)
    assert found.config.shape.position_rows == 13
    assert found.config.learned_positions
    with torch.no_grad():
        assert torch.equal(found.model(SRC, TGT, None, target_mask(TGT)), model(SRC, TGT, None, target_mask(TGT)))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"src_embed.1.lut.weight": torch.zeros(13)}, "tensor"),
        ({"src_embed.1.lut.weight": 7}, "tensor"),
        ({"tgt_embed.1.lut.weight": torch.zeros(12, 12)}, "shape"),
        ({"src_embed.1.lut.weight": torch.zeros(13, 10)}, "shape"),
        ({"src_embed.1.lut.weight": torch.full((13, 12), torch.nan)}, "values"),
    ],
)
def test_tables_that_do_not_fit_the_model_are_refused(change: dict[str, object], reason: str) -> None:
    with pytest.raises(NotAModel) as refusal:
        load_any(model_of(max_len=13).state_dict() | change, h=3)
    assert refusal.value.reason == reason


def test_a_table_that_is_missing_on_one_side_is_refused() -> None:
    state = dict(model_of().state_dict())
    del state["tgt_embed.1.lut.weight"]
    with pytest.raises(NotAModel) as refusal:
        load_any(state, h=3)
    assert refusal.value.reason == "missing"


def test_a_table_too_short_for_the_chapters_is_refused_only_where_it_would_be_drawn() -> None:
    with pytest.raises(NotAModel) as refusal:
        load_any(model_of(max_len=13).state_dict(), h=3, check=check_drawn)
    assert refusal.value.reason == "position_rows"
    assert refusal.value.values == {"rows": 13, "fewest": 64}
