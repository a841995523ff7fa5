"""Two published post-norm models: their state dicts, held to a forward pass written from their structure."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn.functional import layer_norm, linear

from tests.core.saved import file_of
from transformer_core.masks import padding_mask, subsequent_mask
from transformer_core.positions import position_code
from transformer_core.training.state_dict import load_any

D, INNER, HEADS, LAYERS, SRC, TGT, ROOM = 12, 20, 3, 2, 9, 7, 16
State = dict[str, Tensor]


def random_state(names: dict[str, tuple[int, ...]]) -> State:
    """Norms too are unlike those of a fresh model."""
    generator = torch.Generator().manual_seed(5)
    return {name: torch.randn(shape, generator=generator) * 0.4 for name, shape in names.items()}


def block(prefix: str, names: str, rows: int, columns: int) -> dict[str, tuple[int, ...]]:
    return {
        f"{prefix}.{name}.{end}": shape
        for name in names.split()
        for end, shape in (("weight", (rows, columns)), ("bias", (rows,)))
    }


def hyunwoongko() -> State:
    names: dict[str, tuple[int, ...]] = {"encoder.emb.tok_emb.weight": (SRC, D), "decoder.emb.tok_emb.weight": (TGT, D)}
    names |= block("decoder", "linear", TGT, D)
    for side, attentions in (("encoder", ["attention"]), ("decoder", ["self_attention", "enc_dec_attention"])):
        for layer in (f"{side}.layers.{at}" for at in range(LAYERS)):
            for attention in attentions:
                names |= block(f"{layer}.{attention}", "w_q w_k w_v w_concat", D, D)
            names |= block(f"{layer}.ffn", "linear1", INNER, D) | block(f"{layer}.ffn", "linear2", D, INNER)
            for norm in range(1, len(attentions) + 2):
                names |= {f"{layer}.norm{norm}.gamma": (D,), f"{layer}.norm{norm}.beta": (D,)}
    return random_state(names)


def bentrevett() -> State:
    names: dict[str, tuple[int, ...]] = block("decoder", "fc_out", TGT, D)
    for side, vocab in (("encoder", SRC), ("decoder", TGT)):
        names |= {f"{side}.tok_embedding.weight": (vocab, D), f"{side}.pos_embedding.weight": (ROOM, D)}
        cross = ["encoder_attention"] if side == "decoder" else []
        for layer in (f"{side}.layers.{at}" for at in range(LAYERS)):
            for attention in ["self_attention", *cross]:
                names |= block(f"{layer}.{attention}", "fc_q fc_k fc_v fc_o", D, D)
            names |= block(f"{layer}.positionwise_feedforward", "fc_1", INNER, D)
            names |= block(f"{layer}.positionwise_feedforward", "fc_2", D, INNER)
            for norm in ["self_attn", "ff", *(["enc_attn"] if cross else [])]:
                names |= {f"{layer}.{norm}_layer_norm.{end}": (D,) for end in ("weight", "bias")}
    return random_state(names)


def expected(
    state: State, src: Tensor, tgt: Tensor, embed: Callable[[str, Tensor], Tensor], at: Callable[[str, str, str], str]
) -> Tensor:
    """Post-norm, every norm after its sub-layer: logits (batch, T, vocab). `at` names a matrix of a layer's part."""

    def project(name: str, x: Tensor) -> Tensor:
        return linear(x, state[f"{name}.weight"], state[f"{name}.bias"])

    def attend(name: str, x: Tensor, to: Tensor, mask: Tensor) -> Tensor:
        q, k, v = (
            project(at(name, "attention", letter), given).unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for letter, given in zip("qkv", (x, to, to))
        )
        weights = (q @ k.mT / math.sqrt(D // HEADS)).masked_fill(~mask[:, None], -1e9).softmax(-1)
        return project(at(name, "attention", "o"), (weights @ v).transpose(1, 2).flatten(2))

    def norm(name: str, x: Tensor) -> Tensor:
        gain, shift = (state[at(name, "norm", end)] for end in ("gain", "shift"))
        return layer_norm(x, (D,), gain, shift)

    def feed(name: str, x: Tensor) -> Tensor:
        return project(at(name, "feed", "2"), project(at(name, "feed", "1"), x).relu())

    hidden, x = padding_mask(src), embed("encoder", src)
    for layer in range(LAYERS):
        x = norm(f"encoder {layer} 1", x + attend(f"encoder {layer} self", x, x, hidden))
        x = norm(f"encoder {layer} last", x + feed(f"encoder {layer}", x))
    memory, x = x, embed("decoder", tgt)
    for layer in range(LAYERS):
        x = norm(f"decoder {layer} 1", x + attend(f"decoder {layer} self", x, x, subsequent_mask(tgt.size(1))))
        x = norm(f"decoder {layer} 2", x + attend(f"decoder {layer} cross", x, memory, hidden))
        x = norm(f"decoder {layer} last", x + feed(f"decoder {layer}", x))
    return project(at("decoder 0", "generator", ""), x)


def of_hyunwoongko(name: str, part: str, which: str) -> str:
    side, layer, *kind = name.split()
    prefix = f"{side}.layers.{layer}"
    if part == "attention":
        attention = "enc_dec_attention" if kind == ["cross"] else "attention" if side == "encoder" else "self_attention"
        return f"{prefix}.{attention}.w_{'concat' if which == 'o' else which}"
    if part == "norm":
        number = {"last": "2" if side == "encoder" else "3"}.get(kind[0], kind[0])
        return f"{prefix}.norm{number}.{'gamma' if which == 'gain' else 'beta'}"
    return f"{prefix}.ffn.linear{which}" if part == "feed" else "decoder.linear"


def of_bentrevett(name: str, part: str, which: str) -> str:
    side, layer, *kind = name.split()
    prefix = f"{side}.layers.{layer}"
    if part == "attention":
        return f"{prefix}.{'encoder' if kind == ['cross'] else 'self'}_attention.fc_{which}"
    if part == "norm":
        norm = {"1": "self_attn", "2": "enc_attn", "last": "ff"}[kind[0]]
        return f"{prefix}.{norm}_layer_norm.{'weight' if which == 'gain' else 'bias'}"
    return f"{prefix}.positionwise_feedforward.fc_{which}" if part == "feed" else "decoder.fc_out"


@pytest.mark.parametrize("family", ["hyunwoongko", "bentrevett"])
@pytest.mark.parametrize("prefix", ["", "module."])
def test_the_model_of_the_file_computes_what_its_own_would(family: str, prefix: str) -> None:
    state = hyunwoongko() if family == "hyunwoongko" else bentrevett()

    def embed(side: str, tokens: Tensor) -> Tensor:
        if family == "hyunwoongko":  # not scaled
            return state[f"{side}.emb.tok_emb.weight"][tokens] + position_code(tokens.size(1), D)
        rows = state[f"{side}.pos_embedding.weight"][: tokens.size(1)]
        return state[f"{side}.tok_embedding.weight"][tokens] * math.sqrt(D) + rows

    src, tgt = torch.tensor([[1, 5, 2, 8, 3], [4, 4, 7, 0, 0]]), torch.tensor([[1, 6, 2], [1, 3, 3]])
    at = of_hyunwoongko if family == "hyunwoongko" else of_bentrevett
    found = load_any(file_of({f"{prefix}{name}": weight for name, weight in state.items()}), h=HEADS)
    with torch.no_grad():
        ours = found.model.generator(found.model(src, tgt, padding_mask(src), subsequent_mask(3)))
        theirs = expected(state, src, tgt, embed, at).log_softmax(-1)
    assert theirs.std() > 0.3
    torch.testing.assert_close(ours, theirs, rtol=0, atol=2e-4)
