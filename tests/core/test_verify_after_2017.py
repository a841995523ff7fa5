"""The references of the parts that came after 2017: each agrees, and would not if the part computed something else."""

from importlib import import_module
from typing import Any

import pytest
import torch
from torch import nn

from transformer_core.after_2017.experts import MixtureOfExperts
from transformer_core.after_2017.feed_forwards import GeluFeedForward, SwiGLUFeedForward
from transformer_core.after_2017.grouped_attention import GroupedAttention
from transformer_core.after_2017.rms_norm import RMSNorm
from transformer_core.attention import MultiHeadedAttention
from transformer_core.verify import after_2017
from transformer_core.verify.after_2017 import REFERENCES, TOLERANCES, measured

BROKEN: dict[str, Any] = {  # name of a reference: what computes otherwise, by its name, and how
    "one_stack": (MultiHeadedAttention, "attend_and_merge"),
    "rms_norm": (RMSNorm, "forward"),
    "gelu": (GeluFeedForward, "forward"),
    "swiglu": (SwiGLUFeedForward, "forward"),
    "grouped": (GroupedAttention, "keys_and_values"),
    "window": (import_module("transformer_core.attention"), "masked_softmax"),  # the package has a function of the name
    "tied": (nn.Linear, "forward"),
    "experts": (MixtureOfExperts, "forward"),
    "flash": (after_2017, "flash_attention"),
    "rotary": (after_2017, "rotated"),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_every_part_agrees_with_its_reference(name: str) -> None:
    state = torch.get_rng_state()
    assert measured(name) <= TOLERANCES[name]
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize("name", REFERENCES)
def test_a_part_that_computes_something_else_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    home, function = BROKEN[name]
    right = getattr(home, function)

    def wrong(*given: Any, **named: Any) -> Any:
        found = right(*given, **named)
        return (found[0], found[1] + 1) if isinstance(found, tuple) else found.square()

    monkeypatch.setattr(home, function, wrong)
    assert not measured(name) <= 1e-3


def test_every_kind_of_part_has_a_reference() -> None:
    assert BROKEN.keys() == REFERENCES.keys()
