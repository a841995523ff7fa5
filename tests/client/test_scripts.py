"""The scripts of the page, each file of `tests/client` in Deno."""

import os
import re
import subprocess
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.javascript import ENVIRONMENT, ROOT, deno
from ui.frame.style import LECTURE_SCRIPTS, SCRIPTS, SLIDES_SCRIPTS
from ui.script import ASSETS, script

HERE = Path(__file__).parent
IMPORTED = re.compile(r'^import .* from "(.+)";$', re.MULTILINE)
COMPONENTS = sorted(path.stem for path in ASSETS.glob("*/*.js") if path.parent.name == path.stem)


def run(command: list[str]) -> str:
    """What it says where it fails."""
    done = subprocess.run(command, cwd=ROOT, env=os.environ | ENVIRONMENT, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


@pytest.mark.parametrize("file", sorted(path.name for path in HERE.glob("*_test.js")))
def test_the_scripts_do_what_they_say(file: str) -> None:
    assert run(deno("test", "--no-config", "--no-check", "--allow-read", f"tests/client/{file}")) == ""


def test_the_parts_of_a_script_import_one_way() -> None:
    modules = [*ASSETS.rglob("*.js")]
    needed = {
        path: [(path.parent / name).resolve() for name in IMPORTED.findall(path.read_text(encoding="utf-8"))]
        for path in modules
    }
    assert len([*TopologicalSorter(needed).static_order()]) == len(modules)


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_component_is_one_script_that_mounts_it(name: str, tmp_path: Path) -> None:
    whole = script(ASSETS / name / f"{name}.js")
    (tmp_path / "whole.js").write_text(whole, encoding="utf-8")
    (tmp_path / "mount.js").write_text('import mount from "./whole.js"; if (!(mount instanceof Function)) throw mount;')
    assert run(deno("run", "--no-config", str(tmp_path / "mount.js"))) == ""
    assert "import" not in whole


@pytest.mark.parametrize("name", ["loader.js", *SCRIPTS, *LECTURE_SCRIPTS, *SLIDES_SCRIPTS])
def test_a_script_of_the_page_is_whole_and_nothing_in_it_looks_like_markup(name: str, tmp_path: Path) -> None:
    """Streamlit would drop it for that."""
    program = script(ASSETS / name)
    (tmp_path / "whole.js").write_text(f"export default () => {{\n{program}\n}};\n", encoding="utf-8")
    assert run(deno("run", "--no-config", str(tmp_path / "whole.js"))) == ""
    assert re.findall(r".*<[/\w!].*", program) == []


def test_a_name_that_two_modules_give_is_no_script(tmp_path: Path) -> None:
    (tmp_path / "one.js").write_text("const same = 1;\nexport const one = same;\n")
    (tmp_path / "two.js").write_text('import { one } from "./one.js";\n\nconst same = 2;\nexport default one + same;\n')
    (tmp_path / "whole.js").write_text(script(tmp_path / "two.js"))
    assert "already been declared" in run(deno("run", "--no-config", str(tmp_path / "whole.js")))
