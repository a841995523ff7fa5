"""Programs that compute the numbers of the chapter on scaling in a Python prompt; each leaves them in `shown`."""

from collections.abc import Sequence


def typed(scores: Sequence[float]) -> str:
    return f"import torch\n\nscores = torch.tensor({list(scores)}, dtype=torch.float64)\n"


def jacobian(given: str, factor: float) -> str:
    """`given` leaves the scores in `scores`, here and below."""
    return f"""{given}x = {factor:g} * scores
p = x.softmax(-1)
shown = torch.diag(p) - torch.outer(p, p)
by_autograd = torch.autograd.functional.jacobian(lambda x: x.softmax(-1), x)
print((shown - by_autograd).abs().max())
print(shown)"""


def curves(given: str) -> str:
    return f"""{given}factors = torch.logspace(-4, 5, 145, base=2, dtype=torch.float64)
p = (factors.unsqueeze(1) * scores).softmax(-1)
entropy = -torch.xlogy(p, p).sum(-1)
jacobians = torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)
shown = torch.stack([factors, entropy, torch.linalg.matrix_norm(jacobians)], dim=1)
print(shown)"""


def notes(scores: Sequence[float], factors: Sequence[float]) -> str:
    return f"""{typed(scores)}shown = torch.stack([(factor * scores).softmax(-1) for factor in {list(factors)}], dim=1)
print(shown)"""


def temperatures(given: str, values: Sequence[float]) -> str:
    return f"""{given}shown = torch.stack([(scores / temperature).softmax(-1) for temperature in {list(values)}])
print(shown)"""


def sizes(values: Sequence[int], largest: int, queries: int, keys: int, seed: int) -> str:
    return f"""{_sample(values, largest, queries, keys, seed)}scaled = products / sizes.sqrt().reshape(-1, 1, 1)

def measured(scores):
    p = scores.softmax(-1)
    entropy = -torch.xlogy(p, p).sum(-1)
    jacobians = torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)
    return scores.flatten(1).var(1), entropy.mean(-1), torch.linalg.matrix_norm(jacobians).mean(-1)

shown = torch.stack([sizes, *measured(products), *measured(scaled)], dim=1)
print(shown)"""


def histogram(d_k: int, largest: int, queries: int, keys: int, end: int, seed: int) -> str:
    return f"""{_sample([d_k], largest, queries, keys, seed)}scores = products[0].flatten()
edges = torch.arange(-{end} - 0.5, {end} + 1)
shares = [torch.histogram(each, edges).hist / len(each) for each in (scores, scores / {d_k}**0.5)]
shown = torch.stack([edges[:-1] + 0.5, *shares], dim=1)
print(shown)"""


def few(d_k: int, largest: int, queries: int, keys: int, rows: int, seed: int) -> str:
    return f"""{_sample([d_k], largest, queries, keys, seed)}shown = products[0, :{rows}]
print(shown.softmax(-1), (shown / {d_k}**0.5).softmax(-1), sep="\\n")
print(shown)"""


def _sample(values: Sequence[int], largest: int, queries: int, keys: int, seed: int) -> str:
    return f"""import torch

sizes = torch.tensor({list(values)})  # of d_k
generator = torch.Generator().manual_seed({seed})
q = torch.randn({queries}, 1, {largest}, generator=generator)
k = torch.randn({queries}, {keys}, {largest}, generator=generator)
products = (q * k).cumsum(-1)[..., sizes - 1].movedim(-1, 0)  # one q·k for each d_k
"""


def embeddings(tokens: Sequence[int], vocab: int, d_model: int, enlarge: bool, scale: bool, seed: int) -> str:
    factor = " * math.sqrt(d_model)" if enlarge else ""
    divisor = " / math.sqrt(d_model)" if scale else ""
    return f"""import math
import torch

d_model = {d_model}
table = torch.empty({vocab}, d_model).normal_(generator=torch.Generator().manual_seed({seed}))
x = table[{list(tokens)}]{factor}
scores = x @ x.T{divisor}
shown = scores.softmax(-1)
print(shown)"""


def runs(heads: int, seed: int) -> str:
    return f"""import torch
from transformer_core import entropy
from transformer_core.train import train
from transformer_core.training.config import TrainConfig

torch.set_num_threads(1)  # sums come out the same to the last bit only if they are split alike
unknown = float("nan")

def spread(probe):
    return unknown if probe is None else entropy(torch.tensor(probe.cross_attention).float()).mean().item()

def measured(scale):
    first, *reports = train(TrainConfig(h={heads}, seed={seed}, scale=scale))
    later = [[r.step, r.loss, spread(r.probe), r.query_norm, r.key_norm] for r in reports]
    return torch.tensor([[first.step, unknown, spread(first.probe), unknown, unknown], *later])

shown = torch.cat([measured(True), measured(False)[:, 1:]], dim=1)
print(shown)"""
