"""A copy of a model that can be changed module by module, while the weights are shared."""

from typing import Any, TypeVar

from torch import nn

M = TypeVar("M", bound=nn.Module)


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
