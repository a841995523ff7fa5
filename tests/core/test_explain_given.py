"""What `explain` is given is refused in words where it is no model or no tokens, and half precision is read as such."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.core.build import D_MODEL, HEADS, SRC_VOCAB, TGT_VOCAB, S, T, small_batch, small_model
from tests.core.external import Theirs
from transformer_core import explain, record
from transformer_core.training.state_dict import load_any
from transformer_core.verify.formulas import notes_state

pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor")  # what the builders of such models warn of

PAIRS = small_batch(torch.Generator().manual_seed(0))
FLOATS = r"the source holds torch\.float32 numbers: tokens are whole numbers, source\.long\(\)"
BEYOND = rf"has {SRC_VOCAB} rows, numbered 0 to {SRC_VOCAB - 1}: there is none for token {SRC_VOCAB}"
BELOW = "there is none for token -1"
WRONG: dict[str, tuple[Any, str]] = {
    "floats": (PAIRS.src.float(), FLOATS),
    "truths": (PAIRS.src > 0, r"the source holds torch\.bool numbers"),
    "a list": ([[1, 2, 3]], r"the source is a list, not a tensor of tokens: torch\.tensor\(\[\[…\]\]\)"),
    "words": ("two cats", r"the source is a str, not a tensor"),
    "what a tokenizer gives": (SimpleNamespace(input_ids=PAIRS.src), r"not a tensor of tokens: its \.input_ids are"),
    "nothing": (None, r"the source is a NoneType"),
    "no tokens": (PAIRS.src[:, :0], r"the source holds no tokens: its shape is \(\d, 0\)"),
    "no sequences": (PAIRS.src[:0], r"the source holds no tokens"),
    "three axes": (PAIRS.src[None], r"the source has shape \(1, \d, \d\) instead of \(batch, length\)"),
    "too large": (torch.full((2, S), SRC_VOCAB), f"{BEYOND}|must lie in 0…{SRC_VOCAB - 1}"),  # theirs, ours
    "negative": (torch.full((2, S), -1), f"{BELOW}|must lie in 0…"),
}


@pytest.mark.parametrize("make", [lambda: Theirs(batch_first=True), small_model], ids=["theirs", "ours"])
@pytest.mark.parametrize(("source", "message"), WRONG.values(), ids=WRONG)
def test_what_is_no_tokens_of_the_model_is_refused_in_words(make: Any, source: Any, message: str) -> None:
    model, target = make(), PAIRS.tgt[:2]
    with pytest.raises(ValueError, match=message):
        explain(model, source, target)
    if not isinstance(source, Tensor) or source.dtype != torch.int64:
        with pytest.raises(ValueError, match=message.replace("source", "target")):
            explain(model, PAIRS.src, source)
    assert not [module for module in model.modules() if module._forward_hooks or module._forward_pre_hooks]


def test_tokens_of_fewer_bits_are_tokens() -> None:
    model = Theirs(batch_first=True)
    found = explain(model, PAIRS.src.int(), PAIRS.tgt.int())
    assert torch.equal(found.ids["encoder"], PAIRS.src.int())


def test_an_index_error_of_the_models_own_stays_what_it_is() -> None:
    model = Theirs(batch_first=True)
    with pytest.raises(IndexError, match="pop index out of range"):
        explain(model, PAIRS.src, PAIRS.tgt, run=lambda src, tgt: [model(src, tgt)].pop(1))


class Annotated(nn.Module):
    """A model with the modules of the Annotated Transformer's, that is another class's than ours."""

    def __init__(self) -> None:
        super().__init__()
        ours = small_model()
        self.encoder, self.decoder = ours.encoder, ours.decoder
        self.src_embed, self.tgt_embed, self.generator = ours.src_embed, ours.tgt_embed, ours.generator

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Tensor, tgt_mask: Tensor) -> Tensor:
        return self.decoder(self.tgt_embed(tgt), self.encoder(self.src_embed(src), src_mask), src_mask, tgt_mask)


def test_of_an_annotated_transformer_it_is_said_what_to_do_and_that_does_it() -> None:
    theirs = Annotated().eval()
    with pytest.raises(ValueError, match="Annotated is written as the Annotated Transformer is") as refusal:
        explain(theirs, PAIRS.src, PAIRS.tgt)
    (line,) = re.findall(r"model = (load_any\(.*\)\.model), from", str(refusal.value))
    assert f"h={HEADS}" in line
    ours = eval(line, {"load_any": load_any, "model": theirs})
    with record(ours) as trace:
        out = ours(PAIRS.src, PAIRS.tgt, PAIRS.src_mask, PAIRS.tgt_mask)
    own = theirs(PAIRS.src, PAIRS.tgt, PAIRS.src_mask, PAIRS.tgt_mask)
    torch.testing.assert_close(out, own)
    assert trace["decoder.layers.1.src_attn.weights"].shape == (len(PAIRS.src), HEADS, T, S)
    assert explain(ours, PAIRS.src, PAIRS.tgt).weights("decoder", 1).columns


def test_of_the_notes_models_the_same_is_said() -> None:
    class Notes(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            state = {name: value.detach().numpy() for name, value in small_model().named_parameters()}
            for name, value in notes_state(state).items():
                self.register_parameter(name.replace(".", "/"), nn.Parameter(torch.as_tensor(value)))

        def named_parameters(self, *given: Any, **more: Any) -> Any:
            return ((name.replace("/", "."), value) for name, value in super().named_parameters(*given, **more))

    with pytest.raises(ValueError, match="Notes is written as the Annotated Transformer"):
        explain(Notes(), PAIRS.src, PAIRS.tgt)


@pytest.mark.parametrize("options", [{}, {"norm_first": True}, {"activation": "gelu"}])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_other_widths_than_float32_are_held_to_what_they_can_hold(dtype: torch.dtype, options: dict[str, Any]) -> None:
    model = Theirs(batch_first=True, **options)
    exact = explain(model, PAIRS.src, PAIRS.tgt)
    found = explain(model.to(dtype), PAIRS.src, PAIRS.tgt)
    most = max(found.differences.values())
    assert most <= (1e-5 if dtype == torch.float64 else 4 * torch.finfo(dtype).eps)
    assert dtype == torch.float64 or most > 1e-5  # the tolerance of float32 would refuse it
    assert found.trace["generator.log_probs"].shape == (len(PAIRS.tgt), T, TGT_VOCAB)
    name = "decoder.layers.1.src_attn.weights"
    torch.testing.assert_close(found.trace[name].to(torch.float32), exact.trace[name], rtol=0, atol=0.05)


def test_half_precision_does_not_hide_a_mistake() -> None:
    class Doubled(nn.MultiheadAttention):
        def forward(self, *args: Any, **kwargs: Any) -> Any:
            out, weights = super().forward(*args, **kwargs)
            return 2 * out, weights

    model = Theirs(batch_first=True)
    model.transformer.decoder.layers[0].multihead_attn = Doubled(D_MODEL, HEADS, batch_first=True)
    with pytest.raises(ValueError, match=r"transformer\.decoder\.layers\.0\.multihead_attn computes something else"):
        explain(model.bfloat16(), PAIRS.src, PAIRS.tgt)
