"""Which heads look at the words that a word was made of, as matrices: arrays and labels in, panels and formulas out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ui.figures import Board, Operand, Panel
from ui.figures.formula import Formula, I, J, K, Matrix, Number, by_row, largest, mean, total


@dataclass(frozen=True)
class AlignmentCounts:
    """What H heads do at T words of one sentence of S source positions, or of many sentences in T parts."""

    right: np.ndarray  # (H, T) how many words the head's largest weight lies right for: 0 or 1 where there is one
    entropy: np.ndarray  # (H, T) nats, summed over the words
    some: np.ndarray  # (T,) for how many any head's does
    chance: np.ndarray  # (T,) for how many a random look does, on average
    words: np.ndarray  # (T,) how many there are: 0 where a row of the attention is aligned with nothing

    @property
    def rows(self) -> np.ndarray:
        """(H + 2, T): the heads, any of them, chance."""
        return np.vstack([self.right, self.some, self.chance])

    @property
    def shares(self) -> np.ndarray:
        """(H + 2,): of all words."""
        return np.asarray(self.rows.sum(1) / self.words.sum())

    @property
    def entropies(self) -> np.ndarray:
        """(H,): the mean over all words."""
        return np.asarray(self.entropy.sum(1) / self.words.sum())


def sentence_board(
    looks: AlignmentCounts,
    weights: np.ndarray,
    reference: np.ndarray,
    keys: int,
    steps: Sequence[str],
    rows: Sequence[str],
    say: Callable[[str], str],
) -> Board:
    """A row per head, a column per output word, `steps`; beside them each row's share and entropy. The names of `rows`
    are those of the heads, of any of them, and of chance.

    weights (H, T, S), reference (T, S); `keys` of the S positions may be looked at.
    """
    heads, _, size = weights.shape
    counted = np.nonzero(looks.words)[0].tolist()
    g, hits = Matrix("reference"), Matrix("hits")
    by_head = [_found(Matrix(f"weights_{head}"), g, size) for head in range(heads)]
    some, chance = largest(K, heads, hits[K, J]), total(K, size, g[J, K]) / Number(keys, "S")
    panel = Panel(
        "hits",
        looks.rows,
        title=say("alignment.hits"),
        row_labels=rows,
        col_labels=steps,
        row_axis=say("alignment.row_axis"),
        col_axis=say("alignment.word_axis"),
        scale="probability",
        vacant=np.tile(looks.words == 0, (heads + 2, 1)),
        made=by_row(*by_head, some, chance),
        symbol="h",
        print_values=True,
    )
    share = _share(looks, mean(K, counted, hits[I, K]), rows, say)
    entropy = _entropy(looks, mean(K, counted, Matrix("entropies")[I, K]), rows, say, float(np.log(keys)))
    operands = [
        *(Operand(f"weights_{head}", of, f"α^{rows[head]}") for head, of in enumerate(weights)),
        Operand("reference", reference, "g"),
        Operand("entropies", looks.entropy, "H"),
    ]
    return Board([panel, share, entropy], operands, vacant=say("alignment.vacant"), result="hits")


def shares_board(looks: AlignmentCounts, rows: Sequence[str], say: Callable[[str], str], highest: float) -> Board:
    """Of many sentences each row's share of all words, and the mean entropy, which is `highest` at most."""
    parts, words = looks.words.size, Matrix("words")
    count = total(K, parts, words[0, K])
    panels = [
        _share(looks, total(K, parts, Matrix("right")[I, K]) / count, rows, say),
        _entropy(looks, total(K, parts, Matrix("entropies")[I, K]) / count, rows, say, highest),
    ]
    operands = [
        Operand("right", looks.rows, "h"),
        Operand("words", looks.words[None], "n"),
        Operand("entropies", looks.entropy, "H"),
    ]
    return Board(panels, operands, result="share")


def _found(weights: Matrix, reference: Matrix, size: int) -> Formula:
    """1 where no weight is larger than the largest one on an aligned word."""
    return largest(K, size, weights[J, K]).at_most(largest(K, size, weights[J, K] * reference[J, K]))


def _share(looks: AlignmentCounts, made: Formula, rows: Sequence[str], say: Callable[[str], str]) -> Panel:
    return Panel(
        "share",
        looks.shares[:, None],
        title=say("alignment.share"),
        row_labels=rows,
        row_axis=say("alignment.row_axis"),
        scale="probability",
        made=made,
        symbol="p",
        place=(0, 1),
        print_values=True,
    )


def _entropy(
    looks: AlignmentCounts, made: Formula, rows: Sequence[str], say: Callable[[str], str], highest: float
) -> Panel:
    return replace(
        _share(looks, made, rows, say),
        key="entropy",
        values=looks.entropies[:, None],
        title=say("alignment.entropy"),
        row_labels=rows[: len(looks.right)],
        row_axis="",
        scale="magnitude",
        high=highest,
        symbol="H\u0304",
        place=(0, 2),
    )
