"""What the story of the scale asks: the shares of scores that are far apart; and the same of another query."""

import math

import torch

from transformer_core.softmax import softmax_steps
from ui.chapters.scaling.size import KEYS
from ui.chapters.scaling.story.values import SHOWN, ScalingStoryValues
from ui.figures import percent
from ui.sections import Choice
from ui.sections.inquiry import Inquiry, Version, one_of, ranked, short

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
