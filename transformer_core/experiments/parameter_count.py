"""Where a model's parameters are, and how many the paper's two models have (paper, table 3)."""

from functools import cache
from typing import NamedTuple

import torch

from transformer_core.model import EncoderDecoder, make_model

PAPER_VOCAB = 37_000  # tokens of English and German together (section 5.1), in one matrix for all (section 3.4)


class ModelSizes(NamedTuple):
    """A row of the paper's table 3; `stated` is the number of parameters that stands there."""

    N: int
    d_model: int
    d_ff: int
    h: int
    stated: int


PAPER = {"base": ModelSizes(6, 512, 2048, 8, 65_000_000), "big": ModelSizes(6, 1024, 4096, 16, 213_000_000)}

# The blocks of figure 1, in the order of the forward pass, and how the names of their parameters begin and go on.
BLOCKS = {
    "src_embed": ("src_embed.", ""),
    "encoder.self_attn": ("encoder.", ".self_attn."),
    "encoder.feed_forward": ("encoder.", ".feed_forward."),
    "encoder.norm": ("encoder.", "norm."),
    "tgt_embed": ("tgt_embed.", ""),
    "decoder.self_attn": ("decoder.", ".self_attn."),
    "decoder.src_attn": ("decoder.", ".src_attn."),
    "decoder.feed_forward": ("decoder.", ".feed_forward."),
    "decoder.norm": ("decoder.", "norm."),
    "generator": ("generator.", ""),
}


def per_block(model: EncoderDecoder) -> dict[str, int]:
    """Parameters of each block, all layers together; every parameter belongs to exactly one.

    A matrix that blocks share is counted in the first of them."""
    counts = dict.fromkeys(BLOCKS, 0)
    for name, parameter in model.named_parameters():
        (block,) = (key for key, (start, part) in BLOCKS.items() if name.startswith(start) and part in name)
        counts[block] += parameter.numel()
    return counts


def per_part(model: EncoderDecoder) -> dict[str, int]:
    """The same by part: both embeddings, encoder, decoder, generator."""
    counts = per_block(model)
    parts = {
        "embeddings": ("src_embed", "tgt_embed"),
        **{part: (part,) for part in ("encoder", "decoder", "generator")},
    }
    return {
        part: sum(count for name, count in counts.items() if name.startswith(starts)) for part, starts in parts.items()
    }


@cache
def of_the_paper(name: str) -> dict[str, int]:
    """Parameters by part of the paper's "base" or "big" model, whose embeddings and generator share one matrix.

    Counted on a model without memory, in the post-norm form. Its linear layers have a bias, the shared matrix none.
    """
    sizes = PAPER[name]
    with torch.device("meta"):
        model = make_model(
            PAPER_VOCAB, PAPER_VOCAB, sizes.N, sizes.d_model, sizes.d_ff, sizes.h,
            norm_first=False, max_len=1, tied=True,
        )  # fmt: skip
    return per_part(model) | {"generator": 0}
