"""Small models of one stack for the tests. No two axes have the same size."""

from typing import Any

import torch
from torch import Tensor

from tests.core.build import BATCH, D_FF, D_MODEL, HEADS, MAX_LEN, N, padded, unsettle
from transformer_core import make_bert, make_gpt, record
from transformer_core.after_2017.one_stack import OneStack

VOCAB, LENGTH = 13, 7
SIZES: dict[str, Any] = {"N": N, "d_model": D_MODEL, "d_ff": D_FF, "h": HEADS, "dropout": 0.0, "max_len": MAX_LEN}
MAKE = {"decoder": make_gpt, "encoder": make_bert}
SWITCHES: dict[str, dict[str, Any]] = {
    "as in 2017": {},
    "post-norm": {"norm_first": False},
    "learned positions": {"positions": "learned"},
    "rotary positions": {"positions": "rotary"},
    "no positions": {"positions": "none"},
    "RMSNorm": {"norm": "rms"},
    "PyTorch's LayerNorm": {"norm": "torch"},
    "GELU": {"feed_forward": "gelu"},
    "SwiGLU": {"feed_forward": "swiglu"},
    "tied": {"tied": True},
    "grouped": {"groups": 2},
    "multi-query": {"groups": 1},
    "window": {"window": 3},
    "experts": {"experts": 5},
    "two experts a word": {"experts": 5, "top_k": 2, "feed_forward": "swiglu"},
    "all that Llama has": {
        "positions": "rotary",
        "norm": "rms",
        "feed_forward": "swiglu",
        "groups": 2,
        "bias": False,
        "generator_bias": False,
        "scale_embeddings": False,
        "window": 3,
    },
    "all that BERT has": {
        "norm_first": False,
        "positions": "learned",
        "feed_forward": "gelu",
        "tied": True,
        "scale_embeddings": False,
        "embedding_norm": True,
        "transformed": True,
    },
}


def made(kind: str = "decoder", seed: int = 0, **switches: Any) -> Any:
    """In evaluation mode, biases and norms away from the 0 and 1 they start at."""
    torch.manual_seed(seed)
    model = MAKE[kind](VOCAB, **(SIZES | switches)).eval()
    unsettle(model)
    return model


def rows(lengths: list[int] | None = None) -> Tensor:
    """(3, 7) int64, with paddings unless all `lengths` are 7."""
    return padded(lengths or [5, LENGTH, 6], LENGTH, VOCAB, torch.Generator().manual_seed(0))


def logits(model: OneStack, tokens: Tensor, mask: Tensor | None = None) -> Tensor:
    with torch.no_grad(), record(model) as trace:
        model.generator(model(tokens, mask))
    return trace["generator.logits"]


__all__ = ["BATCH", "LENGTH", "MAKE", "SIZES", "SWITCHES", "VOCAB", "logits", "made", "rows"]
