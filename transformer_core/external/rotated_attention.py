"""The attention of T5Gemma, head by head: rotary positions, keys and values in groups, and scores within a limit."""

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from transformer_core.attention import AttentionSteps, attention_steps
from transformer_core.external.attend import fine
from transformer_core.external.changes import GIVEN, OUTPUT, Border, Lay
from transformer_core.external.embed import as_is
from transformer_core.external.layers import Attended
from transformer_core.external.projected import is_linear, may_attend
from transformer_core.external.watch import Calls, ModuleCall
from transformer_core.trace import Keep, as_computed

INSIDE = ("query", "key", *AttentionSteps._fields[:-1], "heads")  # the steps that pass no module of its own
LAYERS = ("q_proj", "k_proj", "v_proj", "o_proj")


def attended(call: ModuleCall, calls: Calls, path: str, keep: Keep = as_computed) -> Attended:
    """Every step of equation (1) in all heads, from what its linear layers have put out in its last run.

    "query" is (batch, h, T, d_k), "key" and "value" (batch, groups, S, d_k); before the rotation the first two are
    "unrotated_query" and "unrotated_key". The scores are products · `scaling`, and c · tanh of that / c where they have
    a limit c. What the steps lead to is held to what the last layer was given. Each step goes through `keep`, and the
    next one uses what that returns. ValueError, with its path, if it has other parts.
    """
    module: Any = call.module
    if not all(is_linear(getattr(module, name, None)) for name in LAYERS):
        raise ValueError(f"{path}, a {type(module).__name__}, is no attention of four linear layers")
    runs = [calls.last(getattr(module, name), f"{path}.{name}") for name in LAYERS]
    before, unrotated_key, v = (_cut(run.output, module.head_dim) for run in runs[:3])
    positions = call.kwargs.get("position_embeddings")
    q, k = (
        keep(name, x if positions is None else _rotated(x, *positions))
        for name, x in (("query", before), ("key", unrotated_key))
    )

    def limited(step: str, value: Tensor) -> Tensor:
        return keep(step, _limited(value * module.scaling, limit(module)) if step == "scores" else value)

    groups = before.size(1) // v.size(1)
    keys, values = (each.repeat_interleave(groups, dim=1) for each in (k, v))
    mask = may_attend(module, call, q, keys, path)
    steps = attention_steps(fine(q), fine(keys), fine(values), mask, scale=False, keep=limited)
    attending = keep("heads", steps.output)
    trace = {
        **({} if positions is None else {"unrotated_query": before, "unrotated_key": unrotated_key}),
        "query": q,
        "key": k,
        "value": v,
        **dict(zip(AttentionSteps._fields[:-1], steps)),
        "heads": attending,
        "merged": runs[3].first,  # (batch, T, h · d_k)
        "output": runs[3].output,
    }
    return Attended(trace, "merged", attending.transpose(1, 2).flatten(2))


def changed_output(call: ModuleCall, calls: Calls, path: str, keep: Keep) -> Tensor:
    """What the module would put out after changed steps: its last layer runs once more."""
    module: Any = call.module
    output: Tensor = module.o_proj(attended(call, calls, path, keep).computed.to(call.output.dtype))
    return output


def borders(module: Any) -> list[tuple[Border, str, Lay]]:
    """Where what is rotated, and the values, leave its linear layers, and the merged heads enter the last one."""
    cut = partial(_cut, size=module.head_dim)
    rotated = hasattr(module, "sliding_window")  # as in the attention of a stack to itself
    unrotated = [("q_proj", "unrotated_query"), ("k_proj", "unrotated_key")] if rotated else []
    return [
        *((Border(getattr(module, part), OUTPUT), step, cut) for part, step in (*unrotated, ("v_proj", "value"))),
        (Border(module.o_proj, GIVEN), "merged", as_is),
    ]


def limit(module: nn.Module) -> float | None:
    """Within which its scores stay."""
    found: float | None = getattr(module, "attn_logit_softcapping", None)
    return found


def _limited(x: Tensor, limit: float | None) -> Tensor:
    return x if limit is None else limit * torch.tanh(x / limit)


def _rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Pairs (i, i + d_k / 2) by the angles of their positions: cos and sin (1, length, d_k)."""
    first, second = x.chunk(2, dim=-1)
    return x * cos.unsqueeze(1) + torch.cat([-second, first], dim=-1) * sin.unsqueeze(1)


def _cut(x: Tensor, size: int) -> Tensor:
    """(batch, length, heads · d_k) -> a view of it, (batch, heads, length, d_k)."""
    return x.unflatten(-1, (-1, size)).transpose(1, 2)
