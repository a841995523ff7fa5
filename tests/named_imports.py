"""What a source imports by a string, which no list of its import lines shows."""

import ast
from collections.abc import Iterator

IMPORTERS = {"import_module", "__import__", "run_module", "run_path", "resolve_name", "load_module"}
COMPUTED = "a module whose name is computed"


def imported_by_name(source: str) -> Iterator[str]:
    """The modules that a source imports by a string, `import_module("ui.text")`; of f"ui.text.{part}" what stands
    before the brace, and COMPUTED where nothing does."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and called(node.func) in IMPORTERS:
            match [*node.args, *(keyword.value for keyword in node.keywords)]:
                case [ast.Constant(value=str(name)), *_] | [
                    ast.JoinedStr(values=[ast.Constant(value=str(name)), *_]),
                    *_,
                ]:
                    yield name.partition(":")[0].rstrip(".") or COMPUTED
                case _:
                    yield COMPUTED


def called(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
