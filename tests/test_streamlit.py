"""What we lean on in Streamlit: assets/streamlit.toml lists what our sources use, and the pinned version has it."""

import ast
import importlib.util
import inspect
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import streamlit
from streamlit import config
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME

from tests.test_structure import FILES, ROOT

LISTED = tomllib.loads((ROOT / "assets" / "streamlit.toml").read_text(encoding="utf-8"))
NAMED = tomllib.loads((ROOT / "assets" / "text" / "shell.toml").read_text(encoding="utf-8"))["page"]["named"]
FRONT_END = Path(streamlit.__file__).parent / "static"
APP = [path for path in FILES if path.relative_to(ROOT).parts[0] in ("app.py", "assets", "pages", "ui")]
IN_THE_BROWSER = ("class", "test_id", "attribute", "library", "font", "message")


def listed(*kinds: str) -> list[str]:
    return [name for kind in kinds for entry in LISTED[kind] for name in entry["names"]]


def written(*kinds: str) -> str:
    """Our sources of these kinds, in one, without what styles and scripts say to people."""
    whole = "\n".join(path.read_text(encoding="utf-8") for path in APP if path.suffix in kinds)
    return re.sub(r"(?ms)/\*.*?\*/|^\s*//[^\n]*", "", whole)


def selectors() -> str:
    """Of the stylesheets: what stands before each brace."""
    return "\n".join(re.findall(r"([^{};]+)\{", written(".css")))


def foreign_classes() -> set[str]:
    """What selectors name besides Streamlit's own elements, and nothing of ours makes."""
    named, made = set(re.findall(r"\.([A-Za-z][\w-]*)", selectors())), written(".py", ".js", ".html")
    ours = {name for name in named if re.search(rf"(?<![.\w-]){re.escape(name)}(?![\w-])", made)}
    return {name for name in named - ours if not re.match(r"st-key-|st[A-Z]", name)}


def foreign_attributes() -> set[str]:
    """Those besides the standard's that styles and scripts look at, and nothing of ours sets."""
    scripts = written(".js")
    seen = set(re.findall(r"\[(data-(?!testid)[\w-]+|kind)\b", selectors() + scripts))
    seen |= {kebab(name) for name in re.findall(r"dataset\.(\w+)", scripts)}
    ours = {name.replace("_", "-") for name in re.findall(r"(?<!\[)\bdata[-_][\w-]+", written(".py", ".html", ".js"))}
    return seen - ours - {kebab(name) for name in re.findall(r"dataset\.(\w+) = ", scripts)}


def kebab(name: str) -> str:
    """The attribute of a name in `dataset`."""
    return "data-" + re.sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", name)


def imported(source: str) -> Iterator[str]:
    """What a source takes from inside of Streamlit, and the modules of it that it calls by name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "streamlit":
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in names if node.module != "streamlit" or is_module(name))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("streamlit."))
        elif isinstance(node, ast.Constant) and re.fullmatch(r"streamlit(\.\w+)+", str(node.value)):
            yield str(node.value)


def is_module(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def plain(name: str) -> str:
    """A name in the list without what it is called with."""
    return name.partition("(")[0]


@cache
def front_end() -> str:
    """What a browser gets of Streamlit, in one."""
    parts = sorted(path for path in FRONT_END.rglob("*") if path.suffix in (".js", ".css"))
    return "\n".join(path.read_text(encoding="utf-8") for path in parts)


def stands_in_front_end(name: str) -> bool:
    """As a word of its own. Not by a regular expression alone, which would take a second for each name."""
    text, at = front_end(), -1
    while (at := text.find(name, at + 1)) >= 0:
        if not re.search(r"[\w-]", text[at - 1] + text[at + len(name)]):
            return True
    return False


def found(name: str) -> Any:
    """What the name in the list means in this Streamlit; LookupError if it is gone from where it was."""
    owner, _, last = plain(name).rpartition(".")
    place = pkgutil.resolve_name(owner)
    if not hasattr(place, last) and inspect.ismodule(place) and is_module(plain(name)):
        return importlib.import_module(plain(name))
    if hasattr(place, last):
        return getattr(place, last)
    if last in inspect.get_annotations(place) or f"self.{last}" in inspect.getsource(place):
        return None  # each of them has its own
    raise LookupError(f"{last} is gone from {owner}")


def test_nothing_is_listed_twice_or_without_a_reason() -> None:
    names = listed(*LISTED)
    assert sorted(names) == sorted(set(names))
    assert [entry for entries in LISTED.values() for entry in entries if not entry["why"].endswith(".")] == []


def test_the_list_has_what_styles_and_scripts_match_and_nothing_else() -> None:
    source = written(".css", ".js", ".py")
    messages = set(listed("message"))
    assert set(re.findall(r"[.#](st[A-Z]\w+)", source)) - messages == set(listed("class"))
    assert set(re.findall(r"data-testid=[\"']?(\w+)", source)) == set(listed("test_id"))
    assert foreign_attributes() == set(listed("attribute"))
    assert foreign_classes() <= set(listed("library"))
    assert [name for name in listed("library") if not re.search(rf"\.{name}\b", selectors())] == []
    assert [name for name in listed("font") if f'"{name}"' not in source] == []
    assert [name for name in messages if name not in source] == []


def test_the_list_has_what_python_takes_from_inside_and_nothing_else() -> None:
    taken = {name for path in APP if path.suffix == ".py" for name in imported(path.read_text(encoding="utf-8"))}
    names = {plain(name) for name in listed("python")}
    used = set(re.findall(r"\w+", written(".py")))
    assert [name for name in taken if not any(f"{one}.".startswith(f"{name}.") for one in names)] == []
    assert [name for name in names if name not in taken and name.rpartition(".")[2] not in used] == []


def test_options_that_are_not_documented_are_listed() -> None:
    known = config.get_config_options()
    tables = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    ours = [f"{table}.{name}" for table, options in tables.items() for name in options if table != "theme"]
    assert [name for name in ours if name not in known] == []
    assert [name for name in ours if known[name].visibility != "visible"] == listed("option")


@pytest.mark.parametrize("name", listed(*IN_THE_BROWSER))
def test_the_front_end_has(name: str) -> None:
    assert stands_in_front_end(name)


@pytest.mark.parametrize("name", [said["en"] for said in NAMED.values()])
def test_the_front_end_still_calls_a_part(name: str) -> None:
    """The kind of a picture, and what a tool is for, it adds to the name."""
    begins = name.removesuffix(":").removesuffix(" SVG")
    assert re.search(rf"`{begins}(`| \$\{{)", front_end())


@pytest.mark.parametrize("name", listed("python"))
def test_streamlit_has(name: str) -> None:
    thing, (_, called, given) = found(name), name.partition("(")
    if called:
        of_an_object = inspect.isclass(pkgutil.resolve_name(plain(name).rpartition(".")[0]))
        inspect.signature(thing).bind(*re.findall(r"\w+", given), *[None] * of_an_object)


def test_the_cookie_has_its_name() -> None:
    assert listed("cookie") == [XSRF_COOKIE_NAME]
    assert f'"{XSRF_COOKIE_NAME}"' in written(".py")


def test_what_is_not_there_is_found() -> None:
    assert not stands_in_front_end("stMainBlock")
    with pytest.raises(LookupError, match="is gone"):
        found("streamlit.runtime.Runtime.is_lively(id)")
    assert list(imported("from streamlit import runtime\nfrom streamlit.errors import Error")) == [
        "streamlit.runtime", "streamlit.errors.Error",
    ]  # fmt: skip
