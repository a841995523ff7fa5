"""Python imports this file when it starts, where this folder is on `PYTHONPATH`: processes have the tests' noise, too.

The noise begins with PyTorch, so a program that needs none starts as fast as ever.
"""

import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = str(Path(__file__).resolve().parents[3])


class Begins(MetaPathFinder):
    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname != "torch":
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def then_noise(module: ModuleType) -> None:
                load(module)
                begin()

            spec.loader.exec_module = then_noise  # type: ignore[method-assign]
        return spec


def begin() -> None:
    sys.path.append(ROOT)
    try:
        from tests.noise import VARIABLE
        from tests.noise import begin as begin_noise
    finally:
        sys.path.remove(ROOT)
    begin_noise(int(os.environ[VARIABLE]))


sys.meta_path.insert(0, Begins())
