"""The reports of a run as arrays: small to send, ready to draw."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from transformer_core.training.report import Report

NUMBERS = 13  # fields with one number per report: the first ones
RECORDED = {  # of what a probe finds: axes of all records together, and of which kind
    "cross_attention": (5, np.float16), "choices": (3, np.int16), "embedded": (3, np.float16),
    "block_norms": (2, np.float32),
}  # fmt: skip
KEPT = ("probe_step", *RECORDED)  # with a model; and of the numbers, for no two clocks agree:
SAVED = ("step", "loss", "rate", "gradient_norm", "weight", "exact_match", "held_out")


class History(NamedTuple):
    """n reports, k of them with a probe."""

    step: np.ndarray  # (n,) int32
    loss: np.ndarray  # (n,) float32, as are the next eleven
    rate: np.ndarray
    tokens_per_second: np.ndarray
    exact_match: np.ndarray  # NaN where it was not measured
    gradient_norm: np.ndarray
    query_norm: np.ndarray
    key_norm: np.ndarray
    weight: np.ndarray
    held_out: np.ndarray  # NaN where it was not measured
    right_words: np.ndarray  # NaN where it was not measured, as in the next two
    right_measures: np.ndarray
    right_order: np.ndarray
    probe_step: np.ndarray  # (k,) int32
    cross_attention: np.ndarray  # (k, N, h, T, S) float16
    choices: np.ndarray  # (k, pairs watched, M) int16
    embedded: np.ndarray  # (k, tokens, d_model) float16
    block_norms: np.ndarray  # (k, blocks) float32

    @classmethod
    def of(cls, reports: Sequence[Report]) -> "History":
        numbers = [np.array([getattr(r, name) for r in reports], np.float32) for name in cls._fields[1:NUMBERS]]
        seen = [(report.step, report.probe) for report in reports if report.probe is not None]
        recorded = [
            np.stack([getattr(probe, name) for _, probe in seen]) if seen else np.empty((0,) * axes, kind)
            for name, (axes, kind) in RECORDED.items()
        ]
        steps = np.array([report.step for report in reports], np.int32)
        return cls._make([steps, *numbers, np.array([step for step, _ in seen], np.int32), *recorded])

    @classmethod
    def from_columns(
        cls, columns: Mapping[str, Sequence[float | None]], records: Mapping[str, np.ndarray]
    ) -> "History":
        """What `columns` and `records` have left of one; NaN, and no records, where they say nothing."""
        unknown = [None] * len(columns["step"])
        numbers = [np.array(columns.get(name, unknown), np.float32) for name in cls._fields[1:NUMBERS]]
        seen = [records.get(name, np.empty((0,) * axes, kind)) for name, (axes, kind) in RECORDED.items()]
        steps = np.array(columns["step"], np.int32)
        return cls._make([steps, *numbers, records.get("probe_step", np.empty(0, np.int32)), *seen])

    def then(self, later: "History") -> "History":
        """Both, one after the other. What `later` tells again is left out: a run repeated is the same run."""
        if not len(self.step):
            return later
        new = later.step > self.step[-1]
        seen = later.probe_step > (self.probe_step[-1] if len(self.probe_step) else -1)
        columns = [np.concatenate([a, b[new]]) for a, b in zip(self[:NUMBERS], later[:NUMBERS])]
        records = [np.concatenate([a, b[seen]]) if seen.any() else a for a, b in zip(self[NUMBERS:], later[NUMBERS:])]
        return History._make(columns + records)

    def records(self, until: int, most: int) -> dict[str, np.ndarray]:
        """What of the records is saved with the model of step `until`: KEPT of each record up to there, or of evenly
        so many of them that they take no more than `most` bytes."""
        there = np.flatnonzero(self.probe_step <= until)
        size = sum(getattr(self, name)[there].nbytes for name in KEPT) // max(1, len(there))
        count = min(len(there), most // max(1, size))
        chosen = there[np.unique(np.linspace(0, len(there) - 1, count).astype(int))] if count else there[:0]
        return {name: getattr(self, name)[chosen] for name in KEPT} if count else {}

    def columns(self, until: int) -> dict[str, list[float | None]]:
        """What is saved with the model of step `until`: the numbers SAVED of each report up to there, None for NaN."""
        known = self.step <= until
        kept = {name: getattr(self, name)[known] for name in SAVED}
        return {name: [_plain(value) for value in values] for name, values in kept.items()}


def _plain(value: np.integer | np.floating) -> float | None:
    """With no more digits than a float32 has."""
    return None if np.isnan(value) else int(value) if isinstance(value, np.integer) else float(str(value))


EMPTY = History.of([])
