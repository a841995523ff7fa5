"""Where the stacks of a model of somebody else's are, and whether they have what figure 1 of the paper has."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from torch import nn

from transformer_core.external.attend import INSIDE, attended, batch_first, changed_output
from transformer_core.external.layers import FEED_FORWARD, AttentionKind, Built, Stack, Sublayer
from transformer_core.external.watch import Calls

ENCODER_LAYER = ("norm_first", "self_attn", "linear1", "linear2", "norm1", "norm2", "dropout1", "dropout2")
DECODER_LAYER = (*ENCODER_LAYER, "multihead_attn", "norm3", "dropout3")


def stack(model: nn.Module, kind: type[nn.Module], given: nn.Module | None, name: str) -> Stack:
    """The encoder or decoder: the given one, or the only one of its kind. ValueError if there are none or several, or
    if its layers lack something."""
    found = [given] if given is not None else _only_found(model, kind, name)
    if len(found) != 1:
        how_many = f"{len(found)} modules of the kind" if found else "no"
        raise ValueError(
            f"{type(model).__name__} has {how_many} nn.{kind.__name__}: say which module it is with {name}=…"
        )
    (one,) = found
    path = paths(model).get(one, name)
    layers = list(getattr(one, "layers", []))
    if not layers:
        raise ValueError(f"{path} has no layers")
    if len(set(layers)) < len(layers):
        raise ValueError(f"{path} runs one layer several times: a recording would hold its last run alone")
    for at, layer in enumerate(layers):
        _check_layer(layer, f"{path}.layers.{at}", DECODER_LAYER if name == "decoder" else ENCODER_LAYER)
    return Stack(one, path, layers, "layers", _built)


def _built(layer: Any, calls: Calls, path: str) -> Built:
    """How a layer of `torch.nn` is built."""
    attentions = {"self_attn": "self_attn"} | (
        {"src_attn": "multihead_attn"} if hasattr(layer, "multihead_attn") else {}
    )
    sublayers = [
        Sublayer(ours, theirs, f"dropout{at}", f"norm{at}") for at, (ours, theirs) in enumerate(attentions.items(), 1)
    ]
    at = len(sublayers) + 1
    sublayers.append(Sublayer(FEED_FORWARD, "linear1", f"dropout{at}", f"norm{at}", second="linear2"))
    attention = AttentionKind(attended, changed_output, INSIDE, lambda module: ())
    return Built(sublayers, layer.norm_first, attention, partial(batch_first, module=layer.self_attn))


def paths(model: nn.Module) -> dict[nn.Module, str]:
    """What the model calls its modules: "transformer.encoder.layers.0"."""
    return {module: path or type(model).__name__ for path, module in model.named_modules()}


def _only_found(model: nn.Module, kind: type[nn.Module], name: str) -> list[nn.Module]:
    """All of the kind; in an nn.Transformer whatever it has in that place."""
    there: Iterable[Any] = (getattr(one, name) for one in model.modules() if isinstance(one, nn.Transformer))
    return list(dict.fromkeys([*there, *(one for one in model.modules() if isinstance(one, kind))]))


def _check_layer(layer: Any, path: str, wanted: tuple[str, ...]) -> None:
    missing = [part for part in wanted if not hasattr(layer, part)]
    if missing:
        raise ValueError(f"{path}, a {type(layer).__name__}, has no {', '.join(missing)}")
    for part in ("self_attn", "multihead_attn"):
        attention = getattr(layer, part, None)
        if attention is not None and not isinstance(attention, nn.MultiheadAttention):
            raise ValueError(f"{path}.{part} is a {type(attention).__name__}, not an nn.MultiheadAttention")
