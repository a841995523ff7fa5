"""The attention of `nn.MultiheadAttention` head by head, from its own matrices and what it was given."""

import inspect
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from transformer_core.attention import AttentionSteps, attention_steps
from transformer_core.external.layers import Attended
from transformer_core.external.watch import Calls, ModuleCall
from transformer_core.trace import Trace

MASKS = ("attn_mask", "key_padding_mask")
NEVER = -1e4  # added to a score, it leaves a weight of exactly 0

_ARGUMENTS = inspect.signature(nn.MultiheadAttention.forward)


def batch_first(x: Tensor, module: nn.MultiheadAttention) -> Tensor:
    """What the module takes or returns, as (batch, length, size): also a single sequence, also length first."""
    if x.dim() == 2:
        return x.unsqueeze(0)
    return x if module.batch_first else x.transpose(0, 1)


def attended(module: nn.Module, calls: Calls, path: str) -> Attended:
    """The last run of an `nn.MultiheadAttention`, held to its output."""
    assert isinstance(module, nn.MultiheadAttention)
    call = calls.last(module, path)
    steps = attention_trace(call, path)
    return Attended(steps, [(steps["output"], batch_first(call.output, module))])


def attention_trace(call: ModuleCall, path: str) -> Trace:
    """Every step of equation (1) in all heads, under the names of `MultiHeadedAttention`; `output` is what they lead
    to, to be held against the module's own. In half precision the steps are computed in float32. ValueError, with its
    path, for a module that does something else besides.
    """
    module: Any = call.module
    if module.bias_k is not None or module.add_zero_attn:
        raise ValueError(f"{path} adds keys of its own (add_bias_kv, add_zero_attn), for which there is no token")
    called = _ARGUMENTS.bind(module, *call.args, **call.kwargs).arguments
    given = [batch_first(called[name], module) for name in ("query", "key", "value")]
    q, k, v = (
        linear(x, weight, bias).unflatten(-1, (module.num_heads, -1)).transpose(1, 2)  # (batch, h, length, d_k)
        for x, (weight, bias) in zip(given, _projections(module))
    )
    mask = _may_attend([called.get(name) for name in MASKS], q, k, path)
    steps = attention_steps(fine(q), fine(k), fine(v), mask)
    if mask is not None:  # a row that may attend to nothing is uniform with us, and all 0 over there
        some = mask.any(-1, keepdim=True)
        weights = steps.weights * some
        steps = steps._replace(weights=weights, dropped=weights, output=steps.output * some)
    merged = steps.output.transpose(1, 2).flatten(2)  # (batch, T, d_model)
    return {
        "query": q,
        "key": k,
        "value": v,
        **dict(zip(AttentionSteps._fields[:-1], steps)),
        "heads": steps.output,
        "merged": merged,
        "output": linear(merged.to(q.dtype), module.out_proj.weight, module.out_proj.bias),
    }


def fine(x: Tensor) -> Tensor:
    """No coarser than float32: steps that a fused kernel does not round should not be rounded here either."""
    return x if torch.finfo(x.dtype).bits >= 32 else x.float()


def _projections(module: Any) -> list[tuple[Tensor, Tensor | None]]:
    """Weight and bias of W_Q, W_K and W_V, which are one matrix unless keys or values have a size of their own."""
    if module.in_proj_weight is None:
        weights = (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight)
    else:
        weights = module.in_proj_weight.chunk(3)
    biases = (None, None, None) if module.in_proj_bias is None else module.in_proj_bias.chunk(3)
    return list(zip(weights, biases))


def _may_attend(given: list[Tensor | None], q: Tensor, k: Tensor, path: str) -> Tensor | None:
    """Both MASKS as one, True = may attend: broadcasts to (batch, h, T, S). None without a mask."""
    (batch, h, T, _), S = q.shape, k.size(-2)
    pairs, keys = given
    masks = []
    if pairs is not None:  # (T, S) or (batch·h, T, S)
        masks.append(_allowed(pairs, path).view(-1 if pairs.dim() == 2 else batch, 1 if pairs.dim() == 2 else h, T, S))
    if keys is not None:  # (batch, S)
        masks.append(_allowed(keys, path).view(batch, 1, 1, S))
    return torch.logical_and(masks[0], masks[-1]) if masks else None


def _allowed(mask: Tensor, path: str) -> Tensor:
    """A mask of theirs the other way round: True = blocked there, or numbers that are added to the scores."""
    return ~mask if mask.dtype == torch.bool else free(mask, path)


def free(mask: Tensor, path: str) -> Tensor:
    """Where a mask lets attend: one of True = may attend, or of numbers that are added to the scores. ValueError if
    these do more than to block."""
    if mask.dtype == torch.bool:
        return mask
    if not ((mask == 0) | (mask <= NEVER)).all():
        raise ValueError(f"the mask of {path} adds numbers to the scores: only one of 0 and -inf can be shown")
    return mask == 0
