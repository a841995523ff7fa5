"""AdamW of one vector beside PyTorch's of the same parameters."""

import copy

import torch

from transformer_core import make_model
from transformer_core.adamw import BETAS, EPS
from transformer_core.training.optimizer import VectorAdamW
from transformer_core.training.vector import ParameterVector


def test_its_steps_are_those_of_pytorch():
    torch.manual_seed(0)
    model = make_model(7, 9, N=1, d_model=12, d_ff=10, h=3, max_len=9)
    twin = copy.deepcopy(model)
    vector = ParameterVector(model)
    ours = VectorAdamW(vector)
    theirs = torch.optim.AdamW(twin.parameters(), 0.0, BETAS, EPS, weight_decay=0.0, fused=True)
    for rate in (0.01, 0.02, 0.005):
        vector.begin()
        for name, parameter in twin.named_parameters():
            parameter.grad = torch.randn_like(parameter)
            vector.place((name,)).copy_(parameter.grad)
        ours.rate = theirs.param_groups[0]["lr"] = rate
        ours.step()
        theirs.step()
        ours.zero_grad()
        assert vector.values.grad is None
        for name, parameter in twin.named_parameters():
            torch.testing.assert_close(model.get_parameter(name), parameter, rtol=1e-6, atol=1e-7)
