"""The boards of the worksheet: what each task gives, and what follows from it, every number with its formula."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from torch import Tensor

from transformer_core.adamw import BETAS, EPS, adamw_steps
from transformer_core.attention import BLOCKED, attention_steps
from transformer_core.backward import loss_gradient
from transformer_core.decoding.beam import beam_search, length_penalty
from transformer_core.exercises.worksheet import adamw, attention, beam, layer_norm, loss, softmax
from transformer_core.layer_norm import layer_norm_steps
from transformer_core.loss import smoothed_targets
from transformer_core.softmax import SoftmaxSteps, softmax_jacobian, softmax_steps
from ui.chapters.practice import programs
from ui.figures import Panel, number
from ui.figures.formula import Choose, I, J, K, Matrix, Number, by_cell, by_column, by_row, ln, root, total
from ui.figures.paper import jacobian, mean_and_spread, product, scaled
from ui.figures.paper import layer_norm as normalised
from ui.figures.paper import softmax as shares
from ui.text import Words

printed = partial(Panel, print_values=True)


@dataclass(frozen=True)
class TaskPanels:
    """The panels of one task. `names` are what is given, `origin` is what makes the `result`, the last panel's key;
    `said` are the numbers in the words of the task."""

    given: Callable[[Any, Words], list[Panel]]
    steps: Callable[[Any], list[Panel]]
    program: Callable[[Any], str]
    result: str
    names: str
    origin: str
    code: Sequence[Callable[..., Any]]
    said: Callable[[Any], Mapping[str, object]] = lambda _: {}


def line(numbers: Tensor | Sequence[float]) -> np.ndarray:
    return np.asarray(numbers, dtype=np.float64).reshape(1, -1)


def column(numbers: Tensor) -> np.ndarray:
    return line(numbers).T


def given_attention(givens: attention.AttentionGivens, say: Words) -> list[Panel]:
    q, k, v, mask = (part.numpy() for part in givens)
    return [
        printed("q", q, "q", meaning="query"),
        printed("k", k, "K", [f"k{i}" for i in "₁₂₃₄"], place=(0, 1), meaning="key"),
        printed("v", v, "V", [f"v{i}" for i in "₁₂₃₄"], place=(0, 2), meaning="value"),
        Panel("mask", mask, say("sheet.mask"), col_labels=[f"k{i}" for i in "₁₂₃₄"], scale="mask", place=(0, 3)),
    ]


def steps_of_attention(givens: attention.AttentionGivens) -> list[Panel]:
    steps, (keys, d_k) = attention.steps(givens), givens.k.shape
    q, k, s, m, a, v = (Matrix(name) for name in ("q", "k", "scores", "masked", "weights", "v"))
    blocked = ~givens.mask.numpy()
    return [
        printed("scores", steps.scores.numpy(), "s", col_labels=attention.SCORES, place=(1, 0), symbol="s",
                made=scaled(product(q, k, d_k), d_k)),
        printed("masked", steps.masked.numpy(), "m", place=(1, 1), symbol="m", blocked=blocked,
                made=Choose(Matrix("mask")[I, J], s[I, J], Number(BLOCKED))),
        printed("weights", steps.weights.numpy(), "α", col_labels=attention.WEIGHTS, place=(1, 2), symbol="α",
                scale="probability", blocked=blocked, made=shares(m, keys)),
        printed("output", steps.output.numpy(), "o", col_labels=attention.OUTPUTS, place=(1, 3), symbol="o",
                made=total(K, keys, a[I, K] * v[K, J])),
    ]  # fmt: skip


def given_layer_norm(givens: layer_norm.LayerNormGivens, say: Words) -> list[Panel]:
    names = ["x₁", "x₂", "x₃", "x₄", "x₅"]
    learned = np.stack([givens.gain.numpy(), givens.shift.numpy()])
    return [
        printed("x", line(givens.x), "x", col_labels=names),
        printed("learned", learned, say("sheet.learned"), ["a₂", "b₂"], symbol=("a_2", "b_2"), place=(0, 1)),
    ]


def steps_of_layer_norm(givens: layer_norm.LayerNormGivens) -> list[Panel]:
    steps, size = layer_norm.steps(givens), len(givens.x)
    middle, spread = mean_and_spread(Matrix("x"), I, size, None)
    learned = Matrix("learned")
    made = normalised(Matrix("x"), learned[0, J], learned[1, J], size, Number(1e-6, "ε"), notes=True)
    return [
        printed("statistics", line([float(steps.mean), float(steps.std)]), "μ, σ", col_labels=["μ", "σ"], scale="plain",
                symbol=("μ", "σ"), symbol_axis="column", place=(1, 0), made=by_column(middle.body, spread.body)),
        printed("output", line(steps.output), "y", col_labels=layer_norm.OUTPUTS, symbol="y", place=(1, 1), made=made),
    ]  # fmt: skip


def given_softmax(givens: softmax.SoftmaxGivens, _: Words) -> list[Panel]:
    return [printed("x", column(givens.scores), "x", [f"ln {count}" for count in givens.counts], symbol="x")]


def steps_of_softmax(givens: softmax.SoftmaxGivens) -> list[Panel]:
    (p, found), x = softmax.steps(givens), Matrix("x")
    names = [f"x{i}" for i in softmax.DIGITS]
    return [
        printed("p", column(p), "p", softmax.PROBABILITIES, scale="probability", symbol="p", place=(0, 1),
                made=shares(lambda at: x[at, 0], softmax.N, I)),
        printed("jacobian", found.numpy(), "∂p/∂x", softmax.PROBABILITIES, names, symbol="J", place=(0, 2),
                made=jacobian("p", 0, softmax.N)),
    ]  # fmt: skip


def given_loss(givens: loss.LossGivens, _: Words) -> list[Panel]:
    return [printed("p", line(givens.p), "p", col_labels=loss.TOKENS, scale="probability", symbol="p")]


def steps_of_loss(givens: loss.LossGivens) -> list[Panel]:
    (t, gradient), p = loss.steps(givens), Matrix("p")
    s, answer = Number(givens.smoothing, "s"), givens.answer
    shared = s / (Number(loss.V, "V") - 2)
    targets = [Number(0.0) if at == loss.PAD else 1 - s if at == answer else shared for at in range(loss.V)]
    return [
        printed("t", line(t), "t", col_labels=loss.TOKENS, scale="probability", symbol="t", place=(0, 1),
                made=by_cell(*targets)),
        printed("cost", -line(givens.p[answer].log()), "−ln p", symbol="c", place=(0, 3), scale="magnitude",
                made=-ln(p[0, answer])),
        printed("gradient", line(gradient), "p − t", col_labels=loss.TOKENS, symbol="g", high=1.0, place=(0, 2),
                made=p[I, J] - Matrix("t")[I, J]),
    ]  # fmt: skip


def given_adamw(givens: adamw.AdamWGivens, _: Words) -> list[Panel]:
    names = ("w", "g", "m", "v")
    return [
        printed("given", line([givens.w, givens.g, givens.m, givens.v]), "t = 2", col_labels=names, symbol=names,
                symbol_axis="column", scale="plain")
    ]  # fmt: skip


def steps_of_adamw(givens: adamw.AdamWGivens) -> list[Panel]:
    given, after = Matrix("given"), Matrix("after")
    w, g, m, v = (given[0, at] for at in range(4))
    one, two = (Number(value, name) for value, name in zip(BETAS, ("β_1", "β_2")))
    step = after[0, 2] / (root(after[0, 3]) + Number(EPS, "ε"))
    made = [
        one * m + (1 - one) * g,
        two * v + (1 - two) * g**2,
        after[0, 0] / (1 - one**adamw.STEP),
        after[0, 1] / (1 - two**adamw.STEP),
        w - Number(adamw.RATE, "η") * (step + Number(adamw.DECAY, "λ") * w),
    ]
    names = ("m′", "v′", "m̂", "v̂", "w′")
    return [
        printed("after", line(adamw.steps(givens)), "AdamW", col_labels=names, symbol=names, symbol_axis="column",
                scale="plain", place=(1, 0), digits=4, made=by_column(*made))
    ]  # fmt: skip


def given_beam(givens: beam.BeamGivens, say: Words) -> list[Panel]:
    return [
        printed("table", givens.table.numpy(), say("sheet.table"), [*beam.WORDS, say("sheet.begin")], beam.WORDS,
                say("sheet.last"), say("sheet.next"), scale="probability", symbol="p")
    ]  # fmt: skip


def steps_of_beam(givens: beam.BeamGivens) -> list[Panel]:
    found, table, after = beam.steps(givens), Matrix("table"), Matrix("result")
    best = found.kept.index(found.words[0]), found.words[1]
    penalty = Number(length_penalty(beam.LENGTH, beam.ALPHA), "(5 + 2) / 6")
    return [
        printed("products", found.products.numpy(), "p · p", [beam.WORDS[at] for at in found.kept], beam.WORDS,
                scale="probability", symbol="P", place=(0, 1),
                made=by_row(*(table[beam.BEGIN, at] * table[at, J] for at in found.kept))),
        printed("result", line([float(found.products[best]), found.log_prob, found.score]), col_labels=beam.RESULT,
                scale="plain", symbol=("p′", "ℓ", "s"), symbol_axis="column", place=(0, 2),
                made=by_column(Matrix("products")[best], ln(after[0, 0]), after[0, 1] / penalty)),
    ]  # fmt: skip


def said_of_loss(givens: loss.LossGivens) -> Mapping[str, object]:
    return {"answer": loss.TOKENS[givens.answer], "smoothing": number(givens.smoothing)}


BOARDS: dict[str, TaskPanels] = {
    "attention": TaskPanels(
        given_attention, steps_of_attention, programs.attention, "output", "q, K, V, mask",
        "attention_steps(q, K, V, mask)", [attention_steps],
    ),
    "layer_norm": TaskPanels(
        given_layer_norm, steps_of_layer_norm, programs.layer_norm, "output", "x, a_2, b_2",
        "layer_norm_steps(x, a_2, b_2)", [layer_norm_steps],
    ),
    "softmax": TaskPanels(
        given_softmax, steps_of_softmax, programs.softmax, "jacobian", "x", "softmax_jacobian(softmax(x))",
        [softmax_steps, SoftmaxSteps, softmax_jacobian],
    ),
    "loss": TaskPanels(
        given_loss, steps_of_loss, programs.loss, "gradient", "p", "loss_gradient(ln p, t)",
        [smoothed_targets, loss_gradient], said_of_loss,
    ),
    "adamw": TaskPanels(
        given_adamw, steps_of_adamw, programs.adamw, "after", "w, g, m, v", "adamw_steps", [adamw.steps, adamw_steps],
    ),
    "beam": TaskPanels(
        given_beam, steps_of_beam, programs.beam, "result", "p", "beam_search(p, width = 2)",
        [beam_search, length_penalty],
    ),
}  # fmt: skip
