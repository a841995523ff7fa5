"""What makes a test pass one day and fail on another is not there; and what failed can be run again, alone."""

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.test_structure import MEASURING, ROOT, our_sources, sources

# An address stands for a thing only while that is held; here it is.
ADDRESSES = {
    "transformer_core/trace.py",  # the modules of a model that is being recorded
    "transformer_core/notes/epoch.py",  # the same
    "tests/private_names.py",  # the nodes of a tree
    "tests/core/test_files_from_elsewhere.py",  # the matrices of a list
    "ui/cache.py",  # the arrays of a list
    "ui/own_pairs.py",  # the texts that readers hold
    "tests/core/test_noam.py",  # the parameters of a model
}
# Waiting a moment before asking again, or where the waiting itself is measured.
SLEEPS = {
    *("tests/golden/shown.py", "tests/app/test_training.py", "tests/test_visitors.py", "tests/browser/driver.py"),
    "tests/test_open_files.py",  # until a log that another process writes has a line
    *("tests/test_served.py", "tests/test_wheel.py"),  # until a server that was started answers, or says where it is
    *("tests/cluster/conftest.py", "tests/cluster/proxies.py", "tests/cluster/test_replicas.py"),
    *("tests/core/test_sequence_layers.py", "tests/core/test_decoding_cost.py"),
    "tests/browser/test_matrix.py",  # in a script of its own: a server that waits for the test
}
PYTEST = [sys.executable, "-m", "pytest"]
PASSING = """
def test_one():
    pass

def test_two():
    pass
"""
FAILING = """
import pytest

@pytest.fixture
def broken():
    raise ValueError

@pytest.mark.parametrize("name", ["plain", "it's said"])
def test_of(name):
    assert not name

def test_that_passes():
    pass

def test_that_does_not_begin(broken):
    pass
"""


def used(tree: ast.AST) -> Iterator[str]:
    """Functions that are called by their names, `id`, and attributes of whatever it is, `.sleep`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id
        elif isinstance(node, ast.Attribute):
            yield f".{node.attr}"


def those_that_use(*names: str, within: list[Path]) -> set[str]:
    found = {path for path in within if set(names) & set(used(ast.parse(path.read_text(encoding="utf-8"))))}
    return {str(path.relative_to(ROOT)) for path in found}


def test_nothing_goes_by_the_address_of_what_may_be_gone() -> None:
    everywhere = [*our_sources(), *sources(*MEASURING)]
    assert those_that_use("id", ".__hash__", within=everywhere) == ADDRESSES


def test_no_test_waits_for_a_time_that_it_hopes_is_enough() -> None:
    tests = [path for path in sources("tests") if path.name != "moving_pictures.py"]  # which is no test
    assert those_that_use("sleep", ".sleep", within=tests) <= SLEEPS
    assert those_that_use(".wait_for_timeout", within=tests) == set()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Tests elsewhere, under the same hooks as these, with as much of PyTorch as the hooks ask for."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "torch.py").write_text("def manual_seed(seed): ...\n\n\nset_num_threads = manual_seed\n")
    (tmp_path / "pytest.ini").touch()
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path / "tests")
    return tmp_path


def run(project: Path, command: Sequence[str]) -> str:
    environment = {**os.environ, "PYTHONPATH": ""}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False).stdout


def test_a_failure_prints_the_command_that_runs_that_test_alone(project: Path) -> None:
    (project / "tests" / "test_failing.py").write_text(FAILING, encoding="utf-8")
    said = run(project, PYTEST).splitlines()
    (title,) = [at for at, line in enumerate(said) if "to run each alone" in line]
    commands = [shlex.split(line) for line in said[title + 1 :] if "::" in line and " -n 0 " in line]
    names = ["test_of[plain]", "test_of[it's said]", "test_that_does_not_begin"]
    assert [command[-1] for command in commands] == [f"tests/test_failing.py::{name}" for name in names]
    assert "1 failed" in run(project, commands[1]).splitlines()[-1]


def test_the_files_can_be_run_in_other_orders_each_of_which_can_be_had_again(project: Path) -> None:
    for name in "abcdef":
        (project / "tests" / f"test_{name}.py").write_text(PASSING, encoding="utf-8")
    said = [run(project, [*PYTEST, "-v", *order]) for order in ([], ["--order", "7"], ["--order", "7"])]
    plain, other, again = (re.findall(r"^tests/test_(\w)\.py::test_(\w+) PASSED", text, re.MULTILINE) for text in said)
    assert plain == [(name, test) for name in "abcdef" for test in ("one", "two")]
    assert other == again != plain
    assert sorted(other) == plain
    assert [test for _, test in other] == ["one", "two"] * 6, "a file stays whole"
    assert "make test ORDER=7" in said[1]
