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


def first_scores(heads: int, seed: int, tokens: Sequence[int], attention: str) -> str:
    return f"""import torch
from transformer_core import padding_mask, record
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model

model = fresh_model(TrainConfig(h={heads}, seed={seed})).eval()
src = torch.tensor([{list(tokens)}])
with torch.no_grad(), record(model) as trace:
    model.encode(src, padding_mask(src))
shown = trace['{attention}.scores'][0, 0]  # of the model that scales, the products divided by √d_k
print(shown)"""
