"""Whether two machines train alike: the same settings are the same curve only where the same code runs."""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import torch

import transformer_core

Versions = Mapping[str, str]


@cache
def versions() -> Versions:
    """What decides how a run goes, and differs between versions: PyTorch, and our code with every setting's name."""
    top = Path(transformer_core.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(top.rglob("*.py")):
        digest.update(path.relative_to(top).as_posix().encode() + path.read_bytes())
    return {"torch": torch.__version__, "glassformer": digest.hexdigest()[:12]}


def difference(theirs: Versions) -> str:
    """What is not the same here, in words for a log; "" if all is."""
    ours = versions()
    names = [name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)]
    return ", ".join(f"{name} is {theirs.get(name)} at the server and {ours.get(name)} at the node" for name in names)
