"""What the lecture notes print, computed here: by its name in the route, as text with as many digits."""

import math
from collections.abc import Callable, Sequence
from functools import cache, partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_core import (
    Embeddings,
    EncoderDecoder,
    PositionalEncoding,
    attention,
    make_model,
    record,
    softmax_jacobian,
    wavelengths,
)
from transformer_core.random_seed import Seeded

SCORE = torch.tensor([0.6052, -0.2023, -1.3294, -0.2546, 1.5445])  # the fifth document's
TOKENS = torch.tensor([[4, 5, 8, 8, 1]])  # the second document's


def shape(x: Tensor | Sequence[int]) -> str:
    return " × ".join(map(str, x.shape if isinstance(x, Tensor) else x))


def agrees(theirs: str, ours: str) -> bool:
    """Whether two texts say the same numbers. The five scores are printed with four digits after the point: times 10,
    that moves a small weight by up to a thousandth of itself. And s · (1 − s) near s = 1 loses digits: a last bit of s
    moves 8.3e-05 by 0.07 %, and processors differ by several."""
    pairs = list(zip(theirs.split(), ours.split()))
    return theirs.count(" ") == ours.count(" ") and all(_alike(a, b) for a, b in pairs)


def _alike(theirs: str, ours: str) -> bool:
    try:
        by_rounding = {"rel_tol": 5e-3} if "e" in theirs else {"rel_tol": 0.0, "abs_tol": 1.1e-4}
        return math.isclose(float(theirs), float(ours), **by_rounding)
    except ValueError:
        return theirs == ours


def _fixed(x: Tensor) -> str:
    return " ".join(f"{value:.4f}" for value in x.tolist())


def _scientific(x: Tensor) -> str:
    return " ".join(f"{value:.4e}" for value in x.flatten().tolist())


def _softmax(scores: Sequence[float]) -> str:
    return _fixed(torch.tensor(scores).softmax(-1))


def _zero_mask() -> str:
    x = torch.randn(2, 4, 512)
    return _fixed(attention(x, x, x, torch.zeros(2, 4, 4))[1][0, 0])


def _five() -> Tensor:
    return Embeddings(16, 10)(TOKENS)


def _equal_rows() -> str:
    rows = _five()[0]
    return f"{int((rows[2] == rows[3]).sum())} / {rows.size(1)}"


def _padded(pad: tuple[int, ...]) -> str:
    return shape(F.pad(torch.empty(3, 3, 4, 2), pad))


@cache
def _model() -> EncoderDecoder:
    """The fourth document's, untrained."""
    return make_model(11, 11, N=2).eval()


@cache
def _recorded() -> dict[str, tuple[int, ...]]:
    """The shapes of what a pass of it makes: ten source tokens, and one of the target."""
    source, mask = torch.arange(1, 11)[None], torch.ones(1, 1, 10, dtype=torch.bool)
    with torch.no_grad(), record(_model()) as values:
        memory = _model().encode(source, mask)
        decoded = _model().decode(memory, mask, torch.ones(1, 1, dtype=torch.long), torch.ones(1, 1, 1).bool())
        _model().generator(decoded[:, -1])
    return {name: tuple(value.shape) for name, value in values.items()}


def _parameter(name: str) -> str:
    return shape(_model().get_parameter(f"encoder.layers.0.feed_forward.{name}"))


def _of(name: str) -> str:
    return shape(_recorded()[name])


_ENCODER, _DECODER = "encoder.layers.0.self_attn", "decoder.layers.0"
_RECORDED = {
    "shape_embedded": "src_embed.0.output",
    "shape_query": f"{_ENCODER}.query",
    "shape_scores": f"{_ENCODER}.scores",
    "shape_merged": f"{_ENCODER}.merged",
    "shape_memory": "encoder.output",
    "shape_self_scores": f"{_DECODER}.self_attn.scores",
    "shape_cross_scores": f"{_DECODER}.src_attn.scores",
    "shape_log_probs": "generator.log_probs",
}
COMPUTATIONS: dict[str, Callable[[], str]] = {
    "zero_mask": _zero_mask,
    "linear": lambda: shape(nn.Linear(20, 30)(torch.randn(128, 20))),
    "embedding_table": lambda: shape(nn.Embedding(11, 512).weight),
    "five_tokens": lambda: shape(_five()),
    "equal_rows": _equal_rows,
    "shortest": lambda: f"{float(wavelengths(512)[0]):.4f}",
    "longest": lambda: f"{float(wavelengths(512)[-1]):.0f}",
    "guessing": lambda: f"{math.log(9999):.4f}",
    "w_1": partial(_parameter, "w_1.weight"),
    "b_1": partial(_parameter, "w_1.bias"),
    "b_2": partial(_parameter, "w_2.bias"),
    "shape_code": lambda: shape(PositionalEncoding(512, 0.1).pe),
    "pad_1": partial(_padded, (1, 1)),
    "pad_2": partial(_padded, (1, 1, 2, 2)),
    "pad_3": partial(_padded, (0, 1, 2, 1, 3, 3)),
    "softmax_1": lambda: _fixed(SCORE.softmax(-1)),
    "softmax_tenth": lambda: _fixed((SCORE * 0.1).softmax(-1)),
    "softmax_ten": lambda: _scientific((SCORE * 10).softmax(-1)),
    "jacobian_tenth": lambda: _fixed(softmax_jacobian((SCORE * 0.1).softmax(-1)).diagonal()),
    "jacobian_ten": lambda: _scientific(softmax_jacobian((SCORE * 10).softmax(-1)).max()),
    "masked_1": partial(_softmax, (1.9743, -0.65912)),
    "masked_2": partial(_softmax, (-1.5183, 0.60389)),
    **{name: partial(_of, tensor) for name, tensor in _RECORDED.items()},
}


@cache
def computed(name: str) -> str:
    """Computed once in a process. KeyError if there is none of this name."""
    with Seeded(0):
        return COMPUTATIONS[name]()
