"""A safetensors file: a header that names tensors, their kinds, shapes and places, then nothing but their numbers.

What a header claims is held against the size of the file before any of it is set aside. What else a model of ours
has, settings, step, words and history, stands as JSON in the header's notes, which others' readers leave alone.
"""

import json
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from torch import Tensor

from transformer_core.training.archive import MOST_AXES, MOST_ENTRIES, unpacked
from transformer_core.training.not_a_model import NotAModel

OURS = "glassformer"  # the one note of ours: of several, the library shuffles the order
NOTES = "__metadata__"
LENGTH = 8  # bytes that say how long the header is
MOST_HEADER = 3 * 2**20  # bytes; a few hundred tensors, a history of 5000 steps, and a reader's own pairs
SUFFIX = ".safetensors"
NO_LIBRARY = "a .safetensors file needs the package safetensors: pip install safetensors"


def packed(weights: Mapping[str, Tensor], parts: Mapping[str, Any]) -> bytes:
    """The content of a file with these weights, and the other parts of a model beside them: plain values."""
    return library().save(dict(weights), {OURS: json.dumps(parts, ensure_ascii=False)})


def library() -> ModuleType:
    """`safetensors.torch`, which comes once a file asks for it. ImportError without it."""
    try:
        import safetensors.torch
    except ModuleNotFoundError:
        raise ImportError(NO_LIBRARY) from None
    return safetensors.torch


def held(content: bytes) -> Any:
    """What a file of either kind holds: this one, known by its header's brace, or the archive of `torch.save`.

    Of a file of ours its parts, "weights" among them; of any other its tensors by their names. NotAModel if it is
    damaged, or neither. ImportError without the library.
    """
    if content[LENGTH : LENGTH + 1] != b"{":
        return unpacked(content)
    load = library().load
    try:
        return _held(content, load)
    except NotAModel:
        raise
    except Exception as problem:  # of JSON, of the library and of torch: all of them mean the same here
        raise NotAModel("damaged", "the file is damaged, or it is not a saved model") from problem


def _held(content: bytes, load: Callable[[bytes], dict[str, Tensor]]) -> dict[str, Any]:
    notes = _checked(content)
    tensors = load(content)
    if OURS in notes:
        parts = json.loads(notes[OURS])
        if type(parts) is not dict or "weights" in parts:
            raise TypeError("the parts of a model, without its weights")
        return {**parts, "weights": tensors}
    for name, same in notes.items():  # of tensors that are one and the same the library keeps the first
        if same in tensors:
            tensors.setdefault(name, tensors[same])
    return tensors


def _checked(content: bytes) -> dict[str, str]:
    """The header's notes, where it is no longer, and names no more, than that of any model."""
    length = int.from_bytes(content[:LENGTH], "little")
    if length > min(MOST_HEADER, len(content) - LENGTH):
        raise EOFError("the header reaches beyond the file, or is longer than any model's")
    header = json.loads(content[LENGTH : LENGTH + length])
    notes = header.pop(NOTES, None) or {}
    if len(header) > MOST_ENTRIES or any(len(entry["shape"]) > MOST_AXES for entry in header.values()):
        raise ValueError("no model has as many tensors, and no tensor as many axes")
    return notes
