"""Runs the notebooks of this folder from the top and stores what their cells show.

python -m examples.execute            # all
python -m examples.execute own_model
"""

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import torch

FOLDER = Path(__file__).resolve().parent
MOST = 200_000  # bytes of a notebook with its figures


def executed(path: Path) -> tuple[dict[str, Any], list[Any]]:
    """The notebook with its outputs, and the values that its cells end with, but for None."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    values = []
    for count, cell in enumerate((each for each in notebook["cells"] if each["cell_type"] == "code"), start=1):
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        printed, value = io.StringIO(), None
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, path.name, "exec"), names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), path.name, "eval"), names)
        outputs: list[dict[str, Any]] = []
        if text := printed.getvalue():
            outputs.append({"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)})
        if value is not None:
            values.append(value)
            outputs.append(_displayed(value) | {"execution_count": count, "metadata": {}})
        cell |= {"execution_count": count, "outputs": outputs}
    return notebook, values


def _displayed(value: Any) -> dict[str, Any]:
    data = {"text/plain": [repr(value)[:4000]]}
    if hasattr(value, "_repr_html_"):
        data = {"text/html": [value._repr_html_()], "text/plain": [type(value).__name__]}
    return {"data": data, "output_type": "execute_result"}


def main(names: list[str]) -> None:
    torch.set_num_threads(1)
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not names or path.stem in names:
            notebook, _ = executed(path)
            text = json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
            if len(text.encode()) > MOST:
                raise ValueError(f"{path.name} would have {len(text.encode())} bytes, more than {MOST}")
            path.write_text(text, encoding="utf-8")
            print(f"{path.name}: {len(text.encode()):,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
