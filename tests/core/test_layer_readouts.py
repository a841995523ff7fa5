"""What a model would answer after each layer: the last one gives its own answer, and layers bring it nearer to that."""

from itertools import pairwise

import pytest
import torch

from transformer_core import Batch, make_model, record
from transformer_core.experiments.layer_readouts import layer_readouts
from transformer_core.tasks.batch import Pairs
from transformer_core.training.checkpoint import load


@pytest.mark.parametrize("norm_first", [True, False])
def test_after_the_last_layer_it_is_what_the_model_answers(norm_first: bool) -> None:
    torch.manual_seed(0)
    model = make_model(11, 9, 3, 16, 24, 4, 0.0, norm_first=norm_first).eval()
    batch = Batch(torch.randint(1, 11, (2, 7)), torch.randint(1, 9, (2, 6)))
    with torch.no_grad(), record(model) as trace:
        own = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
    found = layer_readouts(model, trace)
    assert found.shape == (4, 2, 5, 9)
    torch.testing.assert_close(found[-1], own)
    torch.testing.assert_close(found[0], model.generator(model.decoder.norm(model.tgt_embed(batch.tgt))))
    assert all((before - after).abs().max() > 1e-3 for before, after in pairwise(found))


@pytest.mark.parametrize("name", ["translate_deep", "spanish_deep"])
def test_each_of_three_layers_brings_more_words_to_their_last_answer(name: str) -> None:
    read = load(f"assets/model/{name}.safetensors")
    batch = Batch(*Pairs(*read.config.words.held_out(200)))
    with torch.no_grad(), record(read.model) as trace:
        read.model.generator(read.model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
    words = layer_readouts(read.model, trace).argmax(-1)[:, batch.tgt_y != 0]  # (4, n)
    right = (words == batch.tgt_y[batch.tgt_y != 0]).double().mean(-1).tolist()
    assert all(after > before + 0.05 for before, after in pairwise(right[:3])), right
    assert right[-1] > 0.99
    assert right[-2] < right[-1]
