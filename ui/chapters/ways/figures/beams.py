"""What a beam adds up and compares, as matrices: arrays and labels in, a board out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ui.figures import Board, Operand, Panel
from ui.figures.formula import Formula, I, J, K, Matrix, Number, by_column, total
from ui.figures.paper import log_softmax

Labels = Mapping[str, str]
# The likelier, the more a cell stands out; what is less likely than e^-6 does so as little as that.
LOG_PROBS: dict[str, Any] = {"scale": "magnitude", "low": -6.0, "high": 0.0, "print_values": True}


@dataclass(frozen=True)
class BeamCandidates:
    way: np.ndarray  # (b, t) log-probabilities of the tokens so far
    logits: np.ndarray  # (b, vocab) of the next token
    log_probs: np.ndarray  # (b, vocab)
    sums: np.ndarray  # (b, vocab)
    stays: np.ndarray  # (b, vocab) bool
    tokens: Sequence[int]  # those that have a column


def candidates_board(turn: BeamCandidates, rows: Sequence[str], columns: Sequence[str], labels: Labels) -> Board:
    """Every open output with its score, and what it comes to with each next token; what does not stay is grey."""
    written = turn.way.shape[1]
    token = J.of(turn.tokens, "id")
    scores = turn.way.sum(1, keepdims=True)
    added = total(K, written, Matrix("way")[I, K]) if written else Number(0.0)
    panels = [
        Panel(
            "score", scores, labels["score"], rows, [labels["sum"]], labels["output"],
            made=added, symbol="s", meaning="decoder", **LOG_PROBS,
        ),
        Panel(
            "next", turn.log_probs[:, turn.tokens], labels["next"], rows, columns, labels["output"], labels["token"],
            made=log_softmax(Matrix("logits"), I, turn.logits.shape[1], token), symbol="ln p", meaning="decoder",
            place=(1, 0), **LOG_PROBS,
        ),
        Panel(
            "sums", turn.sums[:, turn.tokens], labels["sums"], rows, columns, labels["output"], labels["token"],
            made=Matrix("score")[I, 0] + Matrix("next")[I, J], symbol="s", meaning="decoder",
            vacant=~turn.stays[:, turn.tokens], place=(2, 0), **LOG_PROBS,
        ),
    ]  # fmt: skip
    operands = [Operand("logits", turn.logits, "z", "decoder")]
    operands += [Operand("way", turn.way, "ln p", "decoder")] * bool(written)
    return Board(panels, operands, vacant=labels["pruned"])


def ends_board(ways: np.ndarray, lengths: Sequence[int], alpha: float, rows: Sequence[str], labels: Labels) -> Board:
    """Finished outputs, the best first. ways (E, T): their log-probabilities, 0 after the end; `lengths` in tokens."""
    counts = np.asarray(lengths, dtype=np.float64)
    scores, penalties = ways.sum(1), ((5 + counts) / 6) ** alpha
    ends = Matrix("ends")
    panel = Panel(
        "ends", np.stack([scores, counts, penalties, scores / penalties], 1), labels["ends"], rows,
        [labels[name] for name in ("sum", "length", "penalty", "normalised")], labels["output"],
        scale="plain", made=by_column(total(K, ways.shape[1], Matrix("ways")[I, K]), None, *_normalised(ends, alpha)),
        symbol=["s", "n", "lp", "s / lp"], symbol_axis="column", meaning="decoder", digits=4, print_values=True,
    )  # fmt: skip
    return Board([panel], [Operand("ways", ways, "ln p", "decoder")])


@dataclass(frozen=True)
class Output:
    """A finished output of n tokens: what the model says before each, and which was written."""

    logits: np.ndarray  # (n, vocab)
    tokens: Sequence[int]
    names: Sequence[str]

    @property
    def log_probs(self) -> np.ndarray:
        """(1, n)"""
        z = self.logits.astype(np.float64)
        top = z.max(1, keepdims=True)
        every = z - top - np.log(np.exp(z - top).sum(1, keepdims=True))
        return np.asarray(every[range(len(z)), list(self.tokens)][None])


def compared_board(outputs: Mapping[str, Output], alpha: float, labels: Labels) -> Board:
    """Two outputs, token by token, each with its sum and its sum over the length penalty; the names are those of the
    panels."""
    panels, operands = [], []
    for row, (name, output) in enumerate(outputs.items()):
        log_probs, count = output.log_probs, len(output.tokens)
        logits, size = Matrix(f"{name}_logits"), output.logits.shape[1]
        score, penalty = float(log_probs.sum()), ((5 + count) / 6) ** alpha
        panels += [
            Panel(
                name, log_probs, labels[name], ["ln p"], output.names, "", labels["token"],
                made=log_softmax(logits, J, size, J.of(output.tokens, "id")), symbol="ln p", meaning="decoder",
                place=(row, 0), **LOG_PROBS,
            ),
            Panel(
                f"{name}_sum", np.array([[score, count, penalty, score / penalty]]), "", [""],
                [labels[part] for part in ("sum", "length", "penalty", "normalised")], scale="plain",
                made=by_column(total(K, count, Matrix(name)[0, K]), None, *_normalised(Matrix(f"{name}_sum"), alpha)),
                symbol=["s", "n", "lp", "s / lp"], symbol_axis="column", meaning="decoder", place=(row, 1),
                print_values=True,
            ),
        ]  # fmt: skip
        operands.append(Operand(f"{name}_logits", output.logits, "z", "decoder"))
    return Board(panels, operands, result="beam")


def _normalised(of: Matrix, alpha: float) -> tuple[Formula, Formula]:
    """The length penalty, and the sum over it, where the sum, the length and the penalty are the first columns."""
    return ((Number(5) + of[I, 1]) / 6) ** Number(alpha, "α"), of[I, 0] / of[I, 2]
