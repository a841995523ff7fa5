"""How every tensor of the forward pass is made of its inputs: a formula for each kind of stop."""

from collections.abc import Callable
from dataclasses import dataclass, field

from torch import nn

from transformer_core import PAD, EncoderDecoder, LayerNorm, MultiHeadedAttention
from transformer_core.attention import BLOCKED
from transformer_core.positions import BASE
from ui.chapters.shared.forward.stops import ForwardStop
from ui.chapters.shared.forward.values import TurnTensors
from ui.chapters.shared.tensors import grid
from ui.figures import Operand
from ui.figures.formula import (
    Cases,
    Choose,
    Formula,
    I,
    J,
    K,
    Matrix,
    Number,
    by_column,
    cos,
    exp,
    ln,
    relu,
    sin,
    total,
)
from ui.figures.paper import embedded, layer_norm, linear, product, scaled, softmax

Made = Formula | Cases | None

# What the mathematics calls a stop's tensor.
SYMBOLS = {
    "src": "src", "ys": "y", "src_mask": "mask", "tgt_mask": "mask", "choice": "choice", "next": "y′",
    "rows": "r", "embedded": "e", "code": "PE", "position_rows": "p", "placed": "x", "norm": "n", "residual": "x′",
    "query": "q", "key": "k", "value": "v", "scores": "s", "masked": "m", "weights": "α", "heads": "o",
    "merged": "c", "attended": "a", "pre_activation": "z", "hidden": "h", "output": "f",
    "memory": "memory", "decoded": "d", "last": "d", "logits": "logit", "log_probs": "ln p",
    "w_1": "W_1", "b_1": "b_1", "w_2": "W_2", "b_2": "b_2", "b_logits": "b",
    "b_query": "b^Q", "b_key": "b^K", "b_value": "b^V", "b_output": "b^O",
}  # fmt: skip


@dataclass(frozen=True)
class Making:
    """A head of a stop's tensor, of which some columns are shown; gathers the matrices that its formula names."""

    stop: ForwardStop
    values: TurnTensors
    model: EncoderDecoder
    head: int
    columns: range
    operands: dict[str, Operand] = field(default_factory=dict)

    @property
    def formula(self) -> Made:
        """None for what is given, and for a choice, which no sum makes."""
        make = _MADE.get(kind(self.stop))
        return make(self) if make else None

    def take(self, path: str, symbol: str, head: int = 0, meaning: str = "") -> Matrix:
        key = f"{path}/{head}"
        side = "decoder" if self.stop.per_turn else "encoder"
        self.operands[key] = Operand(key, grid(self.values[path])[head], symbol, meaning or side)
        return Matrix(key)

    def input(self, at: int, symbol: str, meaning: str = "") -> Matrix:
        """One of the stop's inputs; of what has heads, the same head."""
        path = self.stop.inputs[at]
        return self.take(path, symbol, self.head if self.values[path].dim() == 4 else 0, meaning)

    def size(self, at: int = 0) -> int:
        """How many columns an input has."""
        return self.values[self.stop.inputs[at]].size(-1)


def kind(stop: ForwardStop) -> str:
    return stop.what.removeprefix("cross_")


def _rows(at: Making) -> Formula:
    ids = at.values[at.stop.inputs[0]][0].tolist()
    return at.input(1, "E")[I.of(ids, "id"), J]


def _position_rows(at: Making) -> Formula:
    return at.input(0, "P")[I, J]


def _code(at: Making) -> Cases:
    d_model = Number(at.size(), "d_model")
    sine = sin(I / Number(BASE) ** (J / d_model))
    cosine = cos(I / Number(BASE) ** (J.moved(-1) / d_model))
    return by_column(*(cosine if column % 2 else sine for column in at.columns))


def _linear(x: str, mark: str) -> Callable[[Making], Formula]:
    """x Wᵀ + b; a head has its own rows of W."""

    def formula(at: Making) -> Formula:
        weight = at.stop.inputs[1]
        given, W = at.input(0, x), at.input(1, f"W{mark}")
        b = at.take(weight.replace(".weight", ".bias"), f"b{mark}")
        row = J.moved(at.head * at.values[at.stop.path].size(-1))
        return linear(given, W, b, at.size(), row)

    return formula


def _scores(at: Making) -> Formula:
    q, k = at.input(0, "q", "query"), at.input(1, "k", "key")
    attention = at.model.get_submodule(at.stop.path.rpartition(".")[0])
    assert isinstance(attention, MultiHeadedAttention)
    d_k = attention.d_k
    return scaled(product(q, k, d_k), d_k if attention.scale else None)


def _masked(at: Making) -> Formula:
    mask = at.input(1, "mask")
    own = mask[I if at.values[at.stop.inputs[1]].size(-2) > 1 else 0, J]
    return Choose(own, at.input(0, "s")[I, J], Number(BLOCKED))


def _heads(at: Making) -> Formula:
    weights, value = at.input(0, "α"), at.input(1, "v", "value")
    return total(K, at.size(), weights[I, K] * value[K, J])


def _merged(at: Making) -> Cases:
    (heads,), d_k = at.stop.inputs, at.size()
    parts = {h: at.take(heads, f"o^({h})", h) for h in sorted({column // d_k for column in at.columns})}
    return by_column(*(parts[column // d_k][I, J.moved(-(column // d_k) * d_k)] for column in at.columns))


def _norm(at: Making) -> Formula:
    """A LayerNorm, in the formula that the model has."""
    path = at.stop.path.removesuffix(".norm.output").removesuffix(".output") + ".norm"
    norm, x, n = at.model.get_submodule(path), at.input(0, "x"), at.size()
    if isinstance(norm, nn.Identity):  # post-norm stacks end without a normalisation of their own
        return x[I, J]
    assert isinstance(norm, LayerNorm | nn.LayerNorm)
    ours = isinstance(norm, LayerNorm)
    gain, shift = (
        at.take(f"{path}.{name}", symbol)
        for name, symbol in ((("a_2", "a"), ("b_2", "b")) if ours else (("weight", "γ"), ("bias", "β")))
    )
    return layer_norm(x, gain[0, J], shift[0, J], n, Number(norm.eps, "ε"), notes=ours)


def _added(one: str, other: str) -> Callable[[Making], Formula]:
    return lambda at: at.input(0, one)[I, J] + at.input(1, other)[I, J]


def _residual(at: Making) -> Formula:
    return _added("x", "f" if at.stop.sublayer == "feed_forward" else "a")(at)


def _log_probs(at: Making) -> Formula:
    logit = at.input(0, "logit")
    return logit[I, J] - ln(total(K, at.size(), exp(logit[I, K])))


def _next(at: Making) -> Cases:
    written, length = at.input(0, "y")[0, J], at.size()
    return by_column(*(written if column < length else at.input(1, "choice")[0, 0] for column in at.columns))


_MADE: dict[str, Callable[[Making], Made]] = {
    "src_mask": lambda at: at.input(0, "src")[0, J].differs_from(PAD),
    "rows": _rows,
    "embedded": lambda at: embedded(at.input(0, "r")[I, J], at.size()),
    "code": _code,
    "position_rows": _position_rows,
    "placed": _added("e", "PE"),
    "norm": _norm,
    "query": _linear("x", "^Q"),
    "key": _linear("x", "^K"),
    "value": _linear("x", "^V"),
    "scores": _scores,
    "masked": _masked,
    "weights": lambda at: softmax(at.input(0, "m"), at.size()),
    "heads": _heads,
    "merged": _merged,
    "attended": _linear("c", "^O"),
    "residual": _residual,
    "pre_activation": _linear("x", "_1"),
    "hidden": lambda at: relu(at.input(0, "z")[I, J]),
    "output": _linear("h", "_2"),
    "memory": _norm,
    "tgt_mask": lambda at: J.at_most(I),
    "decoded": _norm,
    "last": lambda at: at.input(0, "d")[at.values["ys"].size(1) - 1, J],
    "logits": _linear("d", ""),
    "log_probs": _log_probs,
    "next": _next,
}
