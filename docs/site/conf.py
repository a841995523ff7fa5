"""How Sphinx makes the site of `make docs`: guides, notebooks as they are stored, and every public name's docstring."""

import inspect
import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import transformer_core

ROOT = Path(__file__).resolve().parents[2]
project = "Glassformer"
author = project_copyright = "The Glassformer authors"
release = transformer_core.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
root_doc = "docs/site/index"
include_patterns = ["docs/**", "examples/*.ipynb", "deploy/README.md", "*.md"]
html_theme = "furo"
html_extra_path = ["index.html"]
html_copy_source = False
nb_execution_mode = "off"  # a test runs them, and `python -m examples.execute` stores what they show
autodoc_typehints = "description"
autodoc_member_order = "bysource"
default_role = "code"
suppress_warnings = ["myst.header"]  # a page may begin with a smaller heading

PUBLIC = {*iter(transformer_core.__all__)}
FIELD = re.compile(r"^    (\w+): [^#\n]+  # (.+)$", re.MULTILINE)  # with the comment beside it


def sections() -> dict[str, list[str]]:
    """The public names of `transformer_core`, each under the heading at which its own help lists it first."""
    found, listed = dict[str, list[str]](), set[str]()
    told = inspect.getdoc(transformer_core) or ""
    for heading, lines in re.findall(r"^(\S.*)\n((?:    .+\n?)+)", told, re.MULTILINE):
        names = [name for name in dict.fromkeys(re.findall(r"\w+", lines)) if name in PUBLIC - listed]
        listed.update(names)
        if names:
            found[heading] = names
    return found


def write_entries(_: Any, page: str, source: list[str]) -> None:
    """Below what the page of the public names says, one entry for each of them."""
    if page == "docs/site/api":
        parts = [f"## {heading}\n\n" + "\n\n".join(map(entry, names)) for heading, names in sections().items()]
        source[0] += "\n".join(parts)


def entry(name: str) -> str:
    """What Sphinx makes a name's entry of."""
    value = getattr(transformer_core, name)
    kind = "class" if inspect.isclass(value) else "function" if inspect.isfunction(value) else "data"
    members = "   :members:\n" if kind == "class" else ""
    return f"```{{eval-rst}}\n.. auto{kind}:: transformer_core.{name}\n{members}```"


def say_what_comments_say(_: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Shapes and units beside the fields of a class, the meaning of settings, and what a constant is."""
    if what == "data":
        constant = re.compile(rf"^{name.rpartition('.')[2]} = .+  # (.+)$", re.MULTILINE)
        sources = (path.read_text(encoding="utf-8") for path in sorted((ROOT / "transformer_core").rglob("*.py")))
        lines[:] = [said for source in sources for said in constant.findall(source)]
    elif inspect.isclass(value) and value.__module__.startswith("transformer_core"):
        table = {one.name: str(one.metadata.get("meaning", "")) for one in fields(value)} if is_dataclass(value) else {}
        said = table if any(table.values()) else dict(FIELD.findall(inspect.getsource(value)))
        lines += ["", *(f"* **{field}**: {plain(meaning)}" for field, meaning in said.items()), ""]


def plain(text: str) -> str:
    """With what means something in reStructuredText taken as it is."""
    return re.sub(r"[\\*|`_]", r"\\\g<0>", text)


def skip_plain_fields(_: Any, what: str, name: str, value: Any, skip: bool, options: Any) -> bool:
    """Those of a NamedTuple, of which Python itself says their place alone."""
    return skip or type(value).__name__ == "_tuplegetter"


def setup(app: Any) -> None:
    app.connect("source-read", write_entries)
    app.connect("autodoc-process-docstring", say_what_comments_say)
    app.connect("autodoc-skip-member", skip_plain_fields)
