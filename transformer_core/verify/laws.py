"""Laws that hold for any model, whatever it has learned (paper, sections 3.1, 3.2.3 and 3.5).

`model` is in evaluation mode; src (1, S) and tgt (1, T) are token ids.
"""

import torch
from torch import Tensor
from torch.nn.functional import pad as pad_edges

from transformer_core.decoding.greedy import greedy_steps
from transformer_core.experiments.probes import causality_probe
from transformer_core.masks import padding_mask, subsequent_mask, target_mask
from transformer_core.model import EncoderDecoder
from transformer_core.positions import position_code, shift_rotation
from transformer_core.tasks.vocabulary import PAD
from transformer_core.trace import record
from transformer_core.verify.samples import gap, worst

PADDINGS = 3
FIRST, LAST, SHIFTS = 10, 200, (1, 7, 64, -3)  # positions of the code that are turned, and by how much


def rows_sum_to_one(model: EncoderDecoder, src: Tensor, tgt: Tensor) -> float:
    """The largest |Σ weights - 1| over every row of every attention (equation (1): a softmax over the keys)."""
    with record(model) as trace:
        _outputs(model, src, tgt)
    sums = [value.sum(-1) for name, value in trace.items() if name.endswith("attn.weights")]
    return worst(gap(total, torch.ones_like(total)) for total in sums)


def causality(model: EncoderDecoder, src: Tensor, tgt: Tensor) -> float:
    """How much an output i moves when a token j > i changes: exactly 0.

    A blocked weight is 0, and the same sums are done in the same order.
    """
    probe = causality_probe(model, src, tgt)
    return float(probe.difference.triu(1).max())


def padding(model: EncoderDecoder, src: Tensor, tgt: Tensor) -> float:
    """How much 1…3 paddings at the end of source and target move the outputs before them: rounding only."""
    before, T = _outputs(model, src, tgt), tgt.size(1)
    after = (
        _outputs(model, pad_edges(src, (0, k), value=PAD), pad_edges(tgt, (0, k), value=PAD))
        for k in range(1, PADDINGS + 1)
    )
    return worst(gap(out[:, :T], before) for out in after)


def step_by_step(model: EncoderDecoder, src: Tensor, length: int) -> float:
    """Log-probabilities of an output decoded token by token, beside those of one pass over that output."""
    src_mask = padding_mask(src, PAD)
    steps = list(greedy_steps(model, src, src_mask, length))
    with torch.no_grad():
        forced = model.generator(model(src, steps[-1].ys, src_mask, subsequent_mask(len(steps))))
    return gap(torch.stack([step.log_probs for step in steps], dim=1), forced)


def recorded(model: EncoderDecoder, src: Tensor, tgt: Tensor) -> float:
    """How much a recording changes: nothing, and what it holds as the output is the output."""
    plain = _outputs(model, src, tgt)
    with record(model) as trace:
        out = _outputs(model, src, tgt)
    return worst([gap(out, plain), gap(trace["decoder.output"], plain)])


def rotation(d_model: int) -> float:
    """PE(pos + shift) beside one fixed rotation of PE(pos), at 190 positions and for four shifts, one of them back."""
    code = position_code(LAST + max(SHIFTS), d_model, dtype=torch.float64)
    here = code[FIRST:LAST]
    return worst(gap(here @ shift_rotation(by, d_model).T, code[FIRST + by : LAST + by]) for by in SHIFTS)


def _outputs(model: EncoderDecoder, src: Tensor, tgt: Tensor) -> Tensor:
    """(batch, T, d_model)"""
    with torch.no_grad():
        out: Tensor = model(src, tgt, padding_mask(src, PAD), target_mask(tgt, PAD))
    return out
