"""Two sequences to a row: every token once, no sequence that sees another, and the same numbers."""

import pytest
import torch
from torch import Tensor

from transformer_core import Batch
from transformer_core.loss import LabelSmoothing
from transformer_core.model import EncoderDecoder, make_model
from transformer_core.tasks.batch import Pairs
from transformer_core.tasks.padding import pad_sequences, random_sequences
from transformer_core.tasks.vocabulary import PAD
from transformer_core.training.evaluation import log_probs_of, loss_of
from transformer_core.training.loss_gradient import LossGradient
from transformer_core.training.packing import Packed, packed
from transformer_core.training.vector import ParameterVector

VOCAB = 9
SOURCES, TARGETS = (2, 7, 1, 3, 4), (3, 8, 5, 2, 4)  # tokens of the sequences: an odd number of them, all different


def pairs_of(sources: tuple[int, ...] = SOURCES, targets: tuple[int, ...] = TARGETS) -> Pairs:
    generator = torch.Generator().manual_seed(0)
    return Pairs(*(pad_sequences(random_sequences(lengths, VOCAB, generator), 8) for lengths in (sources, targets)))


def model_of() -> EncoderDecoder:
    torch.manual_seed(0)
    return make_model(VOCAB, VOCAB, 2, 12, 10, 3, dropout=0.0, max_len=9).double()


def answered(batch: Batch, numbers: Tensor) -> list[list[float]]:
    """What stands where there is an answer, in an order that does not depend on the places."""
    return sorted(numbers[batch.tgt_y != PAD].tolist())


def test_two_of_five_sequences_share_each_row_and_the_middle_one_has_its_own() -> None:
    batch = Batch(*pairs_of())
    rows = Packed(batch)
    (a, b, c, d, e), (v, w, x, y, z) = ([one[one != PAD].tolist() for one in side] for side in (batch.src, batch.tgt_y))
    packed_sources, packed_answers = [[*b, *d], [*e, *a], [*c]], [[*w, *y], [*z, *v], [*x]]
    for side, expected in ((rows.src, packed_sources), (rows.tgt_y, packed_answers)):
        assert [one[one != PAD].tolist() for one in side] == expected
        assert side.size(1) == max(map(len, expected))
    assert rows.ntokens == batch.ntokens == int((rows.tgt_y != PAD).sum())


def test_every_token_with_an_answer_has_the_log_probabilities_that_it_had() -> None:
    batch, model = Batch(*pairs_of()), model_of()
    rows = Packed(batch)
    with torch.no_grad():
        ours, theirs = answered(rows, rows.log_probs(model)), answered(batch, log_probs_of(model, batch))
    torch.testing.assert_close(torch.tensor(ours), torch.tensor(theirs), rtol=0, atol=1e-12)


def test_loss_and_gradient_are_those_of_the_batch() -> None:
    batch, model = Batch(*pairs_of()), model_of()
    criterion, vector = LabelSmoothing(VOCAB, PAD, 0.0), ParameterVector(model)
    assert packed(batch) is not None
    loss = LossGradient(model, criterion, vector).of(batch)
    ours = vector.gradient.clone()
    theirs = loss_of(model, batch, criterion)
    vector.backward(theirs)
    assert loss == pytest.approx(theirs.item(), abs=1e-12)
    torch.testing.assert_close(ours, vector.gradient, rtol=0, atol=1e-12)


def test_no_sequence_sees_the_one_beside_it() -> None:
    pairs, model = pairs_of(), model_of()
    with torch.no_grad():
        before = Packed(Batch(*pairs)).log_probs(model)[0]
        for side in pairs:
            side[3] = torch.where(side[3] == PAD, PAD, 1 + side[3] % (VOCAB - 1))
        after = Packed(Batch(*pairs)).log_probs(model)[0]
    own = TARGETS[1] - 1
    torch.testing.assert_close(after[:own], before[:own], rtol=0, atol=1e-12)
    assert not torch.allclose(after[own], before[own])


@pytest.mark.parametrize(
    ("why", "batch"),
    [
        ("no padding", Batch(*pairs_of((8,) * 4, (8,) * 4))),
        ("two long ones in a row", Batch(*pairs_of((8, 8, 8, 8, 1, 1), (8, 8, 8, 8, 2, 2)))),
        ("answers are seen", Batch(*pairs_of(), look_ahead=False)),
    ],
)
def test_a_batch_stays_as_it_is_where_packing_does_not_pay(why: str, batch: Batch) -> None:
    assert packed(batch) is None, why
    assert packed(Batch(*pairs_of())) is not None
