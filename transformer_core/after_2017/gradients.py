"""The parts that came after 2017, backwards: from the gradient of each part's output to that of its input.

As in `transformer_core.backward`, each function takes a tape, the path of its part and the gradient of its output.
"""

import math
from typing import Any, cast

import torch
from torch import Tensor, nn

from transformer_core.after_2017.experts import MixtureOfExperts, sent_to
from transformer_core.after_2017.feed_forwards import GeluFeedForward, SwiGLUFeedForward
from transformer_core.after_2017.grouped_attention import GroupedAttention
from transformer_core.after_2017.rms_norm import RMSNorm
from transformer_core.after_2017.rotary import rotated
from transformer_core.backward import Tape, attention, linear, position_wise, softmax

# What these functions need besides `transformer_core.backward.READ`.
READ_TOO = (".rms", ".pre_activation", ".gate", ".gates", ".router_probabilities")


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


def network(tape: Tape, path: str, module: Any, given: Tensor, gradient: Tensor) -> Tensor:
    """Of any kind."""
    kinds = {GeluFeedForward: gelu_network, SwiGLUFeedForward: swiglu_network, MixtureOfExperts: mixture}
    of_kind: Any = next((kinds[kind] for kind in kinds if isinstance(module, kind)), position_wise)
    found: Tensor = of_kind(tape, path, module, given, gradient)
    return found


def mixture(tape: Tape, path: str, module: MixtureOfExperts, given: Tensor, gradient: Tensor) -> Tensor:
    """y = Σ_e g_e F_e(x): ∂F_e = g_e ∂y and ∂g_e = ∂y · F_e(x) for the words sent to e; g = p / Σ p of those chosen:

    ∂p_e = (∂g_e − Σ_j g_j ∂g_j) / Σ p, and ∂p = ∂g where one is chosen. What enters at p joins there.
    """
    gates, probabilities = tape.rows(f"{path}.gates"), tape.rows(f"{path}.router_probabilities")
    gradient, total, of_gates = _noted(tape, path, gradient), torch.zeros_like(given), torch.zeros_like(gates)
    for n, expert in enumerate(cast(list[nn.Module], module.experts)):
        at, inner = sent_to(gates, n), f"{path}.experts.{n}"
        of_gates[at, n] = (gradient[at] * tape.rows(f"{inner}.output")).sum(-1)
        total.index_add_(0, at, network(tape, inner, expert, given[at], gradient[at] * gates[at, n].unsqueeze(1)))
    of_chosen, chosen = tape.note(f"{path}.gates", of_gates), (gates > 0).to(gates)
    if module.top_k > 1:
        of_chosen = (of_gates - (gates * of_gates).sum(-1, keepdim=True)) * chosen
        of_chosen = of_chosen / (probabilities * chosen).sum(-1, keepdim=True)
    if (entering := tape.enters.get(f"{path}.router_probabilities")) is not None:
        of_chosen = of_chosen + entering
    logits = softmax(probabilities, tape.note(f"{path}.router_probabilities", of_chosen))
    return total + linear(tape, f"{path}.router", module.router, given, tape.note(f"{path}.router_logits", logits))


def _noted(tape: Tape, path: str, gradient: Tensor) -> Tensor:
    return tape.note(f"{path}.output", gradient)
