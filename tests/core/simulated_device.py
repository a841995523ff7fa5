"""A device that no machine has: its tensors hold their numbers on the CPU, and refuse what a GPU's refuse.

Within `simulated()` tensors, models and generators move to "gpu:0" and are made there as on a real device. An operation
on tensors of both devices is refused as CUDA refuses it: only a single number of the CPU may take part, only an index
may lie there, only a copy goes across. So are NumPy, a generator of the other device and, as by Apple's MPS, float64.
What is computed are the CPU's own numbers, so results can be held to the CPU's.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any
from unittest.mock import patch

import torch
import torch._dynamo  # before anything is put in the place of PyTorch's own
from torch import Generator, Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map_only
from torch.utils.backend_registration import _DummyBackendModule, _setup_privateuseone_for_python_backend

CPU, FOUND = torch.device("cpu"), torch.get_device_module
INDEXED = ("aten::index", "aten::index_put_", "aten::index_put", "aten::_index_put_impl_")


class There(Tensor):
    """A tensor of that device; `here` are its numbers.

    What it overrides has narrower types here than in PyTorch's stubs, which mypy is told to let pass.
    """

    here: Tensor

    @staticmethod
    def __new__(cls, here: Tensor) -> "There":
        made: There = Tensor._make_wrapper_subclass(
            cls, here.size(), strides=here.stride(), storage_offset=here.storage_offset(), dtype=here.dtype,
            device=gpu(), requires_grad=False,
        )  # fmt: skip
        made.here = here
        return made

    def __repr__(self, **_: Any) -> str:  # type: ignore[override]
        return f"There({self.here})"

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return _run(func, args, kwargs or {})


class GeneratorThere(Generator):
    """A generator of that device: its numbers are those of the CPU's with the same seed."""

    @property
    def device(self) -> torch.device:  # type: ignore[override]
        return gpu()


@cache
def gpu() -> torch.device:
    _setup_privateuseone_for_python_backend("gpu")
    return torch.device("gpu:0")


class _Either(Generator):
    """What stands for `torch.Generator`: it makes one of either device."""

    def __new__(cls, device: Any = "cpu") -> Any:
        return GeneratorThere() if _is_there(device) else Generator()


@contextmanager
def simulated() -> Iterator[torch.device]:
    device = gpu()
    with (
        patch.object(torch, "Generator", _Either),
        patch.object(torch, "get_device_module", lambda device: _Module() if _is_there(device) else FOUND(device)),
        patch.multiple(torch.inference_mode, __enter__=_enter, __exit__=_leave),
        _Calls(),
        _Operations(),
    ):
        yield device


class _Module(_DummyBackendModule):
    """The device's part of PyTorch: what is drawn without a generator comes from the CPU's common stream."""

    def get_rng_state(self, device: Any = None) -> Tensor:
        return torch.get_rng_state()

    def set_rng_state(self, state: Tensor, device: Any = None) -> None:
        torch.set_rng_state(state)


def _enter(mode: Any) -> None:
    """Inference mode is one without gradients: PyTorch knows no inference tensors of a kind of one's own."""
    mode.held = torch.no_grad()
    mode.held.__enter__()


def _leave(mode: Any, *problem: Any) -> None:
    mode.held.__exit__(*problem)


class _Operations(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _run(func, args, kwargs or {})


class _Calls(TorchFunctionMode):
    """What PyTorch does without an operation that could be watched: from and to Python's numbers."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        first = args[0] if args else None
        if func is torch.tensor and _is_there(kwargs.get("device")):
            return There(_refusing_float64(torch.tensor(first, dtype=kwargs.get("dtype"))))
        if isinstance(first, There):
            if func is Tensor.new_tensor and kwargs.get("device") is None:
                return There(torch.tensor(args[1], dtype=kwargs.get("dtype", first.dtype)))
            if func is Tensor.tolist:
                return first.here.tolist()
            if func == Tensor.data.__set__ and isinstance(args[1], There):  # type: ignore[attr-defined]
                first.here = args[1].here
                return None
            if func is Tensor.__getitem__:  # of a list PyTorch makes an index by itself
                key = args[1] if isinstance(args[1], tuple) else (args[1],)
                args = first, tuple(torch.tensor(one) if isinstance(one, list) else one for one in key)
            if func in (Tensor.numpy, Tensor.__array__):
                raise TypeError("can't convert gpu:0 device type tensor to numpy. Use Tensor.cpu() first.")
        token = _drawing.set(isinstance(kwargs.get("generator"), GeneratorThere))
        try:
            return func(*args, **kwargs)
        finally:
            _drawing.reset(token)


_drawing: ContextVar[bool] = ContextVar("drawing", default=False)  # with a generator of the device: operations see none


def _run(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    name = func._schema.name
    flat, _ = tree_flatten((args, kwargs))
    there = [each for each in flat if isinstance(each, There)]
    here = [each for each in flat if isinstance(each, Tensor) and not isinstance(each, There)]
    where = kwargs.get("device")
    if name == "aten::copy_":
        goes_there = isinstance(args[0], There)
    else:
        goes_there = bool(there) if where is None else _is_there(where)
        if name != "aten::_to_copy":
            _refuse_two_devices(name, args, there, [each for each in here if each.dim()])
    for each in flat:
        if isinstance(each, Generator) and _drawing.get() != goes_there:
            wanted, found = ("gpu", "cpu") if goes_there else ("cpu", "gpu")
            raise RuntimeError(f"Expected a '{wanted}' device type for generator but found '{found}'")
    if goes_there and kwargs.get("dtype") == torch.float64:
        raise TypeError("Cannot convert a gpu Tensor to float64 dtype as the device doesn't support float64.")
    kwargs = kwargs if where is None else kwargs | {"device": CPU}
    out = func(*tree_map_only(There, _here, args), **tree_map_only(There, _here, kwargs))
    if not goes_there:
        return out

    def moved(made: Tensor) -> There:
        """What an operation in place gives back is what it was given."""
        given = next((each for each in there if each.here is made), None)
        return There(_refusing_float64(made)) if given is None else given

    return tree_map_only(Tensor, moved, out)


def _refuse_two_devices(name: str, args: Any, there: list[There], here: list[Tensor]) -> None:
    if not there or not here:
        return
    into_there = name in INDEXED and isinstance(args[0], There)
    if into_there and not (name != "aten::index" and any(each is args[2] for each in here)):
        return
    shapes = [tuple(each.shape) for each in here]
    raise RuntimeError(
        "Expected all tensors to be on the same device, but found at least two devices, gpu:0 and cpu! "
        f"({name}, on the cpu {shapes})"
    )


def _refusing_float64(made: Tensor) -> Tensor:
    if made.dtype == torch.float64:
        raise TypeError("Cannot convert a gpu Tensor to float64 dtype as the device doesn't support float64.")
    return made


def _here(tensor: There) -> Tensor:
    return tensor.here


def _is_there(device: Any) -> bool:
    return device is not None and torch.device(device).type == "gpu"
