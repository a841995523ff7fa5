"""The backward pass by hand: from the gradient of the logits to that of every recorded value and every parameter.

The chain rule, block by block and last block first, from a recording of the forward pass: where that has the value
`trace["encoder.output"]`, `backward` gives the gradient of the loss by it under the same path, and that of a parameter
under the parameter's name. Each function takes the gradient of its block's output and gives that of its input.

It knows pre-norm models of `make_model` without dropout; `covers` says of a model whether it is one.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

import torch
from torch import Tensor, nn

from transformer_core.attention import MultiHeadedAttention
from transformer_core.decoder import DecoderLayer
from transformer_core.dropout import Dropout
from transformer_core.embeddings import Embeddings
from transformer_core.encoder import EncoderLayer
from transformer_core.feed_forward import PositionwiseFeedForward
from transformer_core.layer_norm import LayerNorm, normalisation_gradient
from transformer_core.learned_positions import LearnedPositions
from transformer_core.masks import Masks, boolean_mask
from transformer_core.model import EncoderDecoder
from transformer_core.residual import SublayerConnection
from transformer_core.trace import Trace

Gradients = dict[str, Tensor]  # by path, each of the shape of its value
READ = (
    "decoder.output", "encoder.output", ".given", ".normalised", ".std", ".query", ".key", ".value", ".weights",
    ".merged", ".hidden",
)  # fmt: skip


def dropped(path: str, gradient: Tensor) -> None:
    """No gradient is kept."""


def nowhere(paths: tuple[str, ...]) -> None:
    """No gradient has a place before it is there."""


@dataclass(slots=True)
class Tape:
    """What the forward pass has recorded, and what becomes of every gradient: `keep(path, gradient)`.

    Where `place(paths)` says where the gradients of parameters are wanted, one below the other, they are put there.
    """

    trace: Trace
    keep: Callable[[str, Tensor], None] = dropped
    place: Callable[[tuple[str, ...]], Tensor | None] = nowhere
    enters: Mapping[str, Tensor] = field(default_factory=dict)  # gradients by path that come from beside the logits

    def rows(self, path: str) -> Tensor:
        """The vectors of a recorded value, one below the other: (batch, length, features) -> (rows, features)."""
        return self.trace[path].flatten(0, -2)

    def note(self, path: str, gradient: Tensor) -> Tensor:
        self.keep(path, gradient)
        return gradient

    def product(self, paths: tuple[str, ...], left: Tensor, right: Tensor) -> None:
        """left @ right is the gradient of the matrices at these paths, one below the other."""
        self._found(paths, place := self.place(paths), torch.mm(left, right, out=place))

    def total(self, paths: tuple[str, ...], rows: Tensor) -> None:
        """The sum of the rows is the gradient of the vectors at these paths, one after the other."""
        self._found(paths, place := self.place(paths), torch.sum(rows, 0, out=place))

    def looked_up(self, path: str, table: Tensor, ids: Tensor, rows: Tensor) -> None:
        """The gradient of a table at this path: each row belongs to the one that was looked up, the others to none."""
        place = self.place((path,))
        found = torch.zeros_like(table) if place is None else place.zero_()
        self._found((path,), place, found.index_add_(0, ids.flatten(), rows))

    def _found(self, paths: tuple[str, ...], place: Tensor | None, gradient: Tensor) -> None:
        if place is None:
            for path, part in zip(paths, gradient.chunk(len(paths)), strict=True):
                self.keep(path, part)


def covers(model: EncoderDecoder) -> bool:
    """Whether `backward` knows every block of this model as it is now. It adds up no gradients of a shared matrix."""
    shared = len([*model.named_parameters(remove_duplicate=False)]) > len([*model.parameters()])
    drops = any(module.p > 0 and module.training for module in model.modules() if isinstance(module, Dropout))
    connections = [module for module in model.modules() if isinstance(module, SublayerConnection)]
    ends = [getattr(stack, "norm", None) for stack in (model.encoder, model.decoder)]  # a rival's may have none
    norms = [*ends, *(connection.norm for connection in connections)]
    return (
        not (drops or shared)
        and all(one.norm_first for one in connections)
        and all(type(one) is LayerNorm for one in norms)
    )


def reads(path: str) -> bool:
    """Whether `backward` needs the recorded value at this path."""
    return path.endswith(READ)


def loss_gradient(log_probs: Tensor, true_dist: Tensor, ntokens: int) -> Tensor:
    """p − t at the logits, over the number of tokens: of the loss KL(t ‖ p) per token, rows without a target 0.

    log_probs and true_dist (…, vocab), rows of the latter sum to 1 or 0 -> (…, vocab)
    """
    return ((log_probs.exp() * true_dist.sum(-1, keepdim=True) - true_dist) / ntokens).to(log_probs)


def backward(
    model: EncoderDecoder,
    trace: Trace,
    src: Tensor,
    tgt: Tensor,
    src_mask: Tensor | None,
    tgt_mask: Tensor | None,
    gradient: Tensor,
) -> Gradients:
    """All gradients, from that of the logits (batch, T, vocab).

    `trace` is of `model.generator(model(src, tgt, src_mask, tgt_mask))`. ValueError unless `covers(model)`.
    """
    if not covers(model):
        raise ValueError("the backward pass by hand is for pre-norm models without dropout")
    found: Gradients = {}

    def keep(path: str, gradient: Tensor) -> None:
        found[path] = gradient.view(trace[path].shape) if path in trace else gradient

    last_block_first(Tape(trace, keep), model, src, tgt, Masks(src_mask, src_mask, tgt_mask), gradient)
    return found


def last_block_first(
    tape: Tape, model: EncoderDecoder, src: Tensor, tgt: Tensor, masks: Masks, gradient: Tensor
) -> None:
    """The same for a tape that has recorded what this `reads`, or more. On the way vectors are rows, one below the
    other: (batch · length, features)."""
    logits = tape.note("generator.logits", gradient.flatten(0, -2))
    output = linear(tape, "generator.proj", model.generator.proj, tape.rows("decoder.output"), logits)
    stream = layer_norm(tape, "decoder.norm", cast(LayerNorm, model.decoder.norm), tape.note("decoder.output", output))
    memory = []
    for n, layer in reversed(list(enumerate(model.decoder.layers))):
        stream, looked = decoder_layer(tape, f"decoder.layers.{n}", cast(DecoderLayer, layer), masks, stream)
        memory.append(looked)
    embeddings(tape, "tgt_embed", model.tgt_embed, tgt, stream)
    output = tape.note("encoder.output", sum(memory[1:], memory[0]))  # every layer looks at the same memory
    stream = layer_norm(tape, "encoder.norm", cast(LayerNorm, model.encoder.norm), output)
    for n, layer in reversed(list(enumerate(model.encoder.layers))):
        stream = encoder_layer(tape, f"encoder.layers.{n}", cast(EncoderLayer, layer), masks.src, stream)
    embeddings(tape, "src_embed", model.src_embed, src, stream)


def encoder_layer(tape: Tape, path: str, layer: EncoderLayer, mask: Tensor | None, gradient: Tensor) -> Tensor:
    first, second = cast(list[SublayerConnection], layer.sublayer)
    gradient = tape.note(f"{path}.output", gradient)
    gradient = network(tape, path, 1, second, layer.feed_forward, gradient)
    return to_itself(tape, path, first, layer.self_attn, mask, gradient)


def decoder_layer(tape: Tape, path: str, layer: DecoderLayer, masks: Masks, gradient: Tensor) -> tuple[Tensor, Tensor]:
    """Of the layer's input, and of the memory."""
    first, second, third = cast(list[SublayerConnection], layer.sublayer)
    gradient = tape.note(f"{path}.output", gradient)
    gradient = network(tape, path, 2, third, layer.feed_forward, gradient)
    gradient, memory = to_memory(tape, path, second, layer.src_attn, masks.memory, gradient)
    return to_itself(tape, path, first, layer.self_attn, masks.tgt, gradient), memory


def network(
    tape: Tape,
    path: str,
    n: int,
    connection: SublayerConnection,
    feed_forward: nn.Module,
    gradient: Tensor,
) -> Tensor:
    """The feed-forward sub-layer in its residual connection."""
    at = f"{path}.sublayer.{n}"
    branch = added(tape, at, gradient)
    module = cast(PositionwiseFeedForward, feed_forward)
    given = position_wise(tape, f"{path}.feed_forward", module, tape.rows(f"{at}.given"), branch)
    return joined(tape, at, connection, given, gradient)


def to_itself(
    tape: Tape,
    path: str,
    connection: SublayerConnection,
    module: MultiHeadedAttention,
    mask: Tensor | None,
    gradient: Tensor,
) -> Tensor:
    """The self-attention sub-layer in its residual connection: one input asks, and is looked at."""
    at = f"{path}.sublayer.0"
    parts = attention(tape, f"{path}.self_attn", module, mask, added(tape, at, gradient))
    given = projections(tape, f"{path}.self_attn", module, (0, 1, 2), parts, tape.rows(f"{at}.given"))
    return joined(tape, at, connection, given, gradient)


def to_memory(
    tape: Tape,
    path: str,
    connection: SublayerConnection,
    module: MultiHeadedAttention,
    mask: Tensor | None,
    gradient: Tensor,
) -> tuple[Tensor, Tensor]:
    """The attention to the encoder's output in its residual connection: of the layer's stream, and of the memory."""
    at = f"{path}.sublayer.1"
    query, key, value = attention(tape, f"{path}.src_attn", module, mask, added(tape, at, gradient))
    given = projections(tape, f"{path}.src_attn", module, (0,), (query,), tape.rows(f"{at}.given"))
    memory = projections(tape, f"{path}.src_attn", module, (1, 2), (key, value), tape.rows("encoder.output"))
    return joined(tape, at, connection, given, gradient), memory


def added(tape: Tape, path: str, gradient: Tensor) -> Tensor:
    """x + branch: both get the gradient of the sum, unchanged."""
    for name in ("output", "sum", "skip"):
        tape.note(f"{path}.{name}", gradient)
    return tape.note(f"{path}.branch", gradient)


def joined(tape: Tape, path: str, connection: SublayerConnection, given: Tensor, gradient: Tensor) -> Tensor:
    """The two ways into a residual connection meet: through the norm and the sub-layer, and past them."""
    through = layer_norm(tape, f"{path}.norm", cast(LayerNorm, connection.norm), tape.note(f"{path}.given", given))
    return tape.note(f"{path}.input", gradient + tape.note(f"{path}.norm.input", through))


def attention(
    tape: Tape, path: str, module: MultiHeadedAttention, mask: Tensor | None, gradient: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Of the queries, (batch, h, T, d_k), the keys and the values, (batch, h, S, d_k): equation (1) backwards.

    out = P V:  ∂P = ∂out Vᵀ, ∂V = Pᵀ ∂out;  S = Q Kᵀ / √d_k:  ∂Q = ∂S K / √d_k, ∂K = ∂Sᵀ Q / √d_k
    """
    query, key, value, weights = (tape.trace[f"{path}.{name}"] for name in ("query", "key", "value", "weights"))
    *_, to_output = cast(list[nn.Linear], module.linears)
    gradient = tape.note(f"{path}.output", gradient)
    merged = linear(tape, f"{path}.linears.3", to_output, tape.rows(f"{path}.merged"), gradient)
    split = tape.note(f"{path}.merged", merged).view(len(query), -1, module.h, module.d_k)
    heads = tape.note(f"{path}.heads", split.transpose(1, 2).contiguous())
    of_weights = tape.note(f"{path}.weights", tape.note(f"{path}.dropped", heads @ value.transpose(-2, -1)))
    masked = tape.note(f"{path}.masked", softmax(weights, of_weights))
    scores = tape.note(f"{path}.scores", masked if mask is None else unmasked(mask, masked))
    products = tape.note(f"{path}.products", scores / math.sqrt(module.d_k) if module.scale else scores)
    return (
        tape.note(f"{path}.query", products @ key),
        tape.note(f"{path}.key", products.transpose(-2, -1) @ query),
        tape.note(f"{path}.value", weights.transpose(-2, -1) @ heads),
    )


def projections(
    tape: Tape,
    path: str,
    module: MultiHeadedAttention,
    which: tuple[int, ...],
    parts: tuple[Tensor, ...],
    given: Tensor,
) -> Tensor:
    """Of what W_Q, W_K and W_V, those that are asked for, were given: (rows, d_model).

    The heads of each of the `parts`, (batch, h, length, d_k), and the matrices themselves stand side by side, so that
    one product does for all.
    """
    matrices = [cast(nn.Linear, module.linears[n]) for n in which]
    rows = torch.cat([part.transpose(1, 2) for part in parts], dim=2).view(len(given), -1)
    tape.product(tuple(f"{path}.linears.{n}.weight" for n in which), rows.T, given)
    tape.total(tuple(f"{path}.linears.{n}.bias" for n in which), rows)
    return rows @ torch.cat([matrix.weight for matrix in matrices])


def position_wise(tape: Tape, path: str, module: PositionwiseFeedForward, given: Tensor, gradient: Tensor) -> Tensor:
    """Equation (2) backwards: what the ReLU has set to 0 passes nothing on."""
    hidden = tape.rows(f"{path}.hidden")
    passed = linear(tape, f"{path}.w_2", module.w_2, hidden, tape.note(f"{path}.output", gradient))
    before = hidden.sign().mul_(tape.note(f"{path}.hidden", passed))
    return linear(tape, f"{path}.w_1", module.w_1, given, tape.note(f"{path}.pre_activation", before))


def layer_norm(tape: Tape, path: str, module: LayerNorm, gradient: Tensor) -> Tensor:
    """y = a_2 · ν + b_2: ∂b_2 = ∂y and ∂a_2 = ∂y · ν, each summed over all positions; ∂ν = ∂y · a_2, and from there
    `normalisation_gradient`."""
    normalised, std = tape.rows(f"{path}.normalised"), tape.rows(f"{path}.std")
    gradient = tape.note(f"{path}.output", gradient)
    products = gradient * normalised
    tape.total((f"{path}.b_2",), gradient)
    tape.total((f"{path}.a_2",), products)
    before = tape.note(f"{path}.normalised", gradient * module.a_2)
    along = (products @ module.a_2).unsqueeze(-1)
    return normalisation_gradient(before, along, normalised, std, module.eps)


def softmax(probabilities: Tensor, gradient: Tensor) -> Tensor:
    """Its Jacobian, diag(p) − p pᵀ, times the gradient: p ∂p − p · Σ p ∂p."""
    products = probabilities * gradient
    return torch.addcmul(products, probabilities, products.sum(-1, keepdim=True), value=-1)


def unmasked(mask: Tensor, gradient: Tensor) -> Tensor:
    """A blocked score was overwritten: whatever it is, the loss is the same."""
    seen = boolean_mask(mask)
    return gradient * (seen.unsqueeze(1) if seen.dim() == 3 else seen)


def linear(tape: Tape, path: str, module: nn.Linear, given: Tensor, gradient: Tensor) -> Tensor:
    """y = x Wᵀ + b: ∂W = ∂yᵀ x and ∂b = ∂y, each summed over all positions; ∂x = ∂y W."""
    tape.product((f"{path}.weight",), gradient.T, given)
    if module.bias is not None:
        tape.total((f"{path}.bias",), gradient)
    return gradient @ module.weight


def embeddings(tape: Tape, path: str, module: nn.Module, ids: Tensor, gradient: Tensor) -> None:
    """A row of the table gets what all places of its token get, times √d; a learned position what all sequences get
    there. The sinusoids are no parameter."""
    table, positions = cast(nn.Sequential, module)
    assert isinstance(table, Embeddings)
    tape.note(f"{path}.1.output", gradient)
    if isinstance(positions, LearnedPositions):
        places = torch.arange(ids.size(1), device=ids.device).repeat(len(ids))
        tape.looked_up(f"{path}.1.lut.weight", positions.lut.weight, places, gradient)
    rows = tape.note(f"{path}.0.rows", tape.note(f"{path}.0.output", gradient) * math.sqrt(table.d_model))
    tape.looked_up(f"{path}.0.lut.weight", table.lut.weight, ids, rows)
