"""Copies of modules: with parameters of their own, with shared ones to be changed, or with shared ones and faster."""

import copy
from functools import cache
from typing import Any, TypeVar

from torch import nn

from transformer_core.trace import ORIGINAL

M = TypeVar("M", bound=nn.Module)


def clones(module: nn.Module, N: int) -> nn.ModuleList:
    """N deep copies: alike at first, then trained apart. ValueError unless there is at least one."""
    if N < 1:
        raise ValueError(f"a stack needs at least one layer, not {N}")
    return nn.ModuleList(copy.deepcopy(module) for _ in range(N))


def twin(module: M) -> M:
    """The same modules anew, with the very same parameters and buffers. The original stays as it is whatever is put in
    the place of a module, a parameter or a buffer of the copy; their numbers are not to be written to."""
    return _twin(module, {})


def _twin(module: M, known: dict[nn.Module, Any]) -> M:
    if module not in known:
        copy = module.__class__.__new__(module.__class__)
        known[module] = copy
        vars(copy).update(vars(module))
        for kind in ("_parameters", "_buffers"):
            vars(copy)[kind] = dict(vars(module)[kind])
        vars(copy)["_modules"] = {name: _part(part, known) for name, part in module._modules.items()}
    found: M = known[module]
    return found


def _part(part: nn.Module | None, known: dict[nn.Module, Any]) -> nn.Module | None:
    return None if part is None else _twin(part, known)


def direct(module: M) -> M:
    """The same modules anew, with the very same parameters and buffers, and faster over a row or two.

    There PyTorch's own looking after modules takes longer than what they compute: `torch.nn.Module` seeks a parameter
    in three dictionaries and asks after hooks at every call. Each module of the copy keeps its parts among its own
    attributes, a list of modules as a tuple, and a call is its `forward`. What they tap is the original's. Hooks are
    not called. What is put in the place of a part later stays unknown to it.
    """
    if ORIGINAL in vars(module):
        return module
    own_kind: Any = type(module)
    kind: Any = _called_directly(own_kind)
    copy: M = kind.__new__(kind)
    own = vars(copy)
    own.update(vars(module))
    own.update(module._parameters)
    own.update(module._buffers)
    own[ORIGINAL] = module
    if module._modules:
        own["_modules"] = parts = {
            name: None if part is None else direct(part) for name, part in module._modules.items()
        }
        for name, part in parts.items():
            own[name] = tuple(part._modules.values()) if isinstance(part, nn.ModuleList) else part
    return copy


@cache
def _called_directly(kind: type[nn.Module]) -> type[nn.Module]:
    again = {"__reduce_ex__": lambda self, _: (direct, (vars(self)[ORIGINAL],))}  # pickled, it is made anew
    return type(kind.__name__, (kind,), {"__call__": kind.forward, **again})
