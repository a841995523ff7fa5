"""Programs that compute the numbers of the chapter on scaling in a Python prompt; each leaves them in `shown`."""

from collections.abc import Sequence


def jacobian(scores: Sequence[float], factor: float) -> str:
    return f"""import torch

x = {factor:g} * torch.tensor({list(scores)}, dtype=torch.float64)
p = x.softmax(-1)
shown = torch.diag(p) - torch.outer(p, p)
by_autograd = torch.autograd.functional.jacobian(lambda x: x.softmax(-1), x)
print(p, shown, (shown - by_autograd).abs().max(), sep="\\n")"""


def curves(scores: Sequence[float]) -> str:
    return f"""import torch

scores = torch.tensor({list(scores)}, dtype=torch.float64)
factors = torch.logspace(-4, 5, 145, base=2, dtype=torch.float64)
p = (factors.unsqueeze(1) * scores).softmax(-1)
entropy = -torch.xlogy(p, p).sum(-1)
jacobians = torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)
shown = torch.stack([factors, entropy, torch.linalg.matrix_norm(jacobians)], dim=1)
print(shown)"""


def notes(scores: Sequence[float], factors: Sequence[float]) -> str:
    return f"""import torch

scores = torch.tensor({list(scores)})
shown = torch.stack([(factor * scores).softmax(-1) for factor in {list(factors)}])
print(shown)"""


def temperatures(scores: Sequence[float], values: Sequence[float]) -> str:
    return f"""import torch

scores = torch.tensor({list(scores)}, dtype=torch.float64)
shown = torch.stack([(scores / temperature).softmax(-1) for temperature in {list(values)}])
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


def few(d_k: int, largest: int, queries: int, keys: int, rows: int, seed: int) -> str:
    return f"""{_sample([d_k], largest, queries, keys, seed)}shown = products[0, :{rows}]
print(shown, shown.softmax(-1), (shown / {d_k}**0.5).softmax(-1), sep="\\n")"""


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
from transformer_core.train_config import TrainConfig

torch.set_num_threads(1)  # sums come out the same to the last bit only if they are split alike

def measured(scale):
    reports = list(train(TrainConfig(h={heads}, seed={seed}, scale=scale)))
    maps = [torch.tensor(report.probe.cross_attention).float() for report in reports if report.probe is not None]
    entropies.append([entropy(weights).mean().item() for weights in maps])
    return [(report.loss, report.query_norm, report.key_norm) for report in reports]

entropies = []
shown = [measured(True), measured(False)]
print(shown[0][-1], shown[1][-1], *entropies, sep="\\n")"""
