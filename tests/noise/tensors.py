"""Noise in what PyTorch computes: after each of its kernels that processors round differently."""

import ctypes
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tests.noise.pattern import LOW, ONCE, PIECE, SUMMED, WHOLE, factors, pieces

TYPES = {
    torch.float64: ("float64", torch.int64),
    torch.float32: ("float32", torch.int32),
    torch.float16: ("float16", torch.int16),
    torch.bfloat16: ("bfloat16", torch.int16),
}

IN_NUMPY = {torch.float64, torch.float32}

# By PyTorch's names; `exp` is `exp_` and `exp.out`, too. What is made of them has their noise: linear, mean, einsum.
PRODUCTS = "mm bmm addmm baddbmm addbmm mv addmv dot vdot"
SUMS = """
    sum nansum prod cumsum cumprod std var std_mean var_mean norm linalg_vector_norm native_layer_norm
    native_layer_norm_backward _softmax _log_softmax _softmax_backward_data _log_softmax_backward_data nll_loss_forward
    _scaled_dot_product_flash_attention_for_cpu _cdist_forward mkldnn_convolution _slow_conv2d_forward _linalg_svd
"""
FUNCTIONS = """
    exp exp2 expm1 log log2 log10 log1p sin cos tan tanh sigmoid erf gelu silu softplus logaddexp xlogy pow
"""
FUSED = {"addcmul", "addcdiv", "lerp"}  # a + b·c
MULTIPLIED = {-2, -1, -0.5, 0.5, 1, 2, 3}  # powers that PyTorch multiplies, divides or takes the root for
STEPS = {"_fused_adam", "_fused_adamw"}  # change parameters, each step by another noise
SIZES = dict.fromkeys(f"{PRODUCTS} {SUMS}".split(), SUMMED) | dict.fromkeys([*FUNCTIONS.split(), *FUSED, *STEPS], ONCE)

_after = torch.library.Library("aten", "IMPL")  # what is registered here stays while this object does


def begin() -> None:
    """In every thread of this process."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Warning only once for all operators")
        for whole in torch._C._dispatch_get_all_op_names():
            room, _, kernel = whole.partition("::")
            name = kernel.partition(".")[0]
            name = name if name in SIZES else name.removesuffix("_")
            if room == "aten" and name in SIZES and torch._C._dispatch_has_kernel_for_dispatch_key(whole, "CPU"):
                _follow(kernel, name)


def _follow(kernel: str, name: str) -> None:
    compute, size = torch.library.get_kernel(f"aten::{kernel}", "CPU"), SIZES[name]
    packet, _, overload = kernel.partition(".")
    schema = getattr(getattr(torch.ops.aten, packet), overload or "default")._schema
    tensors = [at for at, argument in enumerate(schema.arguments) if isinstance(argument.type, torch.TensorType)]
    one_addend = ALONE.get(name)

    def noisy(keys: Any, *args: Any, **kwargs: Any) -> Any:
        for at in tensors:
            if at < len(args) and not isinstance(args[at], Tensor):
                args = (*args[:at], _tensor(args[at]), *args[at + 1 :])
        out = compute.call_boxed(keys, *args, **kwargs)
        if isinstance(out, Tensor):
            _round(out, name, size, one_addend is not None and one_addend(out, args))
        else:
            for one in out:
                if one is not None:
                    _round(one, name, size)
        return out

    def step(keys: Any, *args: Any, **kwargs: Any) -> None:
        """The parameters alone: the moments are sums of gradients, whose own noise is larger than theirs would be."""
        before, name_of_step = [one.clone() for one in args[0]], f"{name} {int(args[5][0])}"
        compute.call_boxed(keys, *args, **kwargs)
        for one, old in zip(args[0], before):  # a step of 0 leaves a number as it is on every processor
            _round(one, name_of_step, size, one == old)

    _after.impl(kernel, step if name in STEPS else noisy, "CPU", with_keyset=True, allow_override=True)


def _tensor(number: float) -> Tensor:
    """A tensor that stands for a number, as in `2.0**x`, comes to a kernel in Python as that number."""
    return torch.scalar_tensor(number, dtype=torch.float64)


# Where nothing is rounded, or one product alone, which is alike everywhere: there is one addend that is not 0.


def _sum(out: Tensor, args: Any) -> bool:
    return args[0].numel() == out.numel()


def _product(out: Tensor, args: Any) -> Tensor | bool:
    first = args[0]
    if first.dtype in IN_NUMPY and _in_numpy(first).all():
        return first.size(-1) <= 1
    return first.count_nonzero(-1).unsqueeze(-1) <= 1


def _power(out: Tensor, args: Any) -> bool:
    return not isinstance(args[1], Tensor) and args[1] in MULTIPLIED


def _fused(out: Tensor, args: Any) -> Tensor | bool:
    return args[0] is not out and out == args[0]


ALONE: dict[str, Callable[[Tensor, Any], Tensor | bool]] = {"sum": _sum, "mm": _product, "bmm": _product, "pow": _power}
ALONE |= dict.fromkeys(FUSED, _fused)


def _round(out: Tensor, name: str, size: float, alone: Tensor | bool = False) -> None:
    """As another processor would, in place. NumPy's own steps are the quicker ones, but it has no bfloat16."""
    if alone is True or out.dtype not in TYPES or not out.numel():
        return
    kind, whole = TYPES[out.dtype]
    if out.dtype not in IN_NUMPY:
        exact = (out.view(whole).bitwise_and(LOW[kind]) == 0) | (out == out.round()) | alone
        out.mul_(torch.where(exact, 1.0, torch.from_numpy(factors(name, size, tuple(out.shape), kind))))
        return
    numbers = _in_numpy(out)
    if numbers.size <= PIECE or not numbers.flags.c_contiguous:
        by = factors(name, size, numbers.shape, kind)
        _round_numbers(numbers, by, kind, None if alone is False else np.logical_not(alone.numpy()))
        return
    row = numbers.reshape(-1)
    other = None if alone is False else np.broadcast_to(np.logical_not(alone.numpy()), numbers.shape).reshape(-1)
    for part, by in pieces(name, size, numbers.shape, kind):
        _round_numbers(row[part], by, kind, None if other is None else other[part])


@cache
def _row(kind: torch.dtype, count: int) -> Any:
    return (ctypes.c_double if kind is torch.float64 else ctypes.c_float) * count


def _in_numpy(tensor: Tensor) -> Any:
    """The same memory, by its address: `numpy()` would forbid that it is resized."""
    if tensor.is_contiguous():
        row = _row(tensor.dtype, tensor.numel()).from_address(tensor.data_ptr())
        return np.ndarray(tensor.shape, TYPES[tensor.dtype][0], row)
    return np.from_dlpack(tensor.detach())


def _round_numbers(numbers: Any, by: Any, kind: str, other: Any) -> None:
    """Multiply those that are `other` than what every processor computes, and are not exact."""
    rounded = (numbers.view(WHOLE[kind]) & LOW[kind]) != 0
    rounded &= numbers != np.rint(numbers)
    if other is not None:
        rounded &= other
    np.multiply(numbers, by, out=numbers, where=rounded)
