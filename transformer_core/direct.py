"""A copy of a model whose modules call each other directly, for where the same small pass is made again and again.

Over a row or two PyTorch's own looking after modules takes longer than what they compute: `torch.nn.Module` seeks a
parameter in three dictionaries and asks after hooks at every call.
"""

from functools import cache
from typing import Any, TypeVar

from torch import nn

from transformer_core.trace import ORIGINAL

M = TypeVar("M", bound=nn.Module)


def direct(module: M) -> M:
    """The same modules anew, of the same classes, with the very same parameters and buffers.

    Each keeps its parts among its own attributes, a list of modules as a tuple, and a call is its `forward`. What they
    tap is the original's. Hooks are not called. What is put in the place of a part later stays unknown to it.
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
    return type(kind.__name__, (kind,), {"__call__": kind.forward})
