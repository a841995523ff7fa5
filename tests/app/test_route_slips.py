"""What the route calls a slip of the lecture notes, made once more with their lines: it does what the sentence says."""

import pytest
import torch
from torch import Tensor, nn

from transformer_core import DecoderLayer, MultiHeadedAttention, PositionwiseFeedForward, make_model, subsequent_mask
from transformer_core.dropout import Dropout
from transformer_core.notes.epoch import data_generator
from ui.settings.route import STEPS
from ui.text import LANGUAGES


def test_a_generator_in_forward_and_one_in_the_loss_do_not_fit() -> None:
    """Eight sequences of nine tokens, a width of 32: 72 rows of 11 log-probabilities meet a matrix for 32 numbers."""
    model = make_model(11, 11, 1, 32, 24, 4).eval()
    src, tgt = torch.randint(1, 11, (8, 10)), torch.randint(1, 11, (8, 9))
    once = model.generator(model(src, tgt, None, subsequent_mask(9)))
    with pytest.raises(RuntimeError, match="72x11 and 32x11"):
        model.generator.proj(once)
    with pytest.raises(ValueError, match="size 32, not 11"):
        model.generator(once)


def test_attention_keeps_its_own_dropout_where_none_is_handed_to_it() -> None:
    theirs = MultiHeadedAttention(8, 512)
    assert [part.p for part in theirs.modules() if isinstance(part, Dropout)] == [0.1]
    ours = make_model(11, 11, 1, 32, 24, 4, dropout=0.3)
    assert {part.p for part in ours.modules() if isinstance(part, Dropout)} == {0.3}


def test_keys_cut_by_the_length_of_the_queries_need_queries_as_long() -> None:
    def split(x: Tensor, of: Tensor) -> Tensor:
        return x.reshape(of.size(0), of.size(1), 4, 8)

    query, key = torch.zeros(2, 5, 32), torch.zeros(2, 7, 32)
    assert split(query, query).shape == (2, 5, 4, 8)
    with pytest.raises(RuntimeError, match="invalid for input of size"):
        split(key, query)
    assert MultiHeadedAttention(4, 32).eval()(query, key, key).shape == query.shape


def test_one_object_under_two_names_is_one_set_of_weights() -> None:
    def size(own: MultiHeadedAttention, cross: MultiHeadedAttention) -> int:
        layer = DecoderLayer(32, own, cross, PositionwiseFeedForward(32, 24), 0.0)
        return sum(parameter.numel() for parameter in layer.parameters())

    one, two = (MultiHeadedAttention(4, 32) for _ in range(2))
    assert size(one, two) - size(one, one) == sum(parameter.numel() for parameter in two.parameters())


def test_a_model_of_six_layers_is_a_tree_of_six() -> None:
    for N in (2, 6):
        model = make_model(11, 11, N, 32, 24, 4)
        assert [len(model.encoder.layers), len(model.decoder.layers)] == [N, N]


def test_a_vocabulary_of_eleven_draws_one_to_ten_in_batches_of_eight() -> None:
    batches = list(data_generator(11, 8, 20))
    drawn = torch.cat([batch.src[:, 1:] for batch in batches])
    assert (int(drawn.min()), int(drawn.max())) == (1, 10)
    assert len(batches) == 20
    assert {len(batch.src) for batch in batches} == {8}


def test_an_embedding_takes_numbers_of_tokens_and_reads_a_one_hot_vector_as_some() -> None:
    table = nn.Embedding(6, 4)
    hot = torch.nn.functional.one_hot(torch.tensor([5]), 6)
    assert table(torch.tensor([5])).shape == (1, 4)
    assert table(hot).shape == (1, 6, 4)  # rows 0 and 1, six of them
    with pytest.raises(RuntimeError, match="indices"):
        table(hot.float())


def test_the_logarithm_of_a_softmax_ends_where_log_softmax_does_not() -> None:
    logits = torch.tensor([0.0, 200.0])
    assert logits.softmax(0).log()[0] == -torch.inf
    assert logits.log_softmax(0)[0] == -200


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    "said",
    [
        "72 × 11", "32 × 11", "`dropout`", "`SelfAttention`", "`self_attn = src_attn", "`N = 6`", "`V = 11`", "one-hot",
        "d_model", "`log_softmax`",
    ],
)  # fmt: skip
def test_each_slip_is_a_sentence_of_the_route(said: str, lang: str) -> None:
    assert any(said in step.correction(lang) for step in STEPS)
