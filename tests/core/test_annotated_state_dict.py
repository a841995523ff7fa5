"""A state dict of the Annotated Transformer loads unchanged, one of the notes renamed, and means what its formulas say.

The expected numbers are those of `transformer_core/verify/formulas.py`: NumPy, and nothing of the model in them.
"""

import numpy as np
import pytest
import torch

from transformer_core import from_notes_names
from transformer_core.verify.formulas import TGT_VOCAB, computed, empty_model, expected, notes_state, state_dict


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float64, 1e-12)])
def test_the_names_load_and_the_log_probabilities_are_those_of_the_formulas(
    dtype: torch.dtype, tolerance: float
) -> None:
    state = state_dict(np.random.default_rng(0))
    model = empty_model().to(dtype)
    model.load_state_dict({key: torch.tensor(value, dtype=dtype) for key, value in state.items()}, strict=True)

    of_the_formulas = expected(state)
    assert of_the_formulas.shape == (2, 4, TGT_VOCAB)
    assert np.ptp(of_the_formulas) > 1
    np.testing.assert_allclose(computed(model).numpy(), of_the_formulas, rtol=0, atol=tolerance)


def test_the_names_of_the_lecture_notes_code_load_through_one_mapping_alone() -> None:
    theirs = notes_state(state_dict(np.random.default_rng(1)))
    assert {"encoder.layers.1.feed_forward.w1.bias", "decoder.norm.a2", "generator.project.weight"} < set(theirs)
    model = empty_model().double()
    with pytest.raises(RuntimeError):
        model.load_state_dict(theirs)
    model.load_state_dict(from_notes_names(theirs), strict=True)


def test_the_names_and_shapes_are_exactly_these() -> None:
    state = state_dict(np.random.default_rng(0))
    assert {key: tuple(value.shape) for key, value in empty_model().state_dict().items()} == {
        key: value.shape for key, value in state.items()
    }


def test_printing_the_model_shows_the_whole_tree() -> None:
    tree = str(empty_model())
    for line in (
        "(encoder): Encoder(",
        "(self_attn): MultiHeadedAttention(",
        "(0-3): 4 x Linear(in_features=12, out_features=12, bias=True)",
        "(w_1): Linear(in_features=12, out_features=20, bias=True)",
        "(src_attn): MultiHeadedAttention(",
        "(norm): LayerNorm()",
        "(lut): Embedding(9, 12)",
        "(proj): Linear(in_features=12, out_features=8, bias=True)",
    ):
        assert line in tree
