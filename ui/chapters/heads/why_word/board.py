"""What each part of the decoder adds to the difference of two logits, as matrices: arrays in, panels and sums out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ui.figures import Board, Operand, Panel
from ui.figures.formula import CELL, Cases, Formula, I, Index, K, L, Matrix, by_row, total


class VectorContributions(NamedTuple):
    """Vectors, a row each, and for each of their numbers what a unit of it adds."""

    vectors: np.ndarray  # (rows, n)
    slopes: np.ndarray  # (rows, n)

    @property
    def contributions(self) -> np.ndarray:
        """(rows,)"""
        return np.asarray((self.vectors * self.slopes).sum(1))


@dataclass(frozen=True)
class Parts:
    """Those of a decoder of N layers with h heads."""

    heads: VectorContributions  # 2N·h rows: self-attention's heads, then cross-attention's, of each layer
    inputs: VectorContributions  # 2 rows: embedding, position
    feed_forward: VectorContributions  # N rows
    biases: VectorContributions  # a row for each but the generator's
    generator: np.ndarray  # (2,) its biases of the token and of the rival

    def of_heads(self, attentions: int) -> np.ndarray:
        """(attentions, h)"""
        return self.heads.contributions.reshape(attentions, -1)

    @property
    def vectors(self) -> np.ndarray:
        """(2 + N,): embedding, position, feed-forward networks."""
        return np.append(self.inputs.contributions, self.feed_forward.contributions)

    @property
    def all_biases(self) -> np.ndarray:
        """With the generator's, the last."""
        return np.append(self.biases.contributions, self.generator[0] - self.generator[1])


def contributions_board(parts: Parts, rows: Mapping[str, Sequence[str]], say: Callable[[str], str]) -> Board:
    """The heads, a row per attention; the vectors that are added whole; the biases; and the sums of these, on one scale
    of colours."""
    heads, biases = parts.of_heads(len(rows["heads"])), parts.all_biases
    sums = np.array([heads.sum(), parts.vectors.sum(), biases.sum()])
    values = {"heads": heads, "vectors": parts.vectors, "biases": biases, "sums": np.append(sums, sums.sum())}
    made: dict[str, Formula | Cases] = {
        "heads": _sum("head", parts.heads, CELL),
        "vectors": by_row(
            *[_sum("input", parts.inputs, I)] * len(parts.inputs.vectors),
            *[_sum("hidden", parts.feed_forward, I.moved(-2))] * len(parts.feed_forward.vectors),
        ),
        "biases": by_row(
            *[_sum("bias", parts.biases, I)] * len(parts.biases.vectors),
            Matrix("generator")[0, 0] - Matrix("generator")[0, 1],
        ),
        "sums": by_row(
            total(K, len(heads), total(L, heads.shape[1], Matrix("heads")[K, L])),
            total(K, len(parts.vectors), Matrix("vectors")[K, 0]),
            total(K, len(biases), Matrix("biases")[K, 0]),
            total(K, len(sums), Matrix("sums")[K, 0]),
        ),
    }
    high = max(float(np.abs(of).max()) for of in values.values())
    panels = [
        Panel(
            key,
            of.reshape(len(of), -1),
            title=say(f"why_word.{key}"),
            row_labels=rows[key],
            col_labels=[str(head) for head in range(of.shape[1])] if key == "heads" else (),
            row_axis=say("layer_axis") if key == "heads" else "",
            col_axis=say("head_axis") if key == "heads" else "",
            high=high,
            made=made[key],
            symbol=symbol,
            print_values=True,
        )
        for ((key, of), symbol) in zip(values.items(), "cxbs")
    ]
    operands = [
        *_operands("head", parts.heads, "o"),
        *_operands("input", parts.inputs, "e"),
        *_operands("hidden", parts.feed_forward, "f"),
        *_operands("bias", parts.biases, "b"),
        Operand("generator", parts.generator[None], "b^g"),
    ]
    return Board(panels, operands, result="heads")


def _sum(key: str, of: VectorContributions, row: Index) -> Formula:
    return total(K, of.vectors.shape[1], Matrix(f"{key}_vectors")[row, K] * Matrix(f"{key}_slopes")[row, K])


def _operands(key: str, of: VectorContributions, symbol: str) -> list[Operand]:
    return [Operand(f"{key}_vectors", of.vectors, symbol), Operand(f"{key}_slopes", of.slopes, "r")]
