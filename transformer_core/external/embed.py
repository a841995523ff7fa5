"""Which table looked the tokens up, and what was done to its rows before the first layer got them."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn

from transformer_core.external.attend import batch_first
from transformer_core.external.changes import GIVEN, OUTPUT, Border, Borders, Lay, place
from transformer_core.external.layers import Seen, difference
from transformer_core.external.watch import Calls, ModuleCall, pushed, watched
from transformer_core.trace import Trace

Again = Callable[[], object]  # runs the model once more
PLACE = (0, 1)  # whose row is pushed: of a table that was given (batch, length), the second token of the first sequence


class Embedded(NamedTuple):
    """The tokens that a stack reads, their vectors, and where these can be changed."""

    tokens: Tensor  # (batch, length) int64
    trace: Trace
    length_first: bool  # whether the table was given (length, batch)
    borders: Borders


def looked_up(
    calls: Calls, ids: Tensor, given: nn.Module | None, name: str, before: ModuleCall | None = None
) -> ModuleCall:
    """The run of the given table that was given `ids`, or its first one; if none is given, of any table that was given
    them. Never the run `before`. ValueError if there is none."""
    runs = [
        call
        for call in calls
        if call is not before and (isinstance(call.module, nn.Embedding) if given is None else call.module is given)
    ]
    fitting = [call for call in runs if same(call.first, ids) or (ids.dim() == 2 and same(call.first, ids.T))]
    if given is not None:
        fitting = fitting or runs
    if not fitting:
        what = "no nn.Embedding was given" if given is None else f"the module given as {name} did not run on"
        raise ValueError(f"{what} the {name.partition('_')[0]}: say which module looks it up with {name}=…")
    return fitting[0]


def embedded(
    calls: Calls,
    table: ModuleCall,
    first_layer: ModuleCall,
    name: str,
    seen: Seen,
    again: Again,
    length_first: bool | None = None,
) -> Embedded:
    """Under the names of our embeddings: the rows, and what the first layer is given.

    If a module in between adds to the vectors what does not depend on them, also what it adds and to what. ValueError
    if there is not one vector for each token, or if nobody can say which; `length_first` says it where it is known.
    """
    attention = first_layer.module.self_attn
    assert isinstance(attention, nn.MultiheadAttention)
    lay = partial(batch_first, module=attention)
    x = lay(first_layer.first)
    given, ids, rows = table.first, table.first, table.output
    if not isinstance(ids, Tensor) or ids.dim() not in (1, 2) or ids.is_floating_point():
        raise ValueError(f"the table of the {name} was not given tokens (batch, length)")
    if ids.dim() == 1:
        ids = ids.unsqueeze(0)
    if length_first is None:
        length_first = ids.T.shape == x.shape[:2] and _length_first(ids, x, table, first_layer.module, again, name)
    laid_rows = partial(_rows, single=given.dim() == 1, length_first=length_first)
    ids, rows = ids.T if length_first else ids, laid_rows(rows)
    if ids.shape != x.shape[:2]:
        sizes = f"{tuple(ids.shape)} tokens and {tuple(x.shape[:2])} vectors"
        raise ValueError(f"the {name} has {sizes}: there should be one for each")
    trace = {f"{name}.0.rows": rows}
    borders = {border_of(table, OUTPUT, calls): [place(f"{name}.0.rows", laid_rows)]}
    added = _added(calls, first_layer.first, seen.changes.before(f"{name}.1.output", x), lay, seen.tolerance)
    if added is not None:
        call, code = added
        trace |= {f"{name}.0.output": lay(call.first), f"{name}.1.code": lay(code)[:1]}
        borders[border_of(call, GIVEN, calls)] = [place(f"{name}.0.output", lay)]
    return Embedded(ids, trace | {f"{name}.1.output": x}, length_first, borders)


def border_of(call: ModuleCall, side: str, calls: Calls) -> Border:
    """Of this run of its module, and of no other."""
    runs = [one for one in calls if one.module is call.module]
    return Border(call.module, side, next(n for n, one in enumerate(runs) if one is call))


def _rows(rows: Tensor, single: bool, length_first: bool) -> Tensor:
    """A view of what a table puts out, (batch, length, d_model)."""
    rows = rows.unsqueeze(0) if single else rows
    return rows.transpose(0, 1) if length_first else rows


def _length_first(ids: Tensor, x: Tensor, table: ModuleCall, layer: nn.Module, again: Again, name: str) -> bool:
    """Whether the table was given (length, batch) tokens for the vectors x (batch, length, d_model).

    Where there are as many sequences as tokens no shape tells: one row of the table's is pushed, and its vector moves.
    """
    if ids.shape != x.shape[:2] or ids.numel() == 1:
        return ids.shape != x.shape[:2]
    with pushed(table, PLACE), watched([layer]) as calls:
        again()
    attention = layer.self_attn
    assert isinstance(attention, nn.MultiheadAttention)
    moved = (batch_first(calls.last(layer, name).first, attention) != x).any(-1)
    if moved[PLACE] == moved.T[PLACE]:
        raise ValueError(
            f"the {name} has as many sequences as tokens, and which is which cannot be told: leave one out"
        )
    return bool(moved.T[PLACE])


def _added(
    calls: Calls, entering: Tensor, laid: Tensor, lay: Lay, tolerance: float
) -> tuple[ModuleCall, Tensor] | None:
    """The outermost module that led to what enters the first layer, `laid` (batch, length, d_model) as it was computed,
    and what it adds to what it was given: to a vector of zeros as to any other. None if no module does so."""
    for call in reversed(calls):
        x = call.first
        if not isinstance(x, Tensor) or x.shape != entering.shape or not isinstance(call.output, Tensor):
            continue
        if call.output.shape == entering.shape and same(lay(call.output), laid):
            code = call.module(torch.zeros_like(x), *call.args[1:], **call.kwargs) if call.args else None
            if code is not None and code.any() and difference(lay(x + code), laid) <= tolerance:
                return call, code
    return None


def as_is(x: Tensor) -> Tensor:
    return x


def same(value: object, expected: Tensor) -> bool:
    """Whether it is a tensor of that shape with those numbers."""
    return isinstance(value, Tensor) and value.shape == expected.shape and bool((value == expected).all())
