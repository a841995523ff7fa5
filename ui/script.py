"""The scripts in `assets` as a browser takes them: modules joined to one, without what is for their readers."""

import re
from pathlib import Path

ASSETS = Path(__file__).parents[1] / "assets"

# As they are written there: an import from a file nearby, what a module exports by name, comments of lines or types.
_IMPORT = re.compile(r'^import \{[^}]+\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default\b)", re.MULTILINE)
_TYPES = r"/\*\*(?:(?!\*/)[\s\S])*\*/"
_COMMENT = re.compile(rf"^\s*//.*\n|^\s*{_TYPES}\n|{_TYPES} ?", re.MULTILINE)


def script(main: Path) -> str:
    """A module and those that it imports as one, each after what it needs.

    Streamlit takes one script for a component, and drops one on a page in which anything looks like markup: types in
    comments do.
    """
    whole: dict[Path, str] = {}

    def read(module: Path) -> None:
        if module in whole:
            return
        text = module.read_text(encoding="utf-8")
        for needed in _IMPORT.findall(text):
            read((module.parent / needed).resolve())
        whole[module] = _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", text)))

    read(main.resolve())
    return "\n".join(whole.values())
