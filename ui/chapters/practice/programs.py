"""Programs that work the worksheet out in a Python prompt, without the functions that judged it; each leaves its result
in `shown`."""

from transformer_core.adamw import BETAS, EPS
from transformer_core.exercises.worksheet import adamw as of_adamw
from transformer_core.exercises.worksheet import attention as of_attention
from transformer_core.exercises.worksheet import beam as of_beam
from transformer_core.exercises.worksheet import layer_norm as of_layer_norm
from transformer_core.exercises.worksheet import loss as of_loss
from transformer_core.exercises.worksheet import softmax as of_softmax


def attention(givens: of_attention.AttentionGivens) -> str:
    q, k, v, mask = (part.tolist() for part in givens)
    return f"""import torch

q = torch.tensor({q})
k = torch.tensor({k})
v = torch.tensor({v})
mask = torch.tensor({mask})
scores = q @ k.T / k.size(1) ** 0.5
weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
shown = weights @ v
print(shown)"""


def layer_norm(givens: of_layer_norm.LayerNormGivens) -> str:
    x, gain, shift = (part.tolist() for part in givens)
    return f"""import torch

x, gain, shift = torch.tensor({x}), torch.tensor({gain}), torch.tensor({shift})
shown = gain * (x - x.mean()) / (x.std() + 1e-6) + shift
print(shown)"""


def softmax(givens: of_softmax.SoftmaxGivens) -> str:
    return f"""import torch

x = torch.tensor({[float(count) for count in givens.counts]}).log()
print(x.softmax(-1))
shown = torch.autograd.functional.jacobian(lambda x: x.softmax(-1), x)
print(shown)"""


def loss(givens: of_loss.LossGivens) -> str:
    return f"""import torch

p = torch.tensor({list(givens.tenths)}) / 10
t = torch.full_like(p, {givens.smoothing} / {of_loss.V - 2})
t[{of_loss.PAD}], t[{givens.answer}] = 0, 1 - {givens.smoothing}
print(-p[{givens.answer}].log(), t)
logits = p.log().requires_grad_()
divergence = torch.nn.functional.kl_div(logits.log_softmax(-1), t, reduction="sum")
shown = torch.autograd.grad(divergence, logits)[0]
print(shown)"""


def adamw(givens: of_adamw.AdamWGivens) -> str:
    first, second = BETAS
    return f"""import torch

w = torch.tensor([{givens.w}], dtype=torch.float64, requires_grad=True)
optimizer = torch.optim.AdamW([w], {of_adamw.RATE}, {BETAS}, {EPS}, {of_adamw.DECAY})
for g in ({givens.before}, {givens.g}):
    w.data.fill_({givens.w})
    w.grad = torch.full_like(w, g)
    optimizer.step()
m, v = (optimizer.state[w][name].item() for name in ("exp_avg", "exp_avg_sq"))
shown = torch.tensor([m, v, m / (1 - {first}**2), v / (1 - {second}**2), w.item()])
print(shown)"""


def beam(givens: of_beam.BeamGivens) -> str:
    return f"""import torch

table = torch.tensor({[list(row) for row in givens.tenths]}) / 10
first = table[{of_beam.BEGIN}].topk({of_beam.WIDTH})
products = first.values[:, None] * table[first.indices]
p = products.max()
shown = torch.stack([p, p.log(), p.log() / ((5 + {of_beam.LENGTH}) / 6)])
print(products, shown)"""
