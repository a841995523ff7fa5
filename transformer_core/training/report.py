"""What a training run says of itself after each step."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Probe(NamedTuple):
    """What the model makes of a few fixed pairs, their targets shifted as in training.

    The first is the probe, of S and T + 1 tokens; the longest target has M + 1.
    """

    cross_attention: np.ndarray  # (N, h, T, S) float16: `src_attn.weights` of every decoder layer; (0, …) without any
    log_probs: np.ndarray  # (T, tgt_vocab) float32: of each next token; the argmax is the prediction
    choices: np.ndarray  # (pairs, M) int16: the likeliest next token, given the right ones before it
    embedded: np.ndarray  # (tokens of `embedded_of`, d_model) float16: their rows of the source's table
    block_norms: np.ndarray  # (blocks of `blocks_of`,) float32: of each one's gradient; 0 before the first update


@dataclass(frozen=True, slots=True)
class Report:
    """A run after `step` updates."""

    step: int
    loss: float  # nats per token on this step's batch, before its update; at step 0 on fresh sequences
    rate: float = 0.0
    tokens_per_second: float = 0.0  # of the update alone, without measurements; 0 at step 0
    exact_match: float | None = None  # share of targets given to the last token, fresh or held out; None = not measured
    gradient_norm: float = 0.0  # of all parameters together; 0 at step 0
    query_norm: float = 0.0  # of all W_Q together
    key_norm: float = 0.0  # of all W_K together
    weight: float = 0.0  # the one parameter that is followed (probing.followed)
    probe: Probe | None = None  # None = not recorded at this step
    held_out: float | None = None  # loss on pairs without a rule, never trained on; None = not measured
    right_words: float | None = None  # shares of right words of each kind (tasks/kinds.py), in tasks with words of
    right_measures: float | None = None  # their own, measured with the exact match on QUICK_SEQUENCES held out;
    right_order: float | None = None  # None = not measured, or no such word
