"""How one cell of a stop's tensor was computed, written out with its numbers."""

import math
from collections.abc import Callable

from torch import Tensor, nn

from transformer_core import EncoderDecoder, LayerNorm, MultiHeadedAttention
from transformer_core.positions import BASE
from ui.figures.arithmetic import equation, exponential, number, operand, product, projected, scaled, share
from ui.figures.layer_arithmetic import added, mean_of, normalised, rectified, spread_of, times_root
from ui.labs.walkthrough_board import grid
from ui.labs.walkthrough_stops import Stop
from ui.labs.walkthrough_values import Values

MEANINGS = {"query": "q", "key": "k", "value": "v"}


def written(stop: Stop, values: Values, model: EncoderDecoder, head: int, row: int, column: int) -> str:
    """HTML for the cell (head, row, column) of the tensor; empty for what is given and not computed."""
    write = _WRITERS.get(stop.what.removeprefix("cross_"))
    return write(_At(stop, values, model, head, row, column)) if write else ""


class _At:
    """The chosen cell, with short ways to the numbers around it."""

    def __init__(self, stop: Stop, values: Values, model: EncoderDecoder, head: int, row: int, column: int) -> None:
        self.stop, self.values, self.model = stop, values, model
        self.head, self.row, self.column = head, row, column
        self.module, _, self.tensor = stop.path.rpartition(".")
        self.name = f"{self.tensor}[{row}, {column}]"
        self.value = float(grid(values[stop.path])[head, row, column])

    def cell(self, path: str) -> float:
        """The same cell of another tensor."""
        return float(grid(self.values[path])[self.head, self.row, self.column])

    def line(self, path: str, row: int, head: int = 0) -> list[float]:
        return grid(self.values[path])[head, row].tolist()

    def linear(self, row: int) -> tuple[list[float], float]:
        """Row and bias number `row` of the linear layer among the inputs."""
        weight = self.stop.inputs[1]
        return self.line(weight, row), float(self.values[weight.replace(".weight", ".bias")][row])


def _rows(at: _At) -> str:
    ids, table = at.stop.inputs
    token = int(at.values[ids][0, at.row])
    return equation(at.name, f"W[{token}, {at.column}]", result=float(at.values[table][token, at.column]))


def _embedded(at: _At) -> str:
    return times_root(at.name, at.cell(at.stop.inputs[0]), at.values[at.stop.path].size(-1))


def _code(at: _At) -> str:
    d_model, pair = at.values[at.stop.path].size(-1), at.column // 2
    wave = "sin" if at.column % 2 == 0 else "cos"
    angle = at.row / BASE ** (2 * pair / d_model)
    sides = [f"{wave}({at.row} / {BASE:g}<sup>{2 * pair}/{d_model}</sup>)", f"{wave}({number(angle)})"]
    return equation(at.name, *sides, result=getattr(math, wave)(angle))


def _added(at: _At) -> str:
    one, other = at.stop.inputs
    return added(at.name, at.cell(one), at.cell(other))


def _norm(at: _At) -> str:
    """The output of a LayerNorm, in the formula that the model has."""
    x = at.line(at.stop.inputs[0], at.row)
    wrapper = at.stop.path.removesuffix(".norm.output").removesuffix(".output")
    norm = at.model.get_submodule(f"{wrapper}.norm")
    assert isinstance(norm, LayerNorm | nn.LayerNorm)
    ours = isinstance(norm, LayerNorm)
    names = ("a_2", "b_2") if ours else ("weight", "bias")
    gain, shift = (float(at.values[f"{wrapper}.norm.{name}"][at.column]) for name in names)
    less, inside, outside = (1, 0.0, norm.eps) if ours else (0, norm.eps, 0.0)
    mean = sum(x) / len(x)
    spread = math.sqrt(sum((value - mean) ** 2 for value in x) / (len(x) - less) + inside)
    return (
        mean_of("mean", x)
        + spread_of("std", x, less, inside)
        + normalised(at.name, x[at.column], mean, spread, gain, shift, outside)
    )


def _last_norm(at: _At) -> str:
    """Post-norm stacks end without a normalisation of their own."""
    if isinstance(at.model.get_submodule(f"{at.module}.norm"), nn.Identity):
        return equation(at.name, result=at.cell(at.stop.inputs[0]))
    return _norm(at)


def _head_projection(at: _At) -> str:
    size = at.values[at.stop.path].size(-1)
    weight, bias = at.linear(at.head * size + at.column)
    return projected(at.name, at.line(at.stop.inputs[0], at.row), weight, bias)


def _projection(at: _At) -> str:
    weight, bias = at.linear(at.column)
    return projected(at.name, at.line(at.stop.inputs[0], at.row), weight, bias)


def _scores(at: _At) -> str:
    query, key = (at.line(path, index, at.head) for path, index in zip(at.stop.inputs, (at.row, at.column)))
    dot = product("q·k", query, key, "q", "k")
    attention = at.model.get_submodule(at.module)
    assert isinstance(attention, MultiHeadedAttention)
    exact = sum(a * b for a, b in zip(query, key))
    return dot + scaled(at.name, exact, attention.d_k) if attention.scale else product(at.name, query, key, "q", "k")


def _masked(at: _At) -> str:
    score = at.cell(at.stop.inputs[0])
    return (
        equation(at.name, operand(score, digits=4), result=score)
        if at.value == score
        else equation(at.name, result=at.value)
    )


def _weights(at: _At) -> str:
    scores = at.line(at.stop.inputs[0], at.row, at.head)
    parts = [math.exp(score - max(scores)) for score in scores]
    return exponential("e", scores[at.column], max(scores)) + share(at.name, parts, at.column)


def _heads(at: _At) -> str:
    weights, value = at.stop.inputs
    column = grid(at.values[value])[at.head, :, at.column].tolist()
    return product(at.name, at.line(weights, at.row, at.head), column, "", "v")


def _merged(at: _At) -> str:
    heads: Tensor = at.values[at.stop.inputs[0]]
    head, column = divmod(at.column, heads.size(-1))
    return equation(at.name, f"heads[{head}, {at.row}, {column}]", result=float(heads[0, head, at.row, column]))


def _hidden(at: _At) -> str:
    return rectified(at.name, at.cell(at.stop.inputs[0]))


def _last(at: _At) -> str:
    row = at.values["ys"].size(1) - 1
    result = float(at.values[at.stop.inputs[0]][0, row, at.column])
    return equation(at.name, f"decoder.output[{row}, {at.column}]", result=result)


def _logits(at: _At) -> str:
    weight = at.line("generator.proj.weight", at.column)
    return projected(at.name, at.line("last", 0), weight, float(at.values["generator.proj.bias"][at.column]))


def _log_probs(at: _At) -> str:
    logits = at.line(at.stop.inputs[0], 0)
    total = sum(math.exp(logit) for logit in logits)
    terms = " + ".join(f"e<sup>{number(logit, 3)}</sup>" for logit in logits)
    logit = operand(logits[at.column], digits=4)
    sides = [f"{logit} − ln({terms})", f"{logit} − {operand(math.log(total), digits=4)}"]
    return equation(at.name, *sides, result=logits[at.column] - math.log(total))


_WRITERS: dict[str, Callable[[_At], str]] = {
    "rows": _rows,
    "embedded": _embedded,
    "code": _code,
    "placed": _added,
    "norm": _norm,
    "query": _head_projection,
    "key": _head_projection,
    "value": _head_projection,
    "scores": _scores,
    "masked": _masked,
    "weights": _weights,
    "heads": _heads,
    "merged": _merged,
    "attended": _projection,
    "residual": _added,
    "pre_activation": _projection,
    "hidden": _hidden,
    "output": _projection,
    "memory": _last_norm,
    "decoded": _last_norm,
    "last": _last,
    "logits": _logits,
    "log_probs": _log_probs,
}
