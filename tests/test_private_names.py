"""What we lean on in libraries beyond what they promise: assets/private.toml lists it, and nothing else is used."""

import ast
import tomllib

import pytest

from tests.private_names import own_names, private
from tests.test_streamlit import found
from tests.test_structure import ROOT, our_sources

LISTED = tomllib.loads((ROOT / "assets" / "private.toml").read_text(encoding="utf-8"))
SOURCES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in our_sources()}
OWN = {name for source in SOURCES.values() for name in own_names(ast.parse(source))}


def listed(*libraries: str) -> list[str]:
    return [name for library in libraries for entry in LISTED[library] for name in entry["names"]]


def used(source: str) -> list[str]:
    return list(private(ast.parse(source), OWN))


def test_nothing_is_listed_twice_or_without_a_reason() -> None:
    names = listed(*LISTED)
    assert sorted(names) == sorted(set(names))
    assert [entry for entries in LISTED.values() for entry in entries if not entry["why"].endswith(".")] == []


def test_no_private_name_of_a_library_is_used_that_is_not_listed() -> None:
    assert [
        (path, name) for path, source in SOURCES.items() for name in used(source) if name not in listed(*LISTED)
    ] == []


def test_what_is_listed_is_used() -> None:
    """A name that no underscore tells stands there as it is written."""
    every = {name for source in SOURCES.values() for name in used(source)}
    assert [
        name for name in listed(*LISTED) if name not in every and f'"{name}"' not in "".join(SOURCES.values())
    ] == []


@pytest.mark.parametrize("name", listed("torch"))
def test_torch_has(name: str) -> None:
    found(name)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import torch\ntorch._foreach_add_(a, b)", "torch._foreach_add_"),
        ("from ray._private.worker import global_worker", "ray._private.worker.global_worker"),
        ("import numpy._core", "numpy._core"),
        ("from streamlit.runtime.state import _private_state", "streamlit.runtime.state._private_state"),
        (
            "class Own(nn.Module):\n    def f(self):\n        return self._forward_hooks",
            "torch.nn.Module._forward_hooks",
        ),
        ("vars(module)['_backward_hooks'] = {}", "torch.nn.Module._backward_hooks"),
        ("figure._grid_ref", "_grid_ref"),
        ("REBUILT = 'torch._utils._rebuild_sparse_tensor'", "torch._utils._rebuild_sparse_tensor"),
    ],
)
def test_a_private_name_is_found(source: str, name: str) -> None:
    assert used(source) == [name]


@pytest.mark.parametrize("source", ["pair._replace(a=1)", "os._exit(0)", "f'{name}_modules'", "import torch\ntorch.nn"])
def test_what_is_ours_or_documented_is_let_pass(source: str) -> None:
    assert used(source) == []
