"""Names of libraries that begin with an underscore, as our sources use them."""

import ast
import re
from collections import namedtuple
from collections.abc import Iterator

from torch import nn

LIBRARIES = ("torch", "numpy", "ray", "plotly", "streamlit", "safetensors")
PRIVATE = re.compile(r"_[a-zA-Z]\w*")
# Documented, in spite of their underscore: of named tuples, and the end of a process.
DOCUMENTED = {name for name in vars(namedtuple("Pair", "a b")) if PRIVATE.fullmatch(name)} | {"_exit"}
INSIDE = {"torch.nn.Module": {name for name in vars(nn.Module()) if PRIVATE.fullmatch(name)}}


def own_names(tree: ast.Module) -> set[str]:
    """What a source calls something by itself: functions, classes, variables, attributes that it sets."""
    found = set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                found.add(name)
    return found


def private(tree: ast.Module, own: set[str]) -> Iterator[str]:
    """Names that are used and are nobody's of ours: an import or a string with all that stands before it, an attribute
    by what it is called alone, but for those of PyTorch's modules."""
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names if _has_private(alias.name))
            case ast.ImportFrom(module=str(module), names=names, level=0) if module.partition(".")[0] in LIBRARIES:
                yield from (name for alias in names if _has_private(name := f"{module}.{alias.name}"))
            case ast.Attribute(attr=name) if PRIVATE.fullmatch(name) and name not in own | DOCUMENTED:
                yield _placed(name, ast.unparse(node))
            case ast.Constant(value=str(text)) if id(node) not in parts:
                if text.partition(".")[0] in LIBRARIES and re.fullmatch(r"[\w.]+", text) and _has_private(text):
                    yield text
                elif any(text in names for names in INSIDE.values()):
                    yield _placed(text, text)


def _has_private(name: str) -> bool:
    return any(map(PRIVATE.fullmatch, name.split(".")))


def _placed(name: str, written: str) -> str:
    """`torch._fused_adamw_` as it is written; `part._modules` by the class that has it."""
    if written.partition(".")[0] in LIBRARIES:
        return written
    return next((f"{of}.{name}" for of, names in INSIDE.items() if name in names), name)
