"""Programs that compute the numbers of the chapter on recurrence, convolution and attention; each leaves `shown`."""


def cost(over: str, fixed: int, kernel: int, counted: str, ends: tuple[int, int], count: int) -> str:
    other = "d" if over == "n" else "n"
    return f"""import numpy as np
from transformer_core.complexity import KINDS, {counted}, path_length, sequential_steps

{over} = np.geomspace({ends[0]}, {ends[1]}, {count})
{other} = np.full_like({over}, {fixed})
shown = np.stack([{counted}(kind, n, d, {kernel}) for kind in KINDS])
print(shown)
for kind in KINDS:
    print(kind, sequential_steps(kind, n), path_length(kind, n, {kernel}))"""


def reach(n: int, kernel: int) -> str:
    return f"""from transformer_core.reach import heard

shown = {{
    "recurrent": heard("recurrent", {n}),
    "near": heard("convolution", {n}, {kernel}, dilated=False),
    "wide": heard("convolution", {n}, {kernel}),
    "attention": heard("attention", {n}),
}}
print({{name: len(rows) for name, rows in shown.items()}}, *shown.values(), sep="\\n")"""


def measured(d: int, kernel: int) -> str:
    return f"""import torch
from transformer_core.sequence_layers import measure

torch.set_num_threads(1)
shown = [point for point in measure({d}, {kernel}) if point is not None]
print(*shown, sep="\\n")"""


def rivals(steps: int, seed: int) -> str:
    return f"""import torch
from transformer_core.train import train
from transformer_core.train_config import TrainConfig

torch.set_num_threads(1)  # sums come out the same to the last bit only if they are split alike

def matches(architecture):
    reports = train(TrainConfig(architecture=architecture, steps={steps}, seed={seed}))
    return [(report.step, report.exact_match) for report in reports if report.exact_match is not None]

shown = [matches(name) for name in ("transformer", "recurrent", "convolution")]
print(*shown, sep="\\n")"""
