"""Why this word and not that one: the difference of two logits as a sum over the parts of the decoder.

What the generator reads is a sum: embedding, position, and what each sub-layer of each layer has added, an attention
head by head through its own columns of W_O. Only a LayerNorm stands in the way of a sum of logits; with its recorded
standard deviation held fixed it is a linear map and a bias, for to subtract the mean is linear. In pre-norm that is
the last LayerNorm alone; in post-norm every LayerNorm of the decoder lies on the way. Nothing else is held fixed, and
nothing is left out: the parts add up to the difference, up to rounding, in either form.

This is the direct effect of a part (direct logit attribution; Elhage et al. 2021, "A Mathematical Framework for
Transformer Circuits"). What it changes in later sub-layers counts as theirs, so it is not what would be missing if the
part were switched off.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from transformer_core.attention import MultiHeadedAttention
from transformer_core.devices import in_float64
from transformer_core.layer_norm import LayerNorm, layer_norm_steps, torch_layer_norm_steps
from transformer_core.model import EncoderDecoder
from transformer_core.residual import SublayerConnection
from transformer_core.trace import Trace


class Addends(NamedTuple):
    """Vectors of n numbers, and what the difference of the logits gains for each unit of each number."""

    vectors: Tensor  # (…, n)
    slopes: Tensor  # (…, n)

    @property
    def contributions(self) -> Tensor:
        """(…,): in the unit of logits."""
        return (self.vectors * self.slopes).sum(-1)


class Contributions(NamedTuple):
    """The parts of logit(token) - logit(rival) in one row of the decoder of N layers; all float64, on the CPU where
    the device has none."""

    heads: Addends  # (N, 2, h, d_k): of each layer self-attention, then cross-attention; a head's own output
    feed_forward: Addends  # (N, d_ff): the hidden neurons
    inputs: Addends  # (2, d_model): the embedding, the position code
    biases: Addends  # (N, 3, d_model): of W_O, of W_O, of W_2
    norm_biases: Addends  # (1, d_model) of the last LayerNorm; (3N, d_model) in post-norm
    generator_biases: Tensor  # (2,): of the token, of the rival, which is subtracted
    logits: Tensor  # (2,): of the token and of the rival, as recorded

    @property
    def difference(self) -> float:
        """As recorded."""
        return float(self.logits[0] - self.logits[1])

    @property
    def total(self) -> float:
        """The sum of all parts."""
        addends = (self.heads, self.feed_forward, self.inputs, self.biases, self.norm_biases)
        sums = [part.contributions.sum() for part in addends]
        return float(sum(sums) + self.generator_biases[0] - self.generator_biases[1])

    @property
    def remainder(self) -> float:
        """What the parts leave of the difference: the rounding of the model's own numbers."""
        return self.difference - self.total


def contributions(model: EncoderDecoder, trace: Trace, row: int, token: int, rival: int) -> Contributions:
    """Take the difference of two logits apart, in row `row` of the first sequence of a recording, generator included.

    The model has to be in evaluation mode when it is recorded. ValueError if the recording lacks the logits, if they
    have no such row or token, or if a norm of the decoder is neither of the two LayerNorms.
    """
    if "generator.logits" not in trace:
        raise ValueError("the recording has no logits: the generator has to run within it too")
    logits = trace["generator.logits"][0]  # (T, vocab)
    length, vocab = logits.shape
    if not (0 <= row < length and 0 <= token < vocab and 0 <= rival < vocab):
        raise ValueError(f"row {row}, tokens {token} and {rival}: there are {length} rows and {vocab} tokens")

    def recorded(path: str) -> Tensor:
        return in_float64(trace[path][0, ..., row, :])

    proj, decoder = model.generator.proj, model.decoder
    weight, bias = _linear(proj)
    slope = weight[token] - weight[rival]  # (d_model,) of what the generator reads
    slope, norm_biases = _before_norm(decoder.norm, recorded(f"decoder.layers.{len(decoder.layers) - 1}.output"), slope)
    heads: list[Addends] = []
    feed_forward: list[Addends] = []
    biases: list[Addends] = []
    for n, layer in reversed(list(enumerate(decoder.layers))):
        for k, sublayer in reversed(list(enumerate(("self_attn", "src_attn", "feed_forward")))):
            connection = layer.get_submodule(f"sublayer.{k}")
            assert isinstance(connection, SublayerConnection)
            if not connection.norm_first:
                norm_input = recorded(f"decoder.layers.{n}.sublayer.{k}.norm.input")
                slope, found = _before_norm(connection.norm, norm_input, slope)
                norm_biases = [*found, *norm_biases]
            path, module = f"decoder.layers.{n}.{sublayer}", layer.get_submodule(sublayer)
            if isinstance(module, MultiHeadedAttention):
                weight, bias = _linear(module.linears[3])
                slopes = (weight.T @ slope).view(module.h, module.d_k)
                heads.insert(0, Addends(recorded(f"{path}.heads"), slopes))
            else:
                weight, bias = _linear(module.get_submodule("w_2"))
                feed_forward.insert(0, Addends(recorded(f"{path}.hidden"), weight.T @ slope))
            biases.insert(0, Addends(bias, slope))
    code = in_float64(trace["tgt_embed.1.code"][0, row])
    embedding = recorded("tgt_embed.0.output")
    generator = _linear(proj)[1][[token, rival]]
    return Contributions(
        _stacked(heads, 2),
        _stacked(feed_forward),
        _stacked([Addends(embedding, slope), Addends(code, slope)]),
        _stacked(biases, 3),
        _stacked(norm_biases) if norm_biases else Addends(*[slope.new_zeros(0, len(slope))] * 2),
        generator,
        in_float64(logits[row, [token, rival]]),
    )


def _before_norm(norm: nn.Module, x: Tensor, slope: Tensor) -> tuple[Tensor, list[Addends]]:
    """From the slope of what leaves a norm to that of what enters it, `x` (d_model,), and the bias on the way.

    norm(x) = gain · (x - mean(x)) / std + bias; held at its recorded value is `std`, whatever it depends on.
    """
    match norm:
        case nn.Identity():
            return slope, []
        case LayerNorm():
            gain, bias = in_float64(norm.a_2.detach()), in_float64(norm.b_2.detach())
            std = layer_norm_steps(x, gain, bias, norm.eps).std + norm.eps
        case nn.LayerNorm():
            gain, bias = in_float64(norm.weight.detach()), in_float64(norm.bias.detach())
            std = torch_layer_norm_steps(x, gain, bias, norm.eps).std
        case _:
            raise ValueError(f"only a LayerNorm can be held fixed, not {type(norm).__name__}")
    scaled = slope * gain / std
    return scaled - scaled.mean(), [Addends(bias, slope)]


def _linear(module: nn.Module) -> tuple[Tensor, Tensor]:
    """Weight and bias, float64."""
    assert isinstance(module, nn.Linear)
    return in_float64(module.weight.detach()), in_float64(module.bias.detach())


def _stacked(parts: list[Addends], of_each_layer: int = 0) -> Addends:
    stacked = Addends(*(torch.stack(side) for side in zip(*parts)))
    return Addends(*(side.unflatten(0, (-1, of_each_layer)) for side in stacked)) if of_each_layer else stacked
