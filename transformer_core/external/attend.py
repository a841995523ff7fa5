"""The attention of `nn.MultiheadAttention` head by head, from its own matrices and what it was given."""

import inspect
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from transformer_core.attention import AttentionSteps, attention_steps
from transformer_core.external.layers import Attended
from transformer_core.external.watch import Calls, ModuleCall
from transformer_core.trace import Keep, Trace, as_computed

MASKS = ("attn_mask", "key_padding_mask")
INSIDE = (
    "query",
    "key",
    "value",
    *AttentionSteps._fields[:-1],
    "heads",
    "merged",
)  # of the module: no border of a part's
NEVER = -1e4  # added to a score, it leaves a weight of exactly 0

_ARGUMENTS = inspect.signature(nn.MultiheadAttention.forward)


def batch_first(x: Tensor, module: nn.MultiheadAttention) -> Tensor:
    """What the module takes or returns, as (batch, length, size): also a single sequence, also length first."""
    if x.dim() == 2:
        return x.unsqueeze(0)
    return x if module.batch_first else x.transpose(0, 1)


def attended(call: ModuleCall, calls: Calls, path: str, keep: Keep = as_computed) -> Attended:
    """A run of an `nn.MultiheadAttention`, held to its output."""
    steps = attention_trace(call, path, keep)
    return Attended(steps, "output", steps["output"])


def changed_output(call: ModuleCall, calls: Calls, path: str, keep: Keep) -> Tensor:
    """What the module would put out after changed steps, in its own layout."""
    module: Any = call.module
    output = attention_trace(call, path, keep)["output"]
    if call.output.dim() == 2:
        return output.squeeze(0)
    return output if module.batch_first else output.transpose(0, 1)


def attention_trace(call: ModuleCall, path: str, keep: Keep = as_computed) -> Trace:
    """Every step of equation (1) in all heads, under the names of `MultiHeadedAttention`; `output` is what they lead
    to, to be held against the module's own. Each step goes through `keep`, and the next one uses what that returns. In
    half precision the steps are computed in float32. ValueError, with its path, for a module that does something else
    besides.
    """
    module: Any = call.module
    if module.bias_k is not None or module.add_zero_attn:
        raise ValueError(f"{path} adds keys of its own (add_bias_kv, add_zero_attn), for which there is no token")
    called = _ARGUMENTS.bind(module, *call.args, **call.kwargs).arguments
    given = [batch_first(called[name], module) for name in ("query", "key", "value")]
    q, k, v = (
        keep(
            name, linear(x, weight, bias).unflatten(-1, (module.num_heads, -1)).transpose(1, 2)
        )  # (batch, h, length, d_k)
        for name, x, (weight, bias) in zip(("query", "key", "value"), given, _projections(module))
    )
    mask = allowed([called.get(name) for name in MASKS], q, k, path)
    some = None if mask is None else mask.any(-1, keepdim=True)

    def attending(step: str, value: Tensor) -> Tensor:
        """A row that may attend to nothing is uniform with us, and all 0 over there."""
        return keep(step, value * some if step == "weights" and some is not None else value)

    steps = attention_steps(fine(q), fine(k), fine(v), mask, keep=attending)
    heads = keep("heads", steps.output)
    merged = keep("merged", heads.transpose(1, 2).flatten(2))  # (batch, T, d_model)
    return {
        "query": q,
        "key": k,
        "value": v,
        **dict(zip(AttentionSteps._fields[:-1], steps)),
        "heads": heads,
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


def allowed(given: list[Tensor | None], q: Tensor, k: Tensor, path: str) -> Tensor | None:
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
