"""The backward pass by hand through a model of one stack: the functions of `transformer_core.backward`, in its order.

It knows the pre-norm form with the parts of 2017, with sinusoids or learned positions, without dropout.
"""

from typing import cast

from torch import Tensor

from transformer_core.after_2017.one_stack import OneStack
from transformer_core.attention import MultiHeadedAttention
from transformer_core.backward import Gradients, Tape, embeddings, encoder_layer, layer_norm, linear
from transformer_core.dropout import Dropout
from transformer_core.encoder import EncoderLayer
from transformer_core.feed_forward import PositionwiseFeedForward
from transformer_core.layer_norm import LayerNorm
from transformer_core.trace import Trace


def covers(model: OneStack) -> bool:
    """Whether `backward` knows every block of this model as it is now."""
    shape = model.shape
    drops = any(module.p > 0 and module.training for module in model.modules() if isinstance(module, Dropout))
    as_built = all(
        type(layer.self_attn) is MultiHeadedAttention
        and type(layer.feed_forward) is PositionwiseFeedForward
        and all(connection.norm_first and type(connection.norm) is LayerNorm for connection in layer.sublayer)
        for layer in cast(list[EncoderLayer], model.stack.layers)
    )
    plain = not (shape.tied or shape.embedding_norm or shape.transformed)
    ends = shape.generator_bias and shape.scale_embeddings and type(model.stack.norm) is LayerNorm
    return not drops and as_built and plain and ends


def backward(model: OneStack, trace: Trace, tokens: Tensor, mask: Tensor | None, gradient: Tensor) -> Gradients:
    """All gradients by their paths, those of parameters too, from that of the logits (batch, length, vocab).

    `trace` is of `model.generator(model(tokens, mask))`. ValueError unless `covers(model)`.
    """
    if not covers(model):
        raise ValueError("the backward pass by hand is for pre-norm models of the parts of 2017, without dropout")
    found: Gradients = {}

    def keep(path: str, gradient: Tensor) -> None:
        found[path] = gradient.view(trace[path].shape) if path in trace else gradient

    last_block_first(Tape(trace, keep), model, tokens, model.own_mask(tokens) if mask is None else mask, gradient)
    return found


def last_block_first(tape: Tape, model: OneStack, tokens: Tensor, mask: Tensor | None, gradient: Tensor) -> None:
    """The same for a tape that has recorded what `transformer_core.backward` reads."""
    name = model.STACK
    logits = tape.note("generator.logits", gradient.flatten(0, -2))
    output = linear(tape, "generator.proj", model.generator.proj, tape.rows(f"{name}.output"), logits)
    output = tape.note(f"{name}.output", output)
    stream = layer_norm(tape, f"{name}.norm", cast(LayerNorm, model.stack.norm), output)
    for n, layer in reversed(list(enumerate(model.stack.layers))):
        stream = encoder_layer(tape, f"{name}.layers.{n}", cast(EncoderLayer, layer), mask, stream)
    embeddings(tape, model.EMBED, model.embed, tokens, stream)
