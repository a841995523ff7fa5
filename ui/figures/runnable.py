"""A function of ours as a program: its own source with what it needs, and the call. So what computes a figure, the code
that is shown and what a reader runs are one text."""

import ast
import inspect
import re
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from textwrap import dedent
from types import ModuleType, UnionType
from typing import Any, get_origin

OURS = ("transformer_core", "ui")


@dataclass(frozen=True)
class ProgramArgument:
    """An argument that a program of its own leaves in a name."""

    name: str
    program: str


class NotRunnable(ValueError):
    """The function does not stand by itself."""


def runnable(function: Callable[..., Any], *args: object, then: str = "", name: str = "shown", **kwargs: object) -> str:
    """A program that leaves in `shown`, or another `name`, what `function(*args, **kwargs)` gives, or what `then` takes
    of it: `[0]`, `.weights`.

    Functions of ours that it calls come along with their source; models of ours, what stands between PyTorch and its
    functions, and other libraries as imports; constants by their values. NotRunnable for what stands beside Streamlit
    or hangs on what no text can say.
    """
    text = _Text((*OURS, function.__module__.partition(".")[0]))
    text.take(function)
    given = [*map(written, args), *(f"{name}={written(value)}" for name, value in kwargs.items())]
    if any("torch." in each for each in given):
        text.imports["import torch"] = None
    before = "".join(each.program for each in (*args, *kwargs.values()) if isinstance(each, ProgramArgument))
    call = f"{before}{name} = {function.__name__}({', '.join(given)}){then}" + (
        "\nprint(shown)" if name == "shown" else ""
    )
    head = ["\n".join(sorted(text.imports, key=lambda line: (line.startswith("from"), line)))]
    head += ["\n".join(f"{name} = {value}" for name, value in text.constants.items())]
    return "\n\n\n".join(["\n\n".join(filter(None, head)), *text.sources.values(), call]).lstrip()


def written(value: object) -> str:
    """A value as Python writes it. NotRunnable for one that it cannot write."""
    match value:
        case bool() | int() | float() | str() | None:
            return repr(value)
        case ProgramArgument(name=name):
            return name
        case list():
            return f"[{', '.join(map(written, value))}]"
        case tuple():
            return f"({', '.join(map(written, value))}{',' if len(value) == 1 else ''})"
        case dict():
            return f"{{{', '.join(f'{written(key)}: {written(each)}' for key, each in value.items())}}}"
    match value, type(value).__name__:  # torch's, by their names: figures know no torch
        case object(tolist=tolist, dtype=dtype), "Tensor":
            return f"torch.tensor({tolist()}, dtype={dtype})"
        case object(initial_seed=seed), "Generator":
            return f"torch.Generator().manual_seed({seed()})"
    raise NotRunnable(f"a program cannot write {type(value).__name__}")


@dataclass
class _Text:
    """What a program says before its call; each of it once, in the order in which it is needed."""

    ours: tuple[str, ...]
    imports: dict[str, None] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)

    def take(self, thing: Any) -> None:
        """Add what a function or a class of ours needs, then itself."""
        thing = inspect.unwrap(thing)
        called, source, names = _read(thing)
        if called in self.begun:
            return
        self.begun.add(called)
        for name in names:
            if (value := vars(sys.modules[thing.__module__]).get(name, _MISSING)) is not _MISSING:
                self._need(name, value, thing.__module__)
        self.sources[called] = source

    def _need(self, name: str, value: Any, user: str) -> None:
        if isinstance(value, ModuleType):
            if value.__name__ == "streamlit":
                raise NotRunnable("what draws on the page computes nothing")
            self.imports[f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}")] = None
        elif isinstance(value, UnionType) or get_origin(value):  # a name for a type
            self.constants[name] = repr(value)
            self.imports |= dict.fromkeys(f"import {module}" for module in re.findall(r"([\w.]+)\.\w", repr(value)))
        elif not callable(value):
            self.constants[name] = written(value)
        elif getattr(value, "__name__", "") != name:  # known by another name
            self.imports[f"from {user} import {name}"] = None
        elif not self._is_ours(value) or self._is_model(value) or hasattr(value, "__torch_function__"):
            self.imports[f"from {value.__module__} import {name}"] = None
        else:
            self.take(value)

    def _is_ours(self, value: Any) -> bool:
        return value.__module__.partition(".")[0] in self.ours

    def _is_model(self, value: Any) -> bool:
        """A model of ours, or what makes one."""
        made = getattr(value, "__annotations__", {}).get("return", value)
        return hasattr(made, "forward") and self._is_ours(made)


_MISSING = object()


# Python 3.11 counts how deep a tree is for all threads together, and two that parse at once end in a SystemError.
_parsing = threading.Lock()


def source_of(thing: Any) -> str:
    """As it stands in its file. Of a class Python parses the whole file."""
    with _parsing:
        return inspect.getsource(thing)


@cache
def _read(thing: Any) -> tuple[str, str, tuple[str, ...]]:
    """The name of a function or a class, its source, and the names that this uses. Python takes its time for that."""
    lines = dedent(source_of(thing))
    with _parsing:
        (node,) = ast.parse(lines).body
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    names = tuple(_names(node))
    first = min(one.lineno for one in (node, *node.decorator_list))
    return node.name, "\n".join(lines.splitlines()[first - 1 :]), names


def _names(node: ast.FunctionDef | ast.ClassDef) -> Iterator[str]:
    """The names that a definition uses and does not make, each once; a function's decorators are not taken along."""
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = []
    every = list(ast.walk(node))
    made = {each.arg for each in every if isinstance(each, ast.arg)} | {node.name}
    made |= {each.id for each in every if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    used = [each.id for each in every if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)]
    yield from dict.fromkeys(name for name in used if name not in made)
