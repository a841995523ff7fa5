"""What the site of `make docs` has: every guide and notebook, and every public name with its shapes and errors."""

import ast
import inspect
import re
import textwrap
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

import transformer_core
from docs.site import conf

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "docs" / "site"
NAMES = [name for names in conf.sections().values() for name in names]


def offered(name: str) -> Any:
    """By that name; once `transformer_core.train` is imported, Python puts the module in the function's place."""
    found = getattr(transformer_core, name)
    return transformer_core.__getattr__(name) if isinstance(found, ModuleType) else found


DOCUMENTED = [name for name in NAMES if isinstance(offered(name), type | FunctionType)]
ANY_SHAPE = {"tap"}
SHAPE = re.compile(r"\((?:batch|…|length|vocab|max_len|parameters|features|[1A-Zdn]\w*)(?: / 2)?(?:, [^()]*|,)?\)")


def told(value: Any) -> tuple[ast.AST, str]:
    """The source of a public name, and its docstrings with the comments beside its fields."""
    source = textwrap.dedent(inspect.getsource(value))
    tree = ast.parse(source)
    parts = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    return tree, " ".join([*(ast.get_docstring(part) or "" for part in parts), *re.findall(r"# .*", source)])


def test_every_public_name_is_on_the_page_once_and_no_other() -> None:
    assert sorted(NAMES) == sorted({*iter(transformer_core.__all__)} - {"__version__"})


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_public_name_says_its_shapes_and_the_errors_that_it_raises(name: str) -> None:
    value = offered(name)
    tree, text = told(value)
    assert value.__doc__
    raised = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    errors = {ast.unparse(error.func) for error in raised if isinstance(error, ast.Call)}
    assert [error for error in errors if error not in text] == []
    annotations = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.arg | ast.AnnAssign)]
    if name not in ANY_SHAPE and any("Tensor" in each for each in annotations):
        assert SHAPE.search(text)


def test_a_constant_or_an_alias_says_what_it_is() -> None:
    for name in {*NAMES} - {*DOCUMENTED}:
        lines: list[str] = []
        conf.say_what_comments_say(None, "data", f"transformer_core.{name}", None, None, lines)
        assert len(lines) == 1, name


def test_every_guide_and_every_notebook_is_linked() -> None:
    listed = re.findall(r"^(\.\./.*)$", (SITE / "index.md").read_text(encoding="utf-8"), re.MULTILINE)
    linked = {path.resolve() for entry in listed for path in SITE.glob(f"{entry}.*")}
    pages = {*(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.ipynb"), *ROOT.glob("*.md")}
    assert pages - linked == {*SITE.glob("*.md")}
