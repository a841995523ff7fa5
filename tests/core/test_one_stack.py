"""The decoder-only and the encoder-only model: what the mask makes of one stack, held to PyTorch's own."""

from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.core.build import BATCH, D_FF, D_MODEL, HEADS, MAX_LEN, ROUNDING, N, assert_within
from tests.core.one_stack import LENGTH, SIZES, SWITCHES, VOCAB, logits, made, rows
from transformer_core import (
    EncoderLayer,
    cached_continued,
    continued,
    intervene,
    make_bert,
    make_gpt,
    record,
)
from transformer_core.after_2017.backward import backward, covers
from transformer_core.after_2017.continuing import CachedReader, sampled_continued
from transformer_core.backward import loss_gradient
from transformer_core.copies import direct
from transformer_core.loss import LabelSmoothing
from transformer_core.verify.autograd import by_autograd
from transformer_core.verify.parity import torch_state

every_switch = pytest.mark.parametrize("switches", SWITCHES.values(), ids=SWITCHES)
every_kind = pytest.mark.parametrize("kind", ["decoder", "encoder"])
FULL = [LENGTH] * BATCH
PROMPT = 3


class TwoStacks(nn.Module):
    """What `torch_state` reads: our stack as encoder, and as decoder none."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.encoder = model.stack
        self.decoder = nn.Module()
        self.decoder.layers = nn.ModuleList()
        self.decoder.norm = nn.Identity()


@every_kind
@pytest.mark.parametrize("norm_first", [True, False])
def test_the_stack_is_that_of_torch_under_the_models_own_mask(kind: str, norm_first: bool) -> None:
    model, tokens = made(kind, norm_first=norm_first, norm="torch"), rows()
    layer = nn.TransformerEncoderLayer(D_MODEL, HEADS, D_FF, norm_first=norm_first, batch_first=True)
    theirs = nn.TransformerEncoder(layer, N, nn.LayerNorm(D_MODEL) if norm_first else None, enable_nested_tensor=False)
    both: Any = TwoStacks(model)
    theirs.load_state_dict({name.removeprefix("encoder."): part for name, part in torch_state(both).items()})
    ahead = nn.Transformer.generate_square_subsequent_mask(LENGTH).isinf() if kind == "decoder" else None
    with torch.no_grad():
        theirs.train(False)
        with torch.enable_grad():  # without gradients PyTorch would take another kernel, which leaves paddings out
            expected = theirs(model.embed(tokens), mask=ahead, src_key_padding_mask=tokens == 0).detach()
        found = model(tokens)
    assert_within(found, expected, ROUNDING)


@every_kind
@every_switch
def test_layers_are_encoder_layers_and_values_have_the_names_of_figure_1(kind: str, switches: dict[str, Any]) -> None:
    model = made(kind, **switches)
    assert all(type(layer) is EncoderLayer for layer in model.stack.layers)
    with record(model) as trace:
        log_probs = model.generator(model(rows()))
    embed, stack = ("tgt_embed", "decoder") if kind == "decoder" else ("src_embed", "encoder")
    assert trace[f"{embed}.1.output"].shape == trace[f"{stack}.output"].shape == (BATCH, LENGTH, D_MODEL)
    assert trace[f"{stack}.layers.1.self_attn.weights"].shape == (BATCH, HEADS, LENGTH, LENGTH)
    network = trace[f"{stack}.layers.0.feed_forward.{'gates' if model.shape.experts else 'hidden'}"]
    assert network.shape == (BATCH, LENGTH, model.shape.experts or D_FF)
    assert trace["generator.logits"].shape == log_probs.shape == (BATCH, LENGTH, VOCAB)


@every_switch
def test_the_future_cannot_change_the_past_of_a_gpt_and_both_sides_count_in_a_bert(switches: dict[str, Any]) -> None:
    tokens = rows(FULL)
    other = tokens.clone()
    other[:, -1] = tokens[:, -1] % (VOCAB - 1) + 1
    gpt, bert = made("decoder", **switches), made("encoder", **switches)
    # To the last bit, but for experts, whose products have other sizes when another word is sent to them.
    assert_within(logits(gpt, tokens)[:, :-1], logits(gpt, other)[:, :-1], ROUNDING if "experts" in switches else 0)
    before = LENGTH - 2  # within every window
    assert (logits(bert, tokens)[:, before] - logits(bert, other)[:, before]).abs().max() > 1e-4
    assert (logits(gpt, tokens)[:, -1] - logits(gpt, other)[:, -1]).abs().max() > 1e-4


@every_kind
@every_switch
def test_padding_changes_nothing(kind: str, switches: dict[str, Any]) -> None:
    model, tokens = made(kind, **switches), rows()
    short = int((tokens[0] != 0).sum())
    assert_within(logits(model, tokens)[0, :short], logits(model, tokens[:1, :short])[0], ROUNDING)


@every_switch
def test_the_cache_continues_as_the_whole_row_does(switches: dict[str, Any]) -> None:
    model, tokens = made(**switches), rows(FULL)
    expected = logits(model, tokens).log_softmax(-1)
    reader = CachedReader(model)
    found = [reader.next(tokens[:, :PROMPT]), *(reader.next(tokens[:, [at]]) for at in range(PROMPT, LENGTH))]
    assert_within(torch.stack(found, dim=1), expected[:, PROMPT - 1 :], ROUNDING)
    prompt = tokens[:, :PROMPT]
    row = continued(model, prompt, 12)
    assert torch.equal(cached_continued(model, prompt, 12), row)
    assert torch.equal(row[:, :PROMPT], prompt)
    assert torch.equal(row[:, PROMPT:], logits(model, row, model.reach(12)).argmax(-1)[:, PROMPT - 1 : -1])


def test_the_cache_keeps_what_the_formula_says() -> None:
    for name in ("as in 2017", "grouped", "multi-query", "window"):
        model = made(**SWITCHES[name])
        reader = CachedReader(model)
        for at in range(LENGTH):
            reader.next(rows(FULL)[:, [at]])
        positions = min(LENGTH, model.shape.window or LENGTH)
        assert reader.bytes == BATCH * positions * model.shape.cached_numbers * 4
    assert made().shape.cached_numbers == 2 * N * D_MODEL


def test_a_row_ends_where_each_has_an_end_after_its_prompt() -> None:
    model, prompt = made(), rows(FULL)[:, :PROMPT]
    free = continued(model, prompt, 12)
    end = int(free[0, PROMPT + 1])
    row = continued(model, prompt, 12, end)
    assert all(end in one[PROMPT:].tolist() for one in row) or row.size(1) == 12
    assert torch.equal(free[:, : row.size(1)], row)
    alone = continued(model, prompt[:1], 12, end)
    assert alone[0, PROMPT:].tolist().index(end) == alone.size(1) - PROMPT - 1


def test_a_token_is_drawn_as_often_as_is_probable() -> None:
    model, prompt = made(), rows(FULL)[:1, :PROMPT]
    draws = sampled_continued(model, prompt.expand(4000, -1), PROMPT + 2, torch.Generator().manual_seed(0))
    assert torch.equal(draws[:, :PROMPT], prompt.expand(4000, -1))
    chances = logits(model, prompt)[0, -1].softmax(-1)
    assert_within(draws[:, PROMPT].bincount(minlength=VOCAB) / 4000, chances, 0.03)
    again = sampled_continued(model, prompt.expand(4000, -1), PROMPT + 2, torch.Generator().manual_seed(0))
    assert torch.equal(again, draws)


@pytest.mark.parametrize("length", [0, 5])
def test_a_prompt_that_cannot_go_on_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match=f"a prompt of {length} tokens cannot go on within 5"):
        continued(made(), rows(FULL)[:, :length], 5)


def test_nothing_is_kept_of_a_model_that_trains() -> None:
    with pytest.raises(ValueError, match="call eval"):
        CachedReader(made().train())


@every_kind
def test_an_intervention_takes_a_head_away(kind: str) -> None:
    model, tokens = made(kind), rows()
    stack = model.STACK
    with intervene(model, {f"{stack}.layers.0.self_attn.heads": torch.zeros_like}):
        without = logits(model, tokens)
    assert (without - logits(model, tokens)).abs().max() > 1e-3


@every_kind
@every_switch
def test_a_direct_copy_gives_the_same_numbers(kind: str, switches: dict[str, Any]) -> None:
    model, tokens = made(kind, **switches), rows()
    copy = direct(model)
    assert torch.equal(copy.generator(copy(tokens)), model.generator(model(tokens)))


BY_HAND = {name: switches for name, switches in SWITCHES.items() if covers(made(**switches))} | {
    "GELU with a tanh": {"feed_forward": "gelu_tanh"},
    "without the scale": {"scale": False, "groups": 2},
    "all at once, tied": SWITCHES["all that Llama has"] | {"tied": True, "scale_embeddings": True},
}


@every_kind
@pytest.mark.parametrize("switches", BY_HAND.values(), ids=BY_HAND)
def test_every_gradient_by_hand_is_that_of_autograd(kind: str, switches: dict[str, Any]) -> None:
    model, tokens = made(kind, **switches).double(), rows()
    answers = rows([6, 4, LENGTH])
    count = int((answers != 0).sum())

    def loss() -> Tensor:
        log_probs = model.generator(model(tokens))
        total: Tensor = LabelSmoothing(VOCAB, 0)(log_probs.flatten(0, 1), answers.flatten())
        return total / count

    criterion = LabelSmoothing(VOCAB, 0)
    with torch.no_grad(), record(model) as trace:
        log_probs = model.generator(model(tokens))
        criterion(log_probs.flatten(0, 1), answers.flatten())
        assert criterion.true_dist is not None
        towards = loss_gradient(log_probs, criterion.true_dist.double().view_as(log_probs), count)
        found = backward(model, trace, tokens, None, towards)
    expected = by_autograd(model, loss)
    left_out = {path.split(".")[-1] for path in expected.keys() - found.keys()}
    assert left_out <= {"mean", "std", "rms", "code", "log_probs", "load", "balance"}
    assert {name for name, _ in model.named_parameters()} <= found.keys()
    for path, gradient in found.items():
        torch.testing.assert_close(gradient, expected[path], rtol=1e-9, atol=1e-12, msg=partial("{}: {}".format, path))


@every_kind
def test_what_the_backward_pass_does_not_know_it_refuses(kind: str) -> None:
    known = {name for name, switches in SWITCHES.items() if covers(made(kind, **switches))}
    assert SWITCHES.keys() - known == {"post-norm", "PyTorch's LayerNorm", "all that BERT has"}
    assert not covers(made(kind, dropout=0.1).train())
    with pytest.raises(ValueError, match="by hand"):
        backward(made(kind, norm="torch"), {}, rows(), None, torch.zeros(()))


@pytest.mark.parametrize(
    ("switches", "message"),
    [
        ({"groups": 3}, "4 heads cannot be cut into 3 groups"),
        ({"groups": 0}, "groups must be at least 1"),
        ({"window": 0}, "window must be at least 1"),
        ({"experts": 0}, "experts must be at least 1, not 0"),
        ({"experts": 4, "top_k": 5}, "top_k must lie between 1 and the number of experts, 4, not 5"),
        ({"experts": 4, "top_k": 0}, "top_k must lie"),
        ({"top_k": 2}, "top_k = 2 needs experts"),
        ({"h": 5}, "cannot be cut into 5 heads"),
        ({"h": 8, "positions": "rotary"}, "no pairs to rotate"),
        ({"d_model": 15, "h": 3}, "must be even"),
        ({"positions": "relative"}, "positions must be one of sinusoids, learned, rotary, none, not 'relative'"),
        ({"norm": "batch"}, "norm must be one of layer, torch, rms"),
        ({"feed_forward": "mish"}, "feed_forward must be one of relu"),
        ({"N": 0}, "N must be at least 1"),
    ],
)
def test_switches_that_do_not_fit_are_refused_by_their_names(switches: dict[str, Any], message: str) -> None:
    for make in (make_gpt, make_bert):
        with pytest.raises(ValueError, match=message):
            make(VOCAB, **(SIZES | switches))


def test_a_switch_that_does_not_exist_is_refused() -> None:
    with pytest.raises(TypeError, match="rotery"):
        make_gpt(VOCAB, rotery=True)


def test_positions_end_where_the_table_does() -> None:
    model = made(positions="learned")
    with pytest.raises(ValueError, match="ends with position"):
        continued(model, rows(FULL)[:, :PROMPT], MAX_LEN + 2)
