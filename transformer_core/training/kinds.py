"""Files that are whole, and of another kind than those of `torch.save` and safetensors: each by its name."""

import json
from collections.abc import Collection

from transformer_core.training.not_a_model import NotAModel

BEGINNINGS = {
    b"version https://git-lfs": "Git LFS",
    b"\x89HDF": "HDF5",
    b"GGUF": "GGUF",
    b"\x93NUMPY": "NumPy",
    b"\x1f\x8b\x08": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"7z\xbc\xaf": "7z",
    b"<!DOCTYPE": "HTML",
    b"<!doctype": "HTML",
    b"<html": "HTML",
}
MOST_TEXT = 2**20  # bytes that are tried as JSON
ADVICE = {
    "Git LFS": "`git lfs pull` fetches the model for which it stands",
    "pickle": "load it where it was written, and save its parameters: torch.save(model.state_dict(), file)",
    "TorchScript": "save its parameters: torch.save(torch.jit.load(file).state_dict(), other_file)",
    "NumPy": "make tensors of its arrays: load_any({name: torch.from_numpy(array) for name, array in …})",
}


def check_kind(content: bytes) -> None:
    """NotAModel if the content is known to be of another kind."""
    kind = next((kind for beginning, kind in BEGINNINGS.items() if content.startswith(beginning)), "")
    if not kind and content[:1] == b"\x80" and content[1:2] in b"\2\3\4\5" and content.endswith(b"."):
        kind = "pickle"
    if not kind and content[:1] == b"{" and len(content) <= MOST_TEXT and _is_json(content):
        kind = "JSON"
    if kind:
        raise of_kind(kind)


def check_entries(names: Collection[str], *, stored: bool) -> None:
    """NotAModel if an archive with these entries, all `stored` as they are or not, is known to be of another kind."""
    if any(name.endswith(".npy") for name in names):
        raise of_kind("NumPy")
    if any("/code/" in name or name.endswith("/constants.pkl") for name in names):
        raise of_kind("TorchScript")
    if not stored and not any(name.partition("/")[2] == "data.pkl" for name in names):
        raise of_kind("ZIP")


def of_kind(kind: str) -> NotAModel:
    message = f"the file is of the kind {kind}; models are read from files of torch.save and of safetensors"
    instead = ADVICE.get(kind)
    return NotAModel("kind", f"{message}: {instead}" if instead else message, kind=kind)


def _is_json(content: bytes) -> bool:
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return False
    return True
