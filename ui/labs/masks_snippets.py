"""Programs that compute the numbers of the masks lab in a Python prompt; each leaves them in `shown`.

Those of the probes follow the lines that make `model`.
"""

import math
from collections.abc import Sequence


def look_ahead(size: int) -> str:
    return f"""import torch

shown = torch.ones({size}, {size}, dtype=torch.bool).tril()  # True = may attend
print(shown.int())"""


def both(tokens: Sequence[Sequence[int]]) -> str:
    width = len(tokens[0])
    return f"""import torch

tokens = torch.tensor({_written(tokens)})
padding = (tokens != 0).unsqueeze(1)  # (batch, 1, {width})
look_ahead = torch.ones(1, {width}, {width}, dtype=torch.bool).tril()
shown = padding & look_ahead  # (batch, {width}, {width}), True = may attend
print(shown.int())"""


def fill(scores: Sequence[Sequence[float]], mask: Sequence[Sequence[bool]], blocked: float) -> str:
    value = "-float('inf')" if math.isinf(blocked) else repr(blocked)
    return f"""import torch

scores = torch.tensor({_written(scores)})
may_attend = torch.tensor({_written(mask)})
shown = scores.masked_fill(~may_attend, {value}).softmax(-1)
print(shown)"""


def rows(tokens: Sequence[int], scores: Sequence[Sequence[float]]) -> str:
    size = len(tokens)
    return f"""import torch

tokens = torch.tensor({list(tokens)})
scores = torch.tensor({_written(scores)})
look_ahead = torch.ones({size}, {size}, dtype=torch.bool).tril()
keys = (tokens != 0).unsqueeze(0) & look_ahead  # padded columns blocked
queries = (tokens != 0).unsqueeze(1) & look_ahead  # padded rows blocked
by_keys = scores.masked_fill(~keys, -1e9).softmax(-1)
shown = scores.masked_fill(~queries, -1e9).softmax(-1)
print(by_keys, shown, sep="\\n")"""


def triangles(values: Sequence[Sequence[int]]) -> str:
    return f"""import numpy as np

x = np.array({_written(values)})
shown = np.vstack([np.triu(x, k) for k in (-1, 0, 1)])
print(shown)"""


def reading(size: int, read_as: str) -> str:
    allowed = {"code": "mask == 1", "colors": "mask == 0", "picture": "mask.T == 0"}[read_as]
    return f"""import torch

mask = torch.ones({size}, {size}).tril()
may_attend = {allowed}
shown = torch.zeros({size}, {size}).masked_fill(~may_attend, -1e9).softmax(-1)
print(shown)"""


def conventions(lengths: Sequence[int], width: int) -> str:
    return f"""import torch

lengths = torch.tensor({list(lengths)})
valid = (torch.arange({width}) < lengths.unsqueeze(1)).float().unsqueeze(2)  # (batch, {width}, 1)
may_attend = torch.bmm(valid, valid.transpose(1, 2)).bool()
blocked = ~may_attend
shown = may_attend.int()
print(shown, blocked, sep="\\n")"""


def axis(mask: Sequence[Sequence[Sequence[int]]], heads: int, axis: int) -> str:
    batch, size = len(mask), len(mask[0])
    return f"""import torch

mask = torch.tensor({_written(mask)})
unsqueezed = mask.unsqueeze({axis})
print(unsqueezed.shape)
shown = unsqueezed.broadcast_to({batch}, {heads}, {size}, {size})  # what each head of each sequence gets
print(shown)"""


def too_large(size: int, queries: int) -> str:
    return f"""import torch

mask = torch.ones({size}, {size}, dtype=torch.bool).tril()
scores = torch.zeros({queries}, {size})  # of the last queries
shown = scores.masked_fill(~mask[:{queries}, :{size}], -1e9).softmax(-1)  # cut as in the notes
own = scores.masked_fill(~mask[-{queries}:], -1e9).softmax(-1)
print(shown, own, sep="\\n")"""


def own_batch(paddings: int) -> str:
    return f"""import torch
from transformer_core import create_masks

generator = torch.Generator().manual_seed(0)
src, tgt = (torch.randint(1, 10_000, (32, 100), generator=generator) for _ in range(2))
tgt = tgt[:, :-1]
for tokens in (src, tgt):
    tokens[:, tokens.size(1) - {paddings} :] = 0
src_mask, tgt_mask = create_masks(src, tgt)
shown = tgt_mask[0, 0]
print(src_mask.shape, tgt_mask.shape, shown, sep="\\n")"""


def causality(src: Sequence[int], look_ahead: bool) -> str:
    return f"""from transformer_core.probes import causality_probe

src = torch.tensor([{list(src)}])
shown = causality_probe(model, src, src[:, :-1], look_ahead={look_ahead}).difference
print(shown)"""


def drift(src: Sequence[int], most: int) -> str:
    return f"""from transformer_core.probes import padding_probe

src = torch.tensor([{list(src)}])
masked = padding_probe(model, src, {most}).difference
shown = padding_probe(model, src, {most}, masked=False).difference
print(masked.max(), shown.max())"""


def _written(values: Sequence[object]) -> str:
    """Nested lists as Python reads them; repr of a float32's value is exact."""
    return repr([list(row) if isinstance(row, Sequence) else row for row in values]).replace("], [", "],\n    [")
