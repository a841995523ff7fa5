"""Values of somebody else's model that are changed while it runs, where they enter or leave one of its modules."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from torch import Tensor, nn

from transformer_core.external.watch import Calls, ModuleCall, first_of, with_first
from transformer_core.trace import Change, Keep, nearest

GIVEN, OUTPUT = "given", "output"  # the sides of a module
NOTED = ""  # the path of a value that is read for what comes later

Lay = Callable[[Tensor], Tensor]  # a tensor of theirs -> a view of it as we lay it, the batch first
Steps = Callable[[ModuleCall, Calls, str, Keep], Tensor]  # an attention's output, from its run and changed steps


class Border(NamedTuple):
    """Where a module is `given` its first argument, or its first `output`; of several runs the `nth`, or each."""

    module: nn.Module
    side: str
    nth: int | None = None


class Place(NamedTuple):
    """A value of ours at a border: under which path, how it is read there, and how another one is put there."""

    path: str
    read: Lay
    put: Callable[[Tensor, Tensor, Tensor], Tensor]  # what passes, the value, the changed one -> what goes on


class Inside(NamedTuple):
    """An attention whose steps can be changed: the model goes on with what they lead to."""

    path: str  # ours
    theirs: str
    steps: Sequence[str]
    output: Steps


class Passed(NamedTuple):
    """A value at its border: as the model computed it, and as it went on."""

    before: Tensor
    after: Tensor


Borders = dict[Border, list[Place]]
Insides = dict[nn.Module, Inside]


def place(path: str, lay: Lay, factor: float = 1.0) -> Place:
    """A value that passes a border as it is, or divided by a factor."""

    def put(passing: Tensor, value: Tensor, changed: Tensor) -> Tensor:
        passing = passing.clone()
        lay(passing).copy_(changed * factor if factor != 1 else changed)
        return passing

    return Place(path, lambda passing: lay(passing) / factor if factor != 1 else lay(passing), put)


def place_of_sum(path: str, read: Lay, lay: Lay) -> Place:
    """A value that something is added to behind the border: what is put there makes up for the difference."""

    def put(passing: Tensor, value: Tensor, changed: Tensor) -> Tensor:
        passing = passing.clone()
        lay(passing).add_(changed - value)
        return passing

    return Place(path, read, put)


class Changes:
    """What is to be changed in one run, by our paths, and what has become of it."""

    def __init__(self, wanted: Mapping[str, Change], borders: Borders, insides: Insides) -> None:
        self.wanted, self.borders, self.insides = wanted, borders, insides
        self.passed: dict[str, Passed] = {}

    def before(self, path: str, value: Tensor) -> Tensor:
        """The value as the model computed it: `value` where nothing was changed beside it."""
        return self.passed[path].before if path in self.passed else value

    def after(self, path: str, value: Tensor) -> Tensor:
        return self.passed[path].after if path in self.passed else value

    def change(self, path: str, value: Tensor) -> Tensor:
        """What the model goes on with. ValueError if that has another shape."""
        if path not in self.wanted:
            return value
        instead = self.wanted[path](value.clone())
        if instead.shape != value.shape:
            raise ValueError(f"{path} is {tuple(value.shape)} and cannot become {tuple(instead.shape)}")
        self.passed[path] = Passed(value.clone(), instead)
        return instead

    def check(self, names: set[str], kind: str) -> None:
        """ValueError for a path that is not recorded, with the nearest one, or that cannot be changed."""
        places = {one.path for listed in self.borders.values() for one in listed}
        places |= {f"{inside.path}.{step}" for inside in self.insides.values() for step in inside.steps}
        for path in self.wanted:
            if path not in names:
                raise ValueError(f"{kind} has no {path} to be changed{nearest(path, names)}")
            if path not in places and not path.startswith("generator."):
                raise ValueError(f"{path} of {kind} can be read and not changed: change what is computed from it")

    def check_made(self) -> None:
        """ValueError for a change that was not made, as its module did not run."""
        if missed := self.wanted.keys() - self.passed.keys():
            raise ValueError(f"the model did not compute {', '.join(sorted(missed))} in this run")

    @contextmanager
    def made(self, calls: Calls) -> Iterator[None]:
        """The changes are made in what this thread runs within the block, and no hook stays after it.

        `calls` are the runs of the modules so far.
        """
        thread, handles = threading.get_ident(), []
        runs = dict.fromkeys(self.borders, -1)

        def passing(border: Border, value: Any) -> Any:
            if threading.get_ident() != thread or not isinstance(value, Tensor):
                return value
            runs[border] += 1
            return self._through(border, value) if border.nth in (None, runs[border]) else value

        def enter(border: Border, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            old = next(iter((*args, *kwargs.values())), None)
            new = passing(border, old)  # in the place of all that are this very tensor: query, key and value may be
            named = {name: new if value is old else value for name, value in kwargs.items()}
            return tuple(new if value is old else value for value in args), named

        def leave(border: Border, module: nn.Module, args: tuple[Any, ...], output: Any) -> Any:
            return with_first(output, passing(border, first_of(output)))

        def attend(
            inside: Inside, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
        ) -> Any:
            if threading.get_ident() != thread:
                return output
            call = ModuleCall(module, args, kwargs, first_of(output))
            return with_first(output, inside.output(call, calls, inside.theirs, self.keep(inside.path)))

        try:
            for module, inside in self.insides.items():
                if any(f"{inside.path}.{step}" in self.wanted for step in inside.steps):
                    handles.append(module.register_forward_hook(partial(attend, inside), with_kwargs=True))
            for border, listed in self.borders.items():
                if not any(one.path in self.wanted or one.path == NOTED for one in listed):
                    continue
                if border.side == GIVEN:
                    hook = border.module.register_forward_pre_hook(partial(enter, border), with_kwargs=True)
                else:
                    hook = border.module.register_forward_hook(partial(leave, border))
                handles.append(hook)
            yield
        finally:
            for handle in handles:
                handle.remove()

    def keep(self, path: str) -> Keep:
        """Through which the steps of an attention go: changed, where that is wanted."""
        return lambda step, value: self.change(f"{path}.{step}", value)

    def kept(self, path: str) -> Keep:
        """Through which the steps of an attention go once they have been changed."""
        return lambda step, value: self.after(f"{path}.{step}", value)

    def _through(self, border: Border, passing: Tensor) -> Tensor:
        """Every value that is read there, one after the other: what is put in the place of one, the next one reads."""
        touched = any(one.path in self.wanted for one in self.borders[border])
        for one in self.borders[border]:
            if one.path == NOTED or touched:
                value = one.read(passing)
                if one.path in self.wanted:
                    passing = one.put(passing, value, self.change(one.path, value))
                elif touched:
                    self.passed[one.path] = Passed(value, value)
        return passing
