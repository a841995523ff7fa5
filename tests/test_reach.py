"""How far imports reach: what comes along with the pages, and who may change where modules are looked for."""

import re
from collections.abc import Mapping

from tests.import_table import OWN
from tests.named_imports import imported_by_name
from tests.test_structure import imported, module_name, our_sources


def test_only_the_commands_of_the_app_say_where_modules_are_looked_for() -> None:
    """Each is found by another name where it is installed, and then makes this folder known."""
    using = [module_name(path) for path in our_sources() if re.search(r"\bsys\.path\b", path.read_text())]
    assert using == ["ui.command", "ui.labsheet"]


def reached(module: str, graph: Mapping[str, set[str]]) -> set[str]:
    """A module, and all that it imports, itself or by what it imports, with the folders in which these stand."""
    found, todo = set[str](), [module]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += [*graph.get(name, ()), *filter(None, [name.rpartition(".")[0]])]
    return found


def test_what_serves_pages_imports_nothing_that_is_made_for_tests() -> None:
    """Streamlit's AppTest opens links for the command that checks lab sheets, and for nobody else."""
    sources = {module_name(path).removesuffix(".__init__"): path.read_text() for path in our_sources()}
    graph = {module: {*imported(module, source), *imported_by_name(source)} for module, source in sources.items()}
    graph["ui.chapters"] |= set(OWN.values())
    tested = [name for name, source in sources.items() if "streamlit.testing" in source]
    assert tested == ["ui.state.headless"]
    assert set(tested) <= reached("ui.labsheet", graph)
    for served in ("app", *(name for name in sources if name.startswith("pages.")), "ui.host", "ui.command"):
        assert not {"ui.state.headless", "ui.labsheet", "unittest", "pytest"} & reached(served, graph), served
