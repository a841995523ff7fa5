"""A small model of random numbers as others save it, and what is asked of every way to do so."""

import io
from copy import deepcopy
from typing import Any

import pytest
import torch
from torch import nn

from transformer_core import make_model
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.state_dict import load_any

MODEL = make_model(9, 8, N=2, d_model=12, d_ff=20, h=3).eval()
STATE = MODEL.state_dict()


def parallel(model: nn.Module) -> nn.DataParallel[nn.Module]:
    """A copy in PyTorch's wrapper for several GPUs, which would move it to the first that is there."""
    wrapped = nn.DataParallel(deepcopy(model)).cpu()
    wrapped.device_ids = []
    return wrapped


def file_of(value: object, **how: Any) -> bytes:
    out = io.BytesIO()
    torch.save(value, out, **how)
    return out.getvalue()


def opens(source: Any, model: nn.Module = MODEL) -> None:
    found = load_any(source, h=3).model
    for name, parameter in model.named_parameters():
        assert torch.equal(found.get_parameter(name), parameter), name


def refused(source: Any, reason: str, **how: Any) -> str:
    with pytest.raises(NotAModel) as refusal:
        load_any(source, **how)
    assert refusal.value.reason == reason
    assert "damaged" not in str(refusal.value)
    return str(refusal.value)
