"""What the story of the scale is told of: sampled scores for every d_k, and one query of them that is typical."""

import math
from dataclasses import dataclass

import numpy as np
import torch

from transformer_core.experiments.score_size import SizeStatistics
from transformer_core.softmax import jacobian_norm, softmax_jacobian, softmax_steps
from ui.chapters.scaling.size import KEYS, QUERIES, SIZES, SampleSettings, origin, sample_of, statistics_of
from ui.figures import percent
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, one_of, ranked, short
from ui.text import Words

SEED = SampleSettings().seed
SHOWN = tuple(d_k for d_k in SIZES if d_k <= 256)
STOPS = SHOWN[::2]  # from one to the next √d_k doubles
ROWS = 8  # queries whose scores are dots


@dataclass(frozen=True)
class ScalingStoryValues:
    """All scores in float64. `row` is the query that the story goes on with; it is one of the `rows`."""

    say: Words
    products: np.ndarray  # (SHOWN, QUERIES, KEYS): q·k
    rows: tuple[int, ...]
    row: int
    means: np.ndarray  # (SHOWN, 2): the mean size of the Jacobian over all queries, first without 1/√d_k, then with it

    @property
    def end(self) -> float:
        return 10.0 * math.ceil(float(np.abs(self.products[:, list(self.rows)]).max()) / 10)

    @property
    def origin(self) -> str:
        return origin(SEED, QUERIES, KEYS, part=f".products[:{SHOWN[-1]}]")

    def scores(self, d_k: int, divided: bool = False) -> np.ndarray:
        """(QUERIES, KEYS)"""
        plain = self.products[SHOWN.index(d_k)]
        return np.asarray(plain / math.sqrt(d_k) if divided else plain)

    def spread(self, d_k: int, divided: bool = False) -> float:
        return float(self.scores(d_k, divided).std(ddof=1))

    def weights(self, d_k: int, divided: bool = False) -> np.ndarray:
        """(KEYS,): what softmax makes of the scores of the one query."""
        scores = torch.from_numpy(self.scores(d_k, divided)[self.row])
        return softmax_steps(scores).probabilities.numpy()

    def jacobian(self, d_k: int, divided: bool = False) -> np.ndarray:
        """(KEYS, KEYS): how its weights react to its scores."""
        return softmax_jacobian(torch.from_numpy(self.weights(d_k, divided))).numpy()

    def size(self, d_k: int, divided: bool = False) -> float:
        return float(jacobian_norm(torch.from_numpy(self.weights(d_k, divided))))

    @property
    def order(self) -> list[int]:
        """The keys as they stand in a row: by their scores at the largest d_k, so that nothing crosses in the end."""
        return [int(key) for key in np.argsort(self.scores(SHOWN[-1])[self.row])]


def values(chapter: AnyChapter) -> ScalingStoryValues:
    sizes = torch.tensor(SHOWN)
    products = sample_of(SEED).products[sizes - 1].double()
    row = typical(products)
    rows = sorted({row, *(query for query in range(ROWS) if query != row)}, key=lambda query: (query == row, query))
    kept = (*rows[: ROWS // 2], row, *rows[ROWS // 2 : ROWS - 1])  # its row in the middle
    measured = 1 + SizeStatistics._fields.index("jacobian_norm")
    columns = [measured, measured + len(SizeStatistics._fields)]
    means = statistics_of(SEED)[: len(SHOWN)][:, columns].double().numpy()
    return ScalingStoryValues(chapter.say, products.numpy(), kept, row, means)


def typical(products: torch.Tensor) -> int:
    """The query, products (SHOWN, queries, keys), whose Jacobians are of sizes nearest to the median ones, by their
    logarithms, with 1/√d_k and without it; among those whose largest weight, without it, grows from stop to stop."""
    roots = torch.tensor(SHOWN, dtype=products.dtype).sqrt().reshape(-1, 1, 1)
    weights = torch.stack([products, products / roots]).softmax(-1)
    norms = jacobian_norm(weights).log()  # (2, SHOWN, queries)
    away = (norms - norms.median(-1, keepdim=True).values).square().sum((0, 1))
    largest = weights[0, [SHOWN.index(d_k) for d_k in STOPS]].amax(-1)
    grows = (largest.diff(dim=0) > 0).all(0)
    return int(torch.where(grows, away, math.inf).argmin())


# What the story of the scale asks: the shares of scores that are far apart; and the same of another query.

FAR = Choice("story_far", ("tower", "proportion", "even"), right="tower")
TRIED = 40  # queries
TALL = 0.8  # a share that nobody takes for half of the whole


def of_another(v: ScalingStoryValues, seed: int) -> Version | None:
    queries = [query for query in range(TRIED) if query != v.row]
    return one_of(seed, queries, lambda query: _of(v, query))


def _of(v: ScalingStoryValues, query: int) -> Version | None:
    scores = torch.from_numpy(v.scores(SHOWN[-1])[query])
    high, second = (float(score) for score in scores.topk(2).values)
    tallest, close = (
        float(softmax_steps(each).probabilities.max()) for each in (scores, scores / math.sqrt(SHOWN[-1]))
    )
    if tallest < TALL:
        return None
    labels = ranked({"tower": tallest, "proportion": close, "even": 1 / KEYS}, lambda share: percent(share, 1))
    said = {"d_k": SHOWN[-1], "high": short(high), "next": short(second), "lead": short(high - second)}
    said |= {"share": percent(tallest, 1), "close": percent(close, 1)}
    return Version("tower", said, labels) if labels else None


TOWERS = Inquiry(FAR, ("negative", "power", "sum"), "power", of_another)
