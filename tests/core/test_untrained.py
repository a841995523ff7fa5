"""What models say before any training."""

import torch

from transformer_core import greedy_decode, make_model
from transformer_core.experiments.untrained import Untrained, outputs_of_untrained

GIVEN = Untrained(src=(1, 4, 2, 6), start=3, vocab=9, N=1, d_model=12, d_ff=20, h=3)


def test_each_output_is_that_of_a_new_model_with_its_seed_and_torchs_own_stays() -> None:
    torch.manual_seed(5)
    expected = torch.rand(2)
    torch.manual_seed(5)
    outputs = outputs_of_untrained(GIVEN, range(7, 12))
    assert torch.equal(torch.rand(2), expected)
    assert outputs.shape == (5, 4)
    assert outputs[:, 0].eq(3).all()
    torch.manual_seed(9)
    model = make_model(9, 9, 1, 12, 20, 3).eval()
    alone = greedy_decode(model, torch.tensor([GIVEN.src]), torch.ones(1, 1, 4), 4, 3)[0]
    assert torch.equal(outputs[2], alone)
    assert len(outputs.unique(dim=0)) > 1
