"""The parts that came after 2017, backwards: from the gradient of each part's output to that of its input.

As in `transformer_core.backward`, each function takes a tape, the path of its part and the gradient of its output.
"""

import math
from typing import cast

import torch
from torch import Tensor, nn

from transformer_core.after_2017.feed_forwards import GeluFeedForward, SwiGLUFeedForward
from transformer_core.after_2017.grouped_attention import GroupedAttention
from transformer_core.after_2017.rms_norm import RMSNorm
from transformer_core.after_2017.rotary import rotated
from transformer_core.backward import Tape, attention, linear

READ_TOO = (".rms", ".pre_activation", ".gate")  # what these functions need besides `transformer_core.backward.READ`


def rms_norm(tape: Tape, path: str, module: RMSNorm, gradient: Tensor) -> Tensor:
    """y = w · ν with ν = x / r, r² = mean x² + ε:  ∂x = (∂ν − ν · mean(∂ν · ν)) / r."""
    normalised, rms = tape.rows(f"{path}.normalised"), tape.rows(f"{path}.rms")
    gradient = tape.note(f"{path}.output", gradient)
    tape.total((f"{path}.weight",), gradient * normalised)
    before = tape.note(f"{path}.normalised", gradient * module.weight)
    return (before - normalised * (before * normalised).mean(-1, keepdim=True)) / rms


def gelu_network(tape: Tape, path: str, module: GeluFeedForward, given: Tensor, gradient: Tensor) -> Tensor:
    """GELU′(x) = Φ(x) + x φ(x), or the derivative of the formula with a tanh."""
    hidden, x = tape.rows(f"{path}.hidden"), tape.rows(f"{path}.pre_activation")
    passed = tape.note(f"{path}.hidden", linear(tape, f"{path}.w_2", module.w_2, hidden, _noted(tape, path, gradient)))
    if module.approximate == "tanh":
        root = math.sqrt(2 / math.pi)
        tanh = (root * (x + 0.044715 * x**3)).tanh()
        slope = (1 + tanh) / 2 + x / 2 * (1 - tanh**2) * root * (1 + 3 * 0.044715 * x**2)
    else:
        slope = (1 + torch.erf(x / math.sqrt(2))) / 2 + x * (-(x**2) / 2).exp() / math.sqrt(2 * math.pi)
    return linear(tape, f"{path}.w_1", module.w_1, given, tape.note(f"{path}.pre_activation", passed * slope))


def swiglu_network(tape: Tape, path: str, module: SwiGLUFeedForward, given: Tensor, gradient: Tensor) -> Tensor:
    """h = p σ(p) g:  ∂g = ∂h p σ(p),  ∂p = ∂h g σ(p) (1 + p (1 − σ(p)))."""
    hidden, p, gate = (tape.rows(f"{path}.{name}") for name in ("hidden", "pre_activation", "gate"))
    passed = tape.note(f"{path}.hidden", linear(tape, f"{path}.w_2", module.w_2, hidden, _noted(tape, path, gradient)))
    sigmoid = p.sigmoid()
    of_gate = tape.note(f"{path}.gate", passed * p * sigmoid)
    before = tape.note(f"{path}.pre_activation", passed * gate * sigmoid * (1 + p * (1 - sigmoid)))
    through = linear(tape, f"{path}.w_1", module.w_1, given, before)
    return through + linear(tape, f"{path}.w_3", module.w_3, given, of_gate)


def grouped_attention(
    tape: Tape, path: str, module: GroupedAttention, mask: Tensor | None, given: Tensor, gradient: Tensor
) -> Tensor:
    """Equation (1) backwards in every head; keys and values get the sum of what their group's heads give them, and
    what was rotated is rotated back."""
    names = [f"{path}.{name}" for name in ("query", "key", "value")]
    size = module.h // module.groups
    trace = {name: tape.trace[name] for name in (names[0], f"{path}.weights", f"{path}.merged")}
    trace |= {name: tape.trace[name].repeat_interleave(size, dim=1) for name in names[1:]}

    def keep(name: str, gradient: Tensor) -> None:
        if name not in names:
            tape.keep(name, gradient)

    query, *pair = attention(Tape(trace, keep, tape.place), path, module, mask, gradient)
    parts = [query, *(each.unflatten(1, (module.groups, size)).sum(2) for each in pair)]
    total = torch.zeros_like(given)
    for n, (name, part) in enumerate(zip(names, parts, strict=True)):
        part = tape.note(name, part)
        if n < 2 and module.rotary is not None:
            part = rotated(part, base=module.rotary, back=True)
            tape.keep(f"{path}.unrotated_{name.rpartition('.')[2]}", part)
        rows = part.transpose(1, 2).flatten(2).flatten(0, 1)  # (batch · length, heads · d_k)
        total += linear(tape, f"{path}.linears.{n}", cast(nn.Linear, module.linears[n]), given, rows)
    return total


def _noted(tape: Tape, path: str, gradient: Tensor) -> Tensor:
    return tape.note(f"{path}.output", gradient)
