"""The attention of modules with four linear layers of their own, head by head, as those of Hugging Face's are.

FSMT's take their vectors length first, with the masks of `nn.MultiheadAttention`.
"""

import inspect
from typing import Any

from torch import Tensor, nn

from transformer_core.attention import AttentionSteps, attention_steps
from transformer_core.external.attend import MASKS, allowed, fine, free
from transformer_core.external.changes import GIVEN, OUTPUT, Border, Lay
from transformer_core.external.embed import as_is
from transformer_core.external.layers import Attended
from transformer_core.external.watch import Calls, ModuleCall
from transformer_core.masks import subsequent_mask
from transformer_core.trace import Keep, as_computed

INSIDE = (*AttentionSteps._fields[:-1], "heads")  # the steps that pass no module of its own
LAYERS = (("q_proj", "k_proj", "v_proj", "out_proj"), ("q", "k", "v", "o"))  # Marian's and BART's; T5's, unscaled


def attended(call: ModuleCall, calls: Calls, path: str, keep: Keep = as_computed) -> Attended:
    """Every step of equation (1) in all heads, from what its linear layers have put out in its last run.

    What it leads to, the heads side by side, is held to what its last layer was given. With a bias for relative
    positions, "bias" (1, h, T, S), the scores are products + bias. Each step goes through `keep`, and the next one uses
    what that returns. ValueError, with its path, if it has other parts.
    """
    module, names, heads = call.module, *_parts(call.module, path)
    runs = [calls.last(getattr(module, name), f"{path}.{name}") for name in names]
    lay = lay_of(module)
    q, k, v = (_cut(lay(run.output), heads) for run in runs[:3])
    bias = _bias(module, call, q, k)

    def biased(step: str, value: Tensor) -> Tensor:
        return keep(step, value + bias if step == "scores" and bias is not None else value)

    mask = may_attend(module, call, q, k, path)
    steps = attention_steps(fine(q), fine(k), fine(v), mask, scale=names is LAYERS[0], keep=biased)
    attending = keep("heads", steps.output)
    trace = {
        "query": q,
        "key": k,
        "value": v,
        **({} if bias is None else {"bias": bias}),
        **dict(zip(AttentionSteps._fields[:-1], steps)),
        "heads": attending,
        "merged": lay(runs[3].first),  # (batch, T, d_model)
        "output": lay(runs[3].output),
    }
    return Attended(trace, "merged", attending.transpose(1, 2).flatten(2))


def changed_output(call: ModuleCall, calls: Calls, path: str, keep: Keep) -> Tensor:
    """What the module would put out after changed steps: its last layer runs once more."""
    (names, _), computed = _parts(call.module, path), attended(call, calls, path, keep).computed
    merged = lay_of(call.module)(computed)  # back as the module has it: two lengths change places
    output: Tensor = getattr(call.module, names[3])(merged.to(call.output.dtype))
    return output


def borders(module: nn.Module) -> list[tuple[Border, str, Lay]]:
    """Where queries, keys and values leave its linear layers, and the merged heads enter the last one."""
    names, heads = _parts(module, "")
    lay = lay_of(module)

    def cut(x: Tensor) -> Tensor:
        return _cut(lay(x), heads)

    parts = zip(names, ("query", "key", "value"))
    return [
        *((Border(getattr(module, part), OUTPUT), step, cut) for part, step in parts),
        (Border(getattr(module, names[3]), GIVEN), "merged", lay),
    ]


def _parts(module: Any, path: str) -> tuple[tuple[str, ...], int]:
    """What it calls its four linear layers, also wrapped ones, and how many heads it has."""
    names = next((each for each in LAYERS if all(is_linear(getattr(module, name, None)) for name in each)), None)
    heads = getattr(module, "num_heads", getattr(module, "n_heads", None))
    if names is None or heads is None:
        raise ValueError(f"{path}, a {type(module).__name__}, is no attention of four linear layers")
    return names, heads


def lay_of(module: nn.Module) -> Lay:
    """How its vectors are seen as (batch, length, d_model), and the other way round."""
    return _swapped if length_first(module) else as_is


def length_first(module: nn.Module) -> bool:
    """Whether an attention of theirs takes its vectors so."""
    return "key_padding_mask" in inspect.signature(module.forward).parameters


def _swapped(x: Tensor) -> Tensor:
    return x.transpose(0, 1)


def is_linear(module: Any) -> bool:
    """One of PyTorch's, or of LoRA's, which holds one."""
    return isinstance(module, nn.Linear) or isinstance(getattr(module, "base_layer", None), nn.Linear)


def _cut(x: Tensor, heads: int) -> Tensor:
    """(batch, length, h · d_k) -> a view of it, (batch, h, length, d_k)."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def _bias(module: Any, call: ModuleCall, q: Tensor, k: Tensor) -> Tensor | None:
    """For the distance of query and key, of the module's own table or of the first layer's: (1, h, T, S)."""
    bias = call.kwargs.get("position_bias")
    if bias is None and hasattr(module, "relative_attention_bias"):
        bias = module.compute_bias(q.size(-2), k.size(-2))
    return bias if isinstance(bias, Tensor) and bias.any() else None


def may_attend(module: Any, call: ModuleCall, q: Tensor, k: Tensor, path: str) -> Tensor | None:
    """True = may attend: broadcasts to (batch, h, T, S). None without a mask.

    Where it is the look-ahead alone, the module is given none, and knows that it is causal.
    """
    if length_first(module):
        return allowed([call.kwargs.get(name) for name in MASKS], q, k, path)
    mask = call.kwargs.get("attention_mask", call.kwargs.get("mask"))
    if isinstance(mask, Tensor):
        return free(mask, path)[..., : k.size(-2)]
    length = q.size(-2)
    return subsequent_mask(length, device=q.device) if getattr(module, "is_causal", False) and length > 1 else None
