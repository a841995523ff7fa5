"""A model in several files of a folder, as Hugging Face's libraries write large ones: parts, and an index of them."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from transformer_core.training.names import state_in
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.tensor_file import held

PART = re.compile(r"(.*)-(\d{5})-of-(\d{5})(\.\w+)$")  # model-00001-of-00002.safetensors
INDEX = ".index.json"
KINDS = (".safetensors", ".bin", ".pt", ".pth", ".ckpt")  # the first of which there is one is read


def is_sharded(path: Path) -> bool:
    """Whether it stands for more than one file: a folder, an index, or a part."""
    return path.is_dir() or path.name.endswith(INDEX) or bool(PART.match(path.name))


def held_in(path: Path, most: int) -> dict[Any, Any]:
    """The tensors of all parts, by their names. NotAModel if one is not there, or all take more than `most` bytes."""
    parts = _parts(path)
    folder = path if path.is_dir() else path.parent
    if missing := [name for name in parts if not (folder / name).is_file()]:
        raise NotAModel("shard", f"the model is in {len(parts)} files, of which {missing[0]:.80} is not in the folder")
    if (size := sum((folder / name).stat().st_size for name in parts)) > most:
        raise NotAModel("large", f"the files have {size / 2**20:.0f} MB; at most {most / 2**20:.0f} MB are read")
    found: dict[Any, Any] = {}
    for name in parts:
        tensors = state_in(held((folder / name).read_bytes()))
        if len(parts) == 1:
            return tensors
        if not isinstance(tensors, dict) or found.keys() & tensors.keys():
            raise NotAModel("shard", f"{name:.80} is no part of a model that goes with the others")
        found |= tensors
    return found


def refuse_part(name: str) -> None:
    """NotAModel if a file is one part of several, by its name."""
    found = PART.match(name)
    if found and int(found[3]) > 1:
        part, count = int(found[2]), int(found[3])
        message = f"the file is part {part} of {count} of a model: `load_any` opens the folder in which all are"
        raise NotAModel("shard", message, part=part, count=count)


def _parts(path: Path) -> list[str]:
    """The names of the files of which the model is."""
    if found := PART.match(path.name):
        return _numbered(found)
    if path.name.endswith(INDEX):
        return _indexed(path)
    names = sorted(each.name for each in path.iterdir() if each.is_file())
    if any(name.endswith(".distcp") for name in names):
        raise NotAModel(
            "distributed",
            f"{path} is a checkpoint of torch.distributed: torch.distributed.checkpoint.format_utils."
            "dcp_to_torch_save(folder, file) makes one file of it",
        )
    for kind in KINDS:
        indices = [name for name in names if name.endswith(f"{kind}{INDEX}")]
        if len(indices) == 1:
            return _indexed(path / indices[0])
        of_kind = [name for name in names if name.endswith(kind)]
        numbered = {tuple(_numbered(found)) for name in of_kind if (found := PART.match(name))}
        if len(numbered) == 1:
            return list(numbered.pop())
        if len(of_kind) == 1:
            return of_kind
        if of_kind:
            listed = ", ".join(of_kind[:3])
            raise NotAModel("folder", f"{path} holds several files that may be a model ({listed}): name one of them")
    raise NotAModel("folder", f"{path} holds no file of a model: none ends in {', '.join(KINDS)}")


def _numbered(found: re.Match[str]) -> list[str]:
    before, _, count, kind = found.groups()
    return [f"{before}-{at:05}-of-{count}{kind}" for at in range(1, int(count) + 1)]


def _indexed(path: Path) -> list[str]:
    """The files that an index names, none of them outside its folder."""
    try:
        names: Iterable[Any] = json.loads(path.read_bytes())["weight_map"].values()
        parts = sorted(set(names))
        plain = all(Path(name).name == name for name in parts)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        plain = False
    if not plain or not parts:
        raise NotAModel("folder", f"{path} is no index of a model's files: it has no weight_map of their names")
    return parts
