"""Faults of attention (paper, section 3.2): its scale, its mask, its softmax, and how the heads are merged."""

from torch import Tensor, nn

from transformer_core.attention import AttentionSteps, MultiHeadedAttention
from transformer_core.exercises.faults.fault import Draw, Fault
from transformer_core.model import EncoderDecoder
from transformer_core.verify.broken import MaskOffByOne, SoftmaxOverQueries, WithoutScale


class MergedWithoutTranspose(MultiHeadedAttention):
    """The heads (h, T, d_k) are read as (T, h · d_k) as they lie in memory: nobody has swapped heads and positions."""

    def merge(self, heads: Tensor) -> Tensor:
        batch, h, length, d_k = heads.shape
        return super().merge(heads.reshape(batch, length, h, d_k).transpose(1, 2))


class WithSilentHead(MultiHeadedAttention):
    """The output of one head is zero, wherever it looks."""

    silent = 0

    def attend(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> AttentionSteps:
        steps = super().attend(query, key, value, mask)
        output = steps.output.clone()
        output[:, self.silent] = 0.0
        return steps._replace(output=output)


def attentions(model: nn.Module) -> dict[str, MultiHeadedAttention]:
    """By their paths, in the order of the data: the encoder's first."""
    return {path: part for path, part in model.named_modules() if isinstance(part, MultiHeadedAttention)}


def without_scale(model: EncoderDecoder, draw: Draw) -> str:
    return _everywhere(model, WithoutScale, "encoder.layers.0.self_attn.scores")


def mask_off_by_one(model: EncoderDecoder, draw: Draw) -> str:
    return _everywhere(model, MaskOffByOne, "decoder.layers.0.self_attn.masked")


def softmax_over_queries(model: EncoderDecoder, draw: Draw) -> str:
    return _everywhere(model, SoftmaxOverQueries, "encoder.layers.0.self_attn.weights")


def merged_without_transpose(model: EncoderDecoder, draw: Draw) -> str:
    return _everywhere(model, MergedWithoutTranspose, "encoder.layers.0.self_attn.merged")


def silent_head(model: EncoderDecoder, draw: Draw) -> str:
    """One head of one attention, both drawn."""
    every = attentions(model)
    path = list(every)[draw("attention", len(every))]
    attention = every[path]
    attention.__class__ = WithSilentHead
    vars(attention)["silent"] = draw("head", attention.h)
    return f"{path}.heads"


def _everywhere(model: EncoderDecoder, kind: type[MultiHeadedAttention], first: str) -> str:
    for attention in attentions(model).values():
        attention.__class__ = kind
    return first


SCALE = Fault("scale", without_scale, ("scale",))
MASK = Fault("mask", mask_off_by_one, ("mask",))
AXIS = Fault("axis", softmax_over_queries, ("axis",))
MERGE = Fault("merge", merged_without_transpose, ("merge",))
HEAD = Fault("head", silent_head, ("head",))
