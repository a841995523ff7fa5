"""How every gradient is made of the gradient after it: the chain rule of each kind of block, as a formula."""

from collections.abc import Callable

from transformer_core import MultiHeadedAttention
from transformer_core.layer_norm import LayerNorm
from ui.chapters.shared.forward.formulas import Making
from ui.figures.formula import Choose, Formula, I, J, K, L, Named, Number, exp, mean, root, total

SYMBOLS = {
    "logits": "∂z", "matrix": "∂W", "bias": "∂b", "gain": "∂a", "shift": "∂b", "through": "∂x", "norm": "∂x",
    "branch": "∂f", "joined": "∂x", "relu": "∂z", "heads": "∂o", "value": "∂v", "weights": "∂α", "softmax": "∂m",
    "mask": "∂s", "scale": "∂qk", "query": "∂q", "key": "∂k", "given": "∂x", "memory": "∂memory", "rows": "∂e",
    "table": "∂E",
}  # fmt: skip


def made(at: Making) -> Formula:
    return _MADE[at.stop.what](at)


def _logits(at: Making) -> Formula:
    """p − t, where the wrong word stands; nothing else is counted."""
    log_p, target, counted = at.input(0, "ln p"), at.input(1, "t"), at.input(2, "counted")
    return Choose(counted[I, 0], exp(log_p[I, J]) - target[I, J], Number(0))


def _matrix(at: Making) -> Formula:
    """∂W = ∂yᵀ x, summed over all positions."""
    after, given = at.input(0, "∂y"), at.input(1, "x")
    return total(K, at.values[at.stop.inputs[0]].size(1), after[K, I] * given[K, J])


def _bias(at: Making) -> Formula:
    """∂b = ∂y, summed over all positions."""
    return total(K, at.values[at.stop.inputs[0]].size(1), at.input(0, "∂y")[K, J])


def _gain(at: Making) -> Formula:
    """∂a = ∂y ν, summed over all positions."""
    after, normal = at.input(0, "∂y"), at.input(1, "ν")
    return total(K, at.values[at.stop.inputs[0]].size(1), after[K, J] * normal[K, J])


def _through(at: Making) -> Formula:
    """∂x = ∂y W, of each pair of inputs; what comes from several ways adds up."""
    parts = []
    for pair in range(0, len(at.stop.inputs), 2):
        mark = str(pair // 2 + 1) if len(at.stop.inputs) > 2 else ""
        after, weight = at.input(pair, f"∂y{mark and f'_{mark}'}"), at.input(pair + 1, f"W{mark and f'_{mark}'}")
        parts.append(total(K, at.size(pair), after[I, K] * weight[K, J]))
    found: Formula = parts[0]
    for part in parts[1:]:
        found = found + part
    return found


def _norm(at: Making) -> Formula:
    """∂x = (∂ν − mean ∂ν) / (σ + ε) − ν Σ(∂ν ν) / ((n − 1) σ), with ∂ν = ∂y a."""
    after, gain, normal, spread = (at.input(n, symbol) for n, symbol in enumerate(("∂y", "a", "ν", "σ")))
    norm = at.model.get_submodule(at.stop.inputs[1].removesuffix(".a_2"))
    assert isinstance(norm, LayerNorm)
    n, sigma = at.size(), spread[I, 0]
    middle = Named("mean", mean(L, n, after[I, L] * gain[0, L]))
    along = Named("along", total(K, n, after[I, K] * gain[0, K] * normal[I, K]) / (Number(n - 1, "n − 1") * sigma))
    return (after[I, J] * gain[0, J] - middle) / (sigma + Number(norm.eps, "ε")) - normal[I, J] * along


def _heads(at: Making) -> Formula:
    """Cut into heads again."""
    return at.input(0, "∂c")[I, J.moved(at.head * at.values[at.stop.path].size(-1))]


def _value(at: Making) -> Formula:
    weights, after = at.input(0, "α"), at.input(1, "∂o")
    return total(K, at.values[at.stop.inputs[1]].size(-2), weights[K, I] * after[K, J])


def _weights(at: Making) -> Formula:
    after, value = at.input(0, "∂o"), at.input(1, "v", "value")
    return total(K, at.size(), after[I, K] * value[J, K])


def _softmax(at: Making) -> Formula:
    """The Jacobian, α_i (δ_ij − α_j), times the gradient."""
    weights, after = at.input(0, "α"), at.input(1, "∂α")
    along = Named("Σα∂α", total(K, at.size(), weights[I, K] * after[I, K]))
    return weights[I, J] * (after[I, J] - along)


def _mask(at: Making) -> Formula:
    mask = at.input(1, "mask")
    return Choose(mask[I if at.values[at.stop.inputs[1]].size(-2) > 1 else 0, J], at.input(0, "∂m")[I, J], Number(0))


def _scale(at: Making) -> Formula:
    attention = at.model.get_submodule(at.stop.path.removeprefix("∂").rpartition(".")[0])
    assert isinstance(attention, MultiHeadedAttention)
    after = at.input(0, "∂s")[I, J]
    return after / root(Number(attention.d_k, "d_k")) if attention.scale else after


def _query(at: Making) -> Formula:
    after, key = at.input(0, "∂qk"), at.input(1, "k", "key")
    return total(K, at.size(), after[I, K] * key[K, J])


def _key(at: Making) -> Formula:
    after, query = at.input(0, "∂qk"), at.input(1, "q", "query")
    return total(K, at.values[at.stop.inputs[0]].size(-2), after[K, I] * query[K, J])


def _rows(at: Making) -> Formula:
    return root(Number(at.size(), "d_model")) * at.input(0, "∂x")[I, J]


def _table(at: Making) -> Formula:
    """A row gets what all places of its token get."""
    there, after = at.input(0, "here"), at.input(1, "∂e")
    return total(K, at.values[at.stop.inputs[0]].size(1), there[K, I] * after[K, J])


_MADE: dict[str, Callable[[Making], Formula]] = {
    "logits": _logits,
    "matrix": _matrix,
    "bias": _bias,
    "gain": _gain,
    "shift": _bias,
    "through": _through,
    "norm": _norm,
    "branch": lambda at: at.input(0, "∂x′")[I, J],
    "joined": lambda at: at.input(0, "∂n")[I, J] + at.input(1, "∂x′")[I, J],
    "relu": lambda at: Choose(at.input(1, "h")[I, J], at.input(0, "∂h")[I, J], Number(0)),
    "heads": _heads,
    "value": _value,
    "weights": _weights,
    "softmax": _softmax,
    "mask": _mask,
    "scale": _scale,
    "query": _query,
    "key": _key,
    "given": _through,
    "memory": _through,
    "rows": _rows,
    "table": _table,
}
