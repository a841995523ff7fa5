"""A few of every kind of computation, printed as JSON: `python -m tests.noise.every`."""

import json
import os
import threading
from typing import Any

import numpy as np
import torch
from torch.nn.functional import layer_norm, linear

from tests.noise import VARIABLE, begin


def of_pytorch(x: torch.Tensor) -> dict[str, torch.Tensor]:
    return {
        "product": x @ x.T,
        "linear": linear(x, x, x[:, 0]),
        "einsum": torch.einsum("ij,kj->ik", x, x),
        "softmax": x.softmax(-1),
        "log softmax": x.log_softmax(-1),
        "layer norm": layer_norm(x, (5,)),
        "sum": x.sum(-1),
        "mean": x.mean(-1),
        "std": x.std(-1),
        "exp": x.exp(),
        "exp in place": x.clone().exp_(),
        "exp into another": torch.exp(x, out=torch.empty_like(x)),
        "sin": x.sin(),
        "power": 3.0**x,
        "a + b·c": torch.addcmul(x, x, x, value=0.3),
        "step": step(x),
    }


def of_numpy(x: Any) -> dict[str, Any]:
    return {"np.exp": np.exp(x), "np.sin": np.sin(x), "np.dot": np.dot(x, x.T), "norm": np.linalg.norm(x, axis=1)}


def step(x: torch.Tensor) -> torch.Tensor:
    """Adam's."""
    parameter, gradient, moment, square = (x.clone() for _ in range(4))
    lists: tuple[list[torch.Tensor], ...] = [parameter], [gradient], [moment], [square], [], [torch.tensor(3.0)]
    how = {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "weight_decay": 0.0, "eps": 1e-9}
    torch.ops.aten._fused_adamw_(*lists, **how, amsgrad=False, maximize=False)
    return parameter


def every() -> dict[str, Any]:
    """By its name and its type."""
    found = {}
    for kind in (torch.float32, torch.float64):
        x = torch.linspace(0.1, 2.0, 15, dtype=kind).view(3, 5)
        for name, values in {**of_pytorch(x), **of_numpy(x.numpy())}.items():
            found[f"{name}, {str(kind).removeprefix('torch.')}"] = np.asarray(values).tolist()
    return found


def in_a_thread() -> dict[str, Any]:
    found: dict[str, Any] = {}
    thread = threading.Thread(target=lambda: found.update(every()))
    thread.start()
    thread.join()
    return found


def without_gradients() -> dict[str, Any]:
    with torch.inference_mode():
        return every()


def begun_twice() -> dict[str, Any]:
    """As a worker of the tests begins: when Python starts, and when it reads its options."""
    if seed := os.environ.get(VARIABLE):
        begin(int(seed))
    return every()


def off_by() -> dict[str, float]:
    """What is exact on every processor: how far it is from what it should be."""
    whole, x = torch.arange(-300.0, 300.0).view(20, 30), torch.linspace(0.1, 2.0, 15).view(3, 5)
    gaps = {
        "whole numbers": (whole @ whole.T).double() - whole.double() @ whole.double().T,
        "powers of two": 2.0 ** torch.arange(-4.0, 4.0) - torch.tensor([2.0**at for at in range(-4, 4)]),
        "a sum of halves": torch.full((3, 5), 0.5).sum(-1) - 2.5,
        "a uniform softmax over 8": torch.full((2, 8), 0.7).softmax(-1) - 0.125,
        "a share of right answers": torch.tensor([1.0, 0.0, 1.0]).mean() - torch.tensor(2.0) / 3,
        "a product with one addend": torch.tensor([[0.0, 0.3, 0.0]]) @ x - 0.3 * x[1:2],
        "a + b·0": torch.addcmul(x, x, 0.0 * x) - x,
        "e⁰ and sin 0": (0.0 * x).exp() - 1 + (0.0 * x).sin(),
    }
    return {name: float(gap.abs().max()) for name, gap in gaps.items()}


def main() -> None:
    x = torch.linspace(0.1, 2.0, 15).view(3, 5)
    found = {
        "every": every(),
        "again": every(),
        "in a thread": in_a_thread(),
        "without gradients": without_gradients(),
        "off by": off_by(),
        "a row": x[:1].exp().tolist(),
        "a row of all": x.exp()[:1].tolist(),
        "begun twice": begun_twice(),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
