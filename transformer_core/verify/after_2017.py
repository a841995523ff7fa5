"""Each part that came after 2017 beside a reference of PyTorch's, in float64: the largest difference of each."""

from collections.abc import Callable, Iterator
from itertools import product
from math import inf
from typing import Any, get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, rms_norm, scaled_dot_product_attention, silu

from transformer_core.after_2017.experts import MixtureOfExperts
from transformer_core.after_2017.feed_forwards import Approximate, GeluFeedForward, SwiGLUFeedForward
from transformer_core.after_2017.flash_attention import flash_attention
from transformer_core.after_2017.grouped_attention import GroupedAttention
from transformer_core.after_2017.make import build
from transformer_core.after_2017.one_stack import OneStack
from transformer_core.after_2017.rms_norm import RMSNorm
from transformer_core.after_2017.rotary import rotated
from transformer_core.after_2017.shape import KINDS, OneStackShape
from transformer_core.after_2017.window import window_mask
from transformer_core.attention import attention
from transformer_core.feed_forward import PositionwiseFeedForward
from transformer_core.masks import subsequent_mask
from transformer_core.trace import record
from transformer_core.verify.checks import FLOAT64
from transformer_core.verify.samples import (
    BATCH,
    D_FF,
    D_K,
    D_MODEL,
    HEADS,
    MAX_LEN,
    SRC_VOCAB,
    N,
    T,
    gap,
    padded,
    vectors,
    worst,
)

EXPERTS = 3
FAR = 10_000  # positions by which query and key are moved together


def root_mean_square() -> float:
    """`RMSNorm` beside `torch.nn.functional.rms_norm`."""
    ours, x = RMSNorm(D_MODEL).double(), vectors(BATCH, T, D_MODEL)
    with torch.no_grad():
        ours.weight.copy_(vectors(D_MODEL, seed=1))
    return gap(ours(x), rms_norm(x, (D_MODEL,), ours.weight, ours.eps))


def gelu() -> float:
    """`GeluFeedForward` beside two linear layers around `nn.GELU`, in both formulas."""
    return worst(_gelu(approximate) for approximate in get_args(Approximate))


def _gelu(approximate: Approximate) -> float:
    ours, x = GeluFeedForward(D_MODEL, D_FF, 0.0, approximate).double(), vectors(BATCH, T, D_MODEL)
    return gap(ours(x), nn.Sequential(ours.w_1, nn.GELU(approximate), ours.w_2)(x))


def swiglu() -> float:
    """`SwiGLUFeedForward` beside its equation with `torch.nn.functional.silu`."""
    ours, x = SwiGLUFeedForward(D_MODEL, D_FF, 0.0).double(), vectors(BATCH, T, D_MODEL)
    return gap(ours(x), (silu(x @ ours.w_1.weight.T) * (x @ ours.w_3.weight.T)) @ ours.w_2.weight.T)


def grouped_queries() -> float:
    """`GroupedAttention` beside `scaled_dot_product_attention(enable_gqa=True)`, for every number of groups."""
    return worst(_grouped(groups) for groups in range(1, HEADS + 1) if HEADS % groups == 0)


def _grouped(groups: int) -> float:
    ours, x = GroupedAttention(HEADS, D_MODEL, 0.0, groups=groups).double(), vectors(BATCH, T, D_MODEL)
    with record(ours) as trace:
        ours(x, x, x, subsequent_mask(T))
    q, k, v = (trace[name] for name in ("query", "key", "value"))
    return gap(trace["heads"], scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True))


def sliding_window() -> float:
    """`window_mask` under look-ahead beside `scaled_dot_product_attention` over the keys of each window alone."""
    q, k, v = (vectors(BATCH, HEADS, T, D_K, seed=seed) for seed in range(3))
    return worst(_windowed(q, k, v, window) for window in range(1, T + 1))


def _windowed(q: Tensor, k: Tensor, v: Tensor, window: int) -> float:
    ours, _ = attention(q, k, v, subsequent_mask(T) & window_mask(T, window))
    near = [slice(max(0, at + 1 - window), at + 1) for at in range(T)]
    rows = [scaled_dot_product_attention(q[:, :, [n]], k[:, :, at], v[:, :, at]) for n, at in enumerate(near)]
    return gap(ours, torch.cat(rows, dim=2))


def tied_table() -> float:
    """The logits of a model with one table beside `torch.nn.functional.linear` with its rows."""
    shape = OneStackShape("decoder", SRC_VOCAB, N, D_MODEL, D_FF, HEADS, 0.0, tied=True, max_len=MAX_LEN)
    model = build(shape).double().eval()
    with torch.no_grad(), record(model) as trace:
        output = model(padded([T, T - 1], T, SRC_VOCAB, torch.Generator().manual_seed(0)))
        model.generator(output)
    return gap(trace["generator.logits"], linear(output, model.table.weight, model.generator.proj.bias))


def experts() -> float:
    """`MixtureOfExperts` beside its equation with every expert at work on every word, for every number per word."""
    return worst(_experts(top_k) for top_k in range(1, EXPERTS + 1))


def _experts(top_k: int) -> float:
    ours: Any = MixtureOfExperts(PositionwiseFeedForward(D_MODEL, D_FF, 0.0), D_MODEL, EXPERTS, top_k).double()
    x = vectors(BATCH, T, D_MODEL)
    logits = ours.router(x)
    left_out = logits < logits.topk(top_k).values[..., -1:]
    gates = (
        logits.softmax(-1).masked_fill(left_out, 0.0) if top_k == 1 else logits.masked_fill(left_out, -inf).softmax(-1)
    )
    answers = [nn.Sequential(each.w_1, nn.ReLU(), each.w_2)(x) for each in ours.experts]
    return gap(ours(x), sum(gates[..., [n]] * answer for n, answer in enumerate(answers)))


def in_tiles() -> float:
    """`flash_attention` beside `scaled_dot_product_attention`, with the look-ahead mask, for every size of a tile."""
    q, k, v = (vectors(BATCH, HEADS, T, D_K, seed=seed) for seed in range(3))
    expected = scaled_dot_product_attention(q, k, v, is_causal=True)
    sizes = product(range(1, T + 1), range(1, T + 1))
    return worst(gap(flash_attention(q, k, v, subsequent_mask(T), *size), expected) for size in sizes)


def distance_alone() -> float:
    """The law of rotary positions: moved together, however far, query and key have the same product."""
    q, k = vectors(T, D_K), vectors(T, D_K, seed=1)
    here = rotated(q, 7) @ rotated(k).T
    return gap(rotated(q, 7 + FAR) @ rotated(k, FAR).T, here)


def one_stack() -> float:
    """A decoder-only and an encoder-only model beside `nn.TransformerEncoder`, under the model's own mask."""
    return worst(_stacks())


def _stacks() -> Iterator[float]:
    tokens = padded([T, T - 2, T - 1], T, SRC_VOCAB, torch.Generator().manual_seed(0))
    for kind in KINDS:
        shape = OneStackShape(kind, SRC_VOCAB, N, D_MODEL, D_FF, HEADS, 0.0, norm="torch", max_len=MAX_LEN)
        model = build(shape).double().eval()
        ahead = ~subsequent_mask(T)[0] if kind == "decoder" else None
        with torch.enable_grad():  # without gradients PyTorch would take another kernel, which leaves paddings out
            expected = _theirs(model)(model.embed(tokens), mask=ahead, src_key_padding_mask=tokens == 0)
        yield gap(model(tokens), expected)


def _theirs(model: OneStack) -> nn.Module:
    """`nn.TransformerEncoder` with the weights of a stack."""
    layer: Any = nn.TransformerEncoderLayer(D_MODEL, HEADS, D_FF, norm_first=True, batch_first=True)
    theirs: Any = nn.TransformerEncoder(layer, N, nn.LayerNorm(D_MODEL), enable_nested_tensor=False).double().eval()
    with torch.no_grad():
        stack: Any = model.stack
        for ours, to in zip(stack.layers, theirs.layers):
            *projections, last = ours.self_attn.linears
            to.self_attn.in_proj_weight.copy_(torch.cat([each.weight for each in projections]))
            to.self_attn.in_proj_bias.copy_(torch.cat([each.bias for each in projections]))
            pairs = [(last, to.self_attn.out_proj)]
            pairs += [(ours.feed_forward.w_1, to.linear1), (ours.feed_forward.w_2, to.linear2)]
            pairs += [(each.norm, norm) for each, norm in zip(ours.sublayer, (to.norm1, to.norm2))]
            for one, other in pairs:
                other.load_state_dict(one.state_dict())
        theirs.norm.load_state_dict(stack.norm.state_dict())
    return theirs


REFERENCES: dict[str, Callable[[], float]] = {
    "one_stack": one_stack,
    "rms_norm": root_mean_square,
    "gelu": gelu,
    "swiglu": swiglu,
    "grouped": grouped_queries,
    "window": sliding_window,
    "tied": tied_table,
    "experts": experts,
    "flash": in_tiles,
    "rotary": distance_alone,
}

# The largest differences that hold; angles of 10,000 positions have four digits fewer.
TOLERANCES = dict.fromkeys(REFERENCES, FLOAT64) | {"rotary": 1e-6}


def measured(name: str) -> float:
    """The difference from one of REFERENCES, of parts drawn from a seed of their own; the global one stays."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return REFERENCES[name]()
