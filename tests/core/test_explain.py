"""`explain` names what somebody else's model computes as `record` names what ours does."""

import threading
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.core.build import BATCH, D_MODEL, HEADS, SRC_VOCAB, TGT_VOCAB, N, S, T, small_batch, small_model
from tests.core.external import Theirs
from transformer_core import Explanation, explain, record, subsequent_mask
from transformer_core.external.attend import attention_trace, batch_first
from transformer_core.external.watch import watched
from transformer_core.verify.torch_model import TorchModel

pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor")  # what the builders of such models warn of

TOLERANCE = 1e-5
PAIRS = small_batch(torch.Generator().manual_seed(0))
OPTIONS: dict[str, dict[str, Any]] = {
    "length first": {},
    "batch first": {"batch_first": True},
    "pre-norm": {"norm_first": True, "batch_first": True},
    "gelu": {"activation": "gelu", "batch_first": True},
    "in place": {"activation": nn.ReLU(inplace=True)},
    "no biases": {"bias": False, "norm_first": True},
    "another activation": {"activation": torch.tanh},
}


def explained(model: nn.Module, **given: Any) -> Explanation:
    return explain(model, *_laid_out(model, PAIRS.src, PAIRS.tgt), **given)


def _laid_out(model: nn.Module, *ids: Tensor) -> tuple[Tensor, ...]:
    return tuple(each.T if getattr(model, "length_first", False) else each for each in ids)


@pytest.mark.parametrize("norm_first", [True, False], ids=["pre-norm", "post-norm"])
def test_our_weights_in_a_model_of_theirs_give_the_same_trace(norm_first: bool) -> None:
    ours = small_model(norm_first, norm=nn.LayerNorm)
    assert (PAIRS.src == 0).any()
    assert (PAIRS.tgt == 0).any()
    with record(ours) as expected:
        ours.generator(ours(PAIRS.src, PAIRS.tgt, PAIRS.src_mask, PAIRS.tgt_mask))
    found = explain(TorchModel(ours), PAIRS.src, PAIRS.tgt)
    assert found.trace.keys() == expected.keys()
    for name, value in expected.items():
        assert found.trace[name].shape == value.shape, name
        size = max(1.0, float(value[value > -1e8].abs().max()))
        torch.testing.assert_close(found.trace[name], value, rtol=0, atol=TOLERANCE * size, msg=name)
    assert max(found.differences.values()) < TOLERANCE
    assert {"decoder.layers.1.src_attn", "encoder.layers.0.sublayer.1"} < found.differences.keys()


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_the_heads_weights_are_those_that_the_module_returns_when_it_is_asked_for_them(options: dict[str, Any]) -> None:
    model = Theirs(**options)
    trace = explained(model).trace
    layer: Any = model.eval().transformer.decoder.layers[1]
    given, memory = trace["decoder.layers.1.sublayer.1.given"], trace["encoder.output"]
    if model.length_first:
        given, memory = given.transpose(0, 1), memory.transpose(0, 1)
    asked = {"key_padding_mask": PAIRS.src == 0, "average_attn_weights": False}
    _, expected = layer.multihead_attn(given, memory, memory, **asked)
    assert expected.shape == (BATCH, HEADS, T, S)
    torch.testing.assert_close(trace["decoder.layers.1.src_attn.weights"], expected, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_the_log_probabilities_are_the_models_own(options: dict[str, Any]) -> None:
    model = Theirs(**options)
    found = explained(model)
    with torch.enable_grad():  # without gradients PyTorch's fused layer leaves paddings out
        expected, _ = model.eval()(*_laid_out(model, PAIRS.src, PAIRS.tgt))
    if model.length_first:
        expected = expected.transpose(0, 1)
    assert found.log_probs.shape == (BATCH, T, TGT_VOCAB)
    torch.testing.assert_close(found.log_probs, expected.detach(), rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_tokens_and_what_was_added_to_them_are_found_in_either_layout(options: dict[str, Any]) -> None:
    model = Theirs(**options)
    found = explained(model)
    assert torch.equal(found.ids["encoder"], PAIRS.src)
    assert torch.equal(found.ids["decoder"], PAIRS.tgt)
    assert torch.equal(found.trace["src_embed.0.rows"], model.words(PAIRS.src))
    torch.testing.assert_close(found.trace["tgt_embed.1.code"], model.positions.code[:T].unsqueeze(0))
    hidden, before = (found.trace[f"encoder.layers.0.feed_forward.{step}"] for step in ("hidden", "pre_activation"))
    assert (before < 0).any()  # an activation in place has not written over it
    assert hidden.shape == before.shape


def test_a_model_of_ours_is_recorded() -> None:
    ours = small_model().train()
    found = explain(ours, PAIRS.src, PAIRS.tgt)
    assert ours.training
    with record(ours.eval()) as expected:
        ours.generator(ours(PAIRS.src, PAIRS.tgt, PAIRS.src_mask, PAIRS.tgt_mask))
    assert found.trace.keys() == expected.keys()
    assert all(torch.equal(found.trace[name], expected[name]) for name in expected)
    unmasked = explain(ours, PAIRS.src, PAIRS.tgt, run=lambda src, tgt: ours(src, tgt, None, None))
    assert unmasked.trace["decoder.layers.0.self_attn.weights"][..., 0, 1:].all()


def test_stacks_embeddings_and_output_can_be_given() -> None:
    """Bare stacks, one table for both sides, and an output that is no module: the table itself."""
    table = nn.Embedding(SRC_VOCAB, D_MODEL)
    layer = nn.TransformerEncoderLayer(D_MODEL, HEADS, batch_first=True)
    encoder, spare = nn.TransformerEncoder(layer, 1), nn.TransformerEncoder(layer, 1)
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(D_MODEL, HEADS, batch_first=True), 1)
    model, tokens = nn.ModuleList([spare, encoder, decoder, nn.Embedding(9, 9)]), torch.tensor([[3, 1, 2]])

    def run(source: Tensor, target: Tensor) -> None:
        decoder(table(target[:, :-1]), encoder(table(source)))

    found = explain(
        model,
        tokens,
        tokens,
        run=run,
        encoder=encoder,
        source_embedding=table,
        target_embedding=table,
        output=lambda out: out @ table.weight.T,
    )
    assert found.ids["encoder"].tolist() == [[3, 1, 2]]
    assert found.ids["decoder"].tolist() == [[3, 1]]  # what the decoder reads, not what the model was given
    expected = found.trace["decoder.output"] @ table.weight.detach().T
    torch.testing.assert_close(found.trace["generator.logits"], expected)
    assert "src_embed.1.code" not in found.trace  # nothing was added


def test_a_query_that_may_attend_to_nothing_has_no_weights() -> None:
    """As in `nn.MultiheadAttention`, whose output is then its bias."""
    model = Theirs(batch_first=True)
    tgt = PAIRS.tgt.clone()
    tgt[1, 0] = 0  # padding on the left: under look-ahead nothing is left for the first query
    weights = explain(model, PAIRS.src, tgt).trace["decoder.layers.0.self_attn.weights"]
    assert not weights[1, :, 0].any()
    torch.testing.assert_close(weights[0].sum(-1), torch.ones(HEADS, T))


def test_one_sentence_needs_no_batch() -> None:
    model = Theirs()
    source, target = PAIRS.src[:1], PAIRS.tgt[:1]
    plain = explain(
        model.transformer, source[0], target[0], run=lambda src, tgt: _unbatched(model, src, tgt), **_parts(model)
    )
    batched = explain(
        model.transformer, source.T, target.T, run=lambda src, tgt: _unbatched(model, src, tgt), **_parts(model)
    )
    assert plain.trace.keys() == batched.trace.keys()
    for name, value in batched.trace.items():
        torch.testing.assert_close(plain.trace[name], value, rtol=0, atol=TOLERANCE, msg=name)
    assert plain.ids["encoder"].shape == (1, S)


class Turning(Theirs):
    """Takes tokens in the other layout than its transformer; turns them before it looks them up, or their vectors."""

    def __init__(self, early: bool, **options: Any) -> None:
        super().__init__(**options)
        self.early = early

    def forward(self, src: Tensor, tgt: Tensor) -> tuple[Tensor, str]:
        if self.early:
            return super().forward(src.T, tgt.T)
        out = self.transformer(
            self.positions(self.words(src).transpose(0, 1)), self.positions(self.answers(tgt).transpose(0, 1))
        )
        return self.head(out), "and something else"


@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("early", [None, True, False], ids=["as they come", "tokens turned", "vectors turned"])
@pytest.mark.parametrize("size", [2, 3, S])
def test_sequences_and_tokens_are_not_taken_for_one_another_also_where_there_are_as_many(
    size: int, early: bool | None, batch_first: bool
) -> None:
    model = Theirs(batch_first=batch_first) if early is None else Turning(early, batch_first=batch_first)
    src, tgt = PAIRS.src[:size, :size], PAIRS.tgt[:size, :size]
    turned = model.length_first == (early is None)
    found = explain(model, *(ids.T if turned else ids for ids in (src, tgt)))
    assert torch.equal(found.ids["encoder"], src)
    assert torch.equal(found.ids["decoder"], tgt)
    assert torch.equal(found.trace["tgt_embed.0.rows"], model.answers(tgt))
    torch.testing.assert_close(found.trace["src_embed.1.code"], model.positions.code[: src.size(1)].unsqueeze(0))
    assert not any(module._forward_hooks for module in model.modules())


def test_where_nobody_can_tell_sequences_from_tokens_a_sentence_says_so() -> None:
    model, square = Theirs(batch_first=True), PAIRS.src[:2, :2]

    def run(src: Tensor, tgt: Tensor) -> Tensor:  # looks the tokens up, and goes on with other vectors
        return model.head(model.transformer(0 * model.words(src) + 1, model.answers(tgt)))

    with pytest.raises(ValueError, match=r"src_embed has as many sequences as tokens.*leave one out"):
        explain(model, square, square, run=run, **_parts(model))


def _unbatched(model: Theirs, src: Tensor, tgt: Tensor) -> Tensor:
    return model.head(model.transformer(model.words(src), model.answers(tgt)))


def _parts(model: Theirs) -> dict[str, Any]:
    return {"source_embedding": model.words, "target_embedding": model.answers, "output": model.head}


@pytest.mark.parametrize("options", [{"kdim": 11, "vdim": 13}, {"bias": False}, {"batch_first": True}])
def test_an_attention_of_any_sizes_is_taken_apart(options: dict[str, Any]) -> None:
    module = nn.MultiheadAttention(D_MODEL, HEADS, **options)
    q, k, v = (
        torch.randn(T, BATCH, D_MODEL),
        *(torch.randn(S, BATCH, options.get(d, D_MODEL)) for d in ("kdim", "vdim")),
    )
    blocked = torch.rand(BATCH * HEADS, T, S) < 0.3
    blocked[..., 0] = False
    given = [each.transpose(0, 1) if module.batch_first else each for each in (q, k, v)]
    with watched([module]) as calls, torch.no_grad():
        out, weights = module(*given, attn_mask=blocked, average_attn_weights=False)
    steps = attention_trace(calls[0], "attention")
    assert steps["query"].shape == (BATCH, HEADS, T, D_MODEL // HEADS)
    torch.testing.assert_close(steps["weights"], weights, rtol=0, atol=TOLERANCE)
    torch.testing.assert_close(steps["output"], batch_first(out, module), rtol=0, atol=TOLERANCE)


def _signs(model: nn.Module) -> list[object]:
    hooks = [len(module._forward_hooks) + len(module._forward_pre_hooks) for module in model.modules()]
    return [*hooks, *(module.training for module in model.modules()), torch.backends.mha.get_fastpath_enabled()]


def test_nothing_of_the_model_is_changed_also_after_an_error() -> None:
    model = Theirs().train()
    model.positions.eval()
    before, state = _signs(model), {name: value.clone() for name, value in model.state_dict().items()}
    explained(model)
    assert _signs(model) == before
    with pytest.raises(ValueError, match="none for token"):
        explain(model, torch.full((S, 1), SRC_VOCAB), torch.ones(T, 1, dtype=torch.long))
    assert _signs(model) == before
    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())
    assert all(parameter.grad is None and parameter.requires_grad for parameter in model.parameters())


def test_what_another_thread_runs_meanwhile_is_not_recorded() -> None:
    linear = nn.Linear(2, 2)
    with watched([linear]) as calls:
        linear(torch.zeros(1, 2))
        other = threading.Thread(target=lambda: linear(torch.ones(1, 2)))
        other.start()
        other.join()
    assert [call.first.tolist() for call in calls] == [[[0.0, 0.0]]]


class Halved(nn.TransformerEncoderLayer):
    """A layer that adds half of what its feed-forward network makes."""

    def _ff_block(self, x: Tensor) -> Tensor:
        return super()._ff_block(x) / 2


class Doubled(nn.MultiheadAttention):
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        out, weights = super().forward(*args, **kwargs)
        return 2 * out, weights


def broken_layer(model: Theirs) -> None:
    model.transformer.encoder.layers[1] = Halved(D_MODEL, HEADS)


def broken_attention(model: Theirs) -> None:
    model.transformer.decoder.layers[0].multihead_attn = Doubled(D_MODEL, HEADS)


def keys_of_its_own(model: Theirs) -> None:
    model.transformer.decoder.layers[1].self_attn = nn.MultiheadAttention(D_MODEL, HEADS, add_bias_kv=True)


def no_network(model: Theirs) -> None:
    del model.transformer.encoder.layers[0].linear1


def another_attention(model: Theirs) -> None:
    model.transformer.encoder.layers[0].self_attn = nn.Identity()


def one_layer_twice(model: Theirs) -> None:
    model.transformer.decoder.layers[1] = model.transformer.decoder.layers[0]


def no_layers(model: Theirs) -> None:
    model.transformer.encoder = nn.Identity()


def no_decoder(model: Theirs) -> None:
    model.transformer = model.transformer.encoder


class Two(nn.Linear):
    def __init__(self, size: int, vocab: int) -> None:
        super().__init__(size, vocab)
        self.other: nn.Module = nn.Linear(size, vocab)

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) + self.other(x)


def two_heads(model: Theirs) -> None:
    model.head = Two(D_MODEL, TGT_VOCAB)


class Lookup(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rows = nn.Parameter(torch.randn(SRC_VOCAB, D_MODEL))

    def forward(self, ids: Tensor) -> Tensor:
        return self.rows[ids]


def hidden_table(model: Theirs) -> None:
    model.words = Lookup()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (broken_layer, r"transformer\.encoder\.layers\.1 .*encoder\.layers\.1\.sublayer\.1"),
        (broken_attention, r"transformer\.decoder\.layers\.0\.multihead_attn "),
        (keys_of_its_own, r"transformer\.decoder\.layers\.1\.self_attn adds keys"),
        (no_network, r"transformer\.encoder\.layers\.0, a TransformerEncoderLayer, has no linear1"),
        (another_attention, r"transformer\.encoder\.layers\.0\.self_attn is a Identity, not an nn\.MultiheadAttention"),
        (one_layer_twice, r"transformer\.decoder runs one layer several times"),
        (no_layers, r"transformer\.encoder has no layers"),
        (no_decoder, r"Theirs has no nn\.TransformerDecoder: .* decoder="),
        (two_heads, r"2 modules are given the decoder's output: .* output="),
        (hidden_table, r"no nn\.Embedding was given the source: .* source_embedding="),
    ],
)
def test_what_cannot_be_shown_as_it_is_says_so_with_its_name(spoil: Any, message: str) -> None:
    model = Theirs()
    spoil(model)
    with pytest.raises(ValueError, match=message):
        explained(model)


def test_a_forward_that_wants_more_than_two_arguments_is_called_by_the_reader() -> None:
    model = nn.Transformer(D_MODEL, HEADS, 1, 1, batch_first=True)

    class Masked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.transformer, self.table, self.head = model, nn.Embedding(SRC_VOCAB, D_MODEL), nn.Linear(D_MODEL, 3)

        def forward(self, src: Tensor, tgt: Tensor, tgt_mask: Tensor) -> Tensor:
            return self.head(self.transformer(self.table(src), self.table(tgt), tgt_mask=tgt_mask))

    whole, slope = Masked(), -torch.arange(T).float()
    with pytest.raises(ValueError, match=r"Masked wants more than source and target \(.*tgt_mask.*run="):
        explain(whole, PAIRS.src, PAIRS.tgt)
    causal = nn.Transformer.generate_square_subsequent_mask(T)
    found = explain(whole, PAIRS.src, PAIRS.tgt, run=lambda src, tgt: whole(src, tgt, causal))
    weights = found.trace["decoder.layers.0.self_attn.weights"]
    assert not weights[:, :, ~subsequent_mask(T)[0]].any()
    with pytest.raises(ValueError, match=r"mask of transformer\.decoder\.layers\.0\.self_attn adds numbers"):
        explain(whole, PAIRS.src, PAIRS.tgt, run=lambda src, tgt: whole(src, tgt, causal + slope))
    with pytest.raises(ValueError, match=r"no nn\.Linear is given the decoder's output"):
        explain(whole, PAIRS.src, PAIRS.tgt, run=lambda src, tgt: model(whole.table(src), whole.table(tgt)))
    with pytest.raises(ValueError, match=r"transformer\.decoder\.layers\.0 did not run"):
        explain(whole, PAIRS.src, PAIRS.tgt, run=lambda src, tgt: (model.encoder(whole.table(src)), whole.table(tgt)))


def test_a_tolerance_of_nothing_is_exceeded_by_rounding() -> None:
    with pytest.raises(ValueError, match="misses its numbers by"):
        explained(Theirs(), tolerance=0.0)
    assert len(explained(Theirs()).differences) == N * (2 + 3) + N * (1 + 2) + 2 * N
