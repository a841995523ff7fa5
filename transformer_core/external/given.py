"""What `explain` is given: whether it is tokens, and whether the tables that look them up have a row for each."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from transformer_core.devices import check_devices
from transformer_core.notes.epoch import from_notes_names

PRECISE, STEPS = 1e-5, 4  # of float32; of a half precision, in the distance of two numbers of it
WHOLE = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def check_tokens(value: object, name: str) -> None:
    """ValueError, with what to write instead, unless it is a tensor of whole numbers, one at least: (batch, length),
    (length, batch) or (length,)."""
    if not isinstance(value, Tensor):
        instead = (
            "its .input_ids are" if hasattr(value, "input_ids") else "torch.tensor([[…]]) makes one, of (batch, length)"
        )
        raise ValueError(f"the {name} is a {type(value).__name__}, not a tensor of tokens: {instead}")
    if value.dtype not in WHOLE:
        raise ValueError(
            f"the {name} holds {value.dtype} numbers: tokens are whole numbers, {name}.long(), and "
            "features of sound or of an image are none"
        )
    if not value.numel():
        raise ValueError(f"the {name} holds no tokens: its shape is {tuple(value.shape)}")
    if value.dim() not in (1, 2):
        raise ValueError(f"the {name} has shape {tuple(value.shape)} instead of (batch, length)")


def check_place(model: nn.Module, source: Tensor, target: Tensor) -> None:
    """ValueError where the model lies on one device and its tokens do not. One on several moves them itself."""
    check_devices(source=source, target=target)
    places = {parameter.device: parameter for parameter in model.parameters()}
    if len(places) == 1:
        check_devices(the_tokens=source, the_model=next(iter(places.values())))


def rounding(model: nn.Module) -> float:
    """How far two ways to compute a number may lie apart, in units of the largest where that is above 1."""
    kinds = {parameter.dtype for parameter in model.parameters() if parameter.is_floating_point()}
    return max([PRECISE, *(STEPS * torch.finfo(kind).eps for kind in kinds if torch.finfo(kind).bits < 32)])


def refuse_our_names(model: nn.Module) -> None:
    """ValueError, with what to write instead, for a model whose parameters load into ours as they are."""
    ours = from_notes_names(dict(model.named_parameters()))
    if any(name.endswith("self_attn.linears.0.weight") for name in ours):
        h = next((module.h for module in model.modules() if isinstance(getattr(module, "h", None), int)), "…")
        raise ValueError(
            f"{type(model).__name__} is written as the Annotated Transformer is, and its parameters load into ours: "
            f"model = load_any(model.state_dict(), h={h}).model, from transformer_core.training.state_dict; then "
            "`record` shows what it computes, and `explain` draws it"
        )


@contextmanager
def within_tables(modules: Sequence[nn.Module], known: dict[nn.Module, str]) -> Iterator[None]:
    """Where an `nn.Embedding` lacks a row that this thread asks it for within the block, ValueError says which.

    `known` are the modules' paths.
    """
    entered: list[tuple[nn.Module, Any]] = []
    thread = threading.get_ident()

    def enter(module: nn.Module, args: tuple[Any, ...]) -> None:
        if threading.get_ident() == thread:
            entered.append((module, args[0] if args else None))

    def leave(*_: object) -> None:
        if threading.get_ident() == thread:
            entered.pop()

    tables = [module for module in modules if isinstance(module, nn.Embedding)]
    handles = [table.register_forward_pre_hook(enter) for table in tables]
    handles += [table.register_forward_hook(leave) for table in tables]
    try:
        yield
    except IndexError as problem:
        if not entered:
            raise
        table, ids = entered[-1]
        raise ValueError(_lacking(table, ids, known.get(table, "an nn.Embedding"))) from problem
    finally:
        for handle in handles:
            handle.remove()


def _lacking(table: Any, ids: Any, path: str) -> str:
    rows = table.num_embeddings
    has = f"{path} has {rows} rows, numbered 0 to {rows - 1}"
    if isinstance(ids, Tensor) and ids.dtype in WHOLE:
        wrong = ids[(ids < 0) | (ids >= rows)]
        if wrong.numel():
            return f"{has}: there is none for token {int(wrong[0])}"
    return f"{has}: the sequence asks for others, as one does that is too long for a table of positions"
