"""The backward pass by hand through a model of one stack: block by block, last block first.

Of the parts of 2017 it takes the functions of `transformer_core.backward`, of the others those of `gradients`. It knows
the pre-norm form with the `LayerNorm` of this package or with RMSNorm, without dropout.
"""

import math
from typing import Any, cast

import torch
from torch import Tensor

from transformer_core.after_2017.experts import MixtureOfExperts
from transformer_core.after_2017.feed_forwards import GeluFeedForward, SwiGLUFeedForward
from transformer_core.after_2017.gradients import (
    READ_TOO,
    grouped_attention,
    network,
    rms_norm,
)
from transformer_core.after_2017.grouped_attention import GroupedAttention
from transformer_core.after_2017.one_stack import OneStack
from transformer_core.after_2017.rms_norm import RMSNorm
from transformer_core.attention import MultiHeadedAttention
from transformer_core.backward import (
    READ,
    Gradients,
    Tape,
    added,
    attention,
    layer_norm,
    linear,
    projections,
)
from transformer_core.dropout import Dropout
from transformer_core.encoder import EncoderLayer
from transformer_core.feed_forward import PositionwiseFeedForward
from transformer_core.layer_norm import LayerNorm
from transformer_core.learned_positions import LearnedPositions
from transformer_core.residual import SublayerConnection
from transformer_core.trace import Trace

NORMS = LayerNorm, RMSNorm
ATTENTIONS = MultiHeadedAttention, GroupedAttention
NETWORKS = PositionwiseFeedForward, GeluFeedForward, SwiGLUFeedForward, MixtureOfExperts


def covers(model: OneStack) -> bool:
    """Whether `backward` knows every block of this model as it is now."""
    layers = cast(list[EncoderLayer], model.stack.layers)
    connections = [each for layer in layers for each in cast(list[SublayerConnection], layer.sublayer)]
    drops = any(module.p > 0 and module.training for module in model.modules() if isinstance(module, Dropout))
    blocks = all(type(each.self_attn) in ATTENTIONS and type(each.feed_forward) in NETWORKS for each in layers)
    norms = all(type(norm) in NORMS for norm in (model.stack.norm, *(each.norm for each in connections)))
    plain = not (model.shape.embedding_norm or model.shape.transformed)
    return not drops and blocks and norms and plain and all(each.norm_first for each in connections)


def reads(path: str) -> bool:
    """Whether `backward` needs the recorded value at this path."""
    return path.endswith((*READ, *READ_TOO)) or (".experts." in path and path.endswith(".output"))


def backward(model: OneStack, trace: Trace, tokens: Tensor, mask: Tensor | None, gradient: Tensor) -> Gradients:
    """All gradients by their paths, those of parameters too, from that of the logits (batch, length, vocab).

    `trace` is of `model.generator(model(tokens, mask))`. A tied matrix has its gradient under the path of the table.
    ValueError unless `covers(model)`.
    """
    if not covers(model):
        raise ValueError("the backward pass by hand is for pre-norm models with norms of this package, without dropout")
    found: Gradients = {}

    def keep(path: str, gradient: Tensor) -> None:
        found[path] = gradient.view(trace[path].shape) if path in trace else gradient

    last_block_first(Tape(trace, keep), model, tokens, model.own_mask(tokens) if mask is None else mask, gradient)
    return found


def last_block_first(
    tape: Tape,
    model: OneStack,
    tokens: Tensor,
    mask: Tensor | None,
    gradient: Tensor,
    places: Tensor | None = None,
) -> None:
    """The same for a tape that has recorded what this `reads`, or more. On the way vectors are rows, one below the
    other: (batch · length, features). Where a token's place in its row is not its position, `places` tells that."""
    name, proj = model.STACK, model.generator.proj
    logits, given = tape.note("generator.logits", gradient.flatten(0, -2)), tape.rows(f"{name}.output")
    if model.shape.tied:  # its matrix is the table, which waits for what is looked up in it
        if proj.bias is not None:
            tape.total(("generator.proj.bias",), logits)
        output = logits @ proj.weight
    else:
        output = linear(tape, "generator.proj", proj, given, logits)
    stream = norm(tape, f"{name}.norm", model.stack.norm, tape.note(f"{name}.output", output))
    for n, layer in reversed(list(enumerate(model.stack.layers))):
        stream = one_layer(tape, f"{name}.layers.{n}", cast(EncoderLayer, layer), mask, stream)
    if places is None:
        places = torch.arange(tokens.size(1), device=tokens.device).expand(tokens.shape)
    looked_up(tape, model, tokens, places, stream, logits.T @ given if model.shape.tied else None)


def one_layer(tape: Tape, path: str, layer: EncoderLayer, mask: Tensor | None, gradient: Tensor) -> Tensor:
    first, second = cast(list[SublayerConnection], layer.sublayer)
    at = f"{path}.sublayer.1"
    branch = added(tape, at, gradient := tape.note(f"{path}.output", gradient))
    given = network(tape, f"{path}.feed_forward", layer.feed_forward, tape.rows(f"{at}.given"), branch)
    gradient = joined(tape, at, second, given, gradient)
    at = f"{path}.sublayer.0"
    branch = added(tape, at, gradient)
    given = to_itself(tape, f"{path}.self_attn", layer.self_attn, mask, tape.rows(f"{at}.given"), branch)
    return joined(tape, at, first, given, gradient)


def joined(tape: Tape, path: str, connection: SublayerConnection, given: Tensor, gradient: Tensor) -> Tensor:
    """The two ways into a residual connection meet: through the norm and the sub-layer, and past them."""
    through = norm(tape, f"{path}.norm", connection.norm, tape.note(f"{path}.given", given))
    return tape.note(f"{path}.input", gradient + tape.note(f"{path}.norm.input", through))


def norm(tape: Tape, path: str, module: Any, gradient: Tensor) -> Tensor:
    return (rms_norm if isinstance(module, RMSNorm) else layer_norm)(tape, path, module, gradient)


def to_itself(tape: Tape, path: str, module: Any, mask: Tensor | None, given: Tensor, gradient: Tensor) -> Tensor:
    if isinstance(module, GroupedAttention):
        return grouped_attention(tape, path, module, mask, given, gradient)
    return projections(tape, path, module, (0, 1, 2), attention(tape, path, module, mask, gradient), given)


def looked_up(
    tape: Tape, model: OneStack, tokens: Tensor, places: Tensor, gradient: Tensor, also: Tensor | None
) -> None:
    """The rows of the table get what all places of their tokens get, and what a tied generator gives them, `also`."""
    positions, path, weight = model.embed[1], f"{model.EMBED}.0", model.table.weight
    tape.note(f"{model.EMBED}.1.output", gradient)
    if isinstance(positions, LearnedPositions):
        tape.looked_up(f"{model.EMBED}.1.lut.weight", positions.lut.weight, places, gradient)
    scale = math.sqrt(weight.size(1)) if model.shape.scale_embeddings else 1.0
    rows = tape.note(f"{path}.rows", tape.note(f"{path}.output", gradient) * scale)
    if also is None:
        tape.looked_up(f"{path}.lut.weight", weight, tokens, rows)
        return
    place = tape.place((f"{path}.lut.weight",))
    total = also.index_add(0, tokens.flatten(), rows)
    if place is None:
        tape.keep(f"{path}.lut.weight", total)
    else:
        place.copy_(total)
