"""What `torch.save` writes, read as plain values and tensors. Nothing that a file names is ever called.

`torch.load(weights_only=True)` runs no code of the file's, but calls what is on its list with whatever the file says: a
few hundred bytes then ask for gigabytes. Here a tensor is a view of bytes that stand in the file, and all else is a
name, a number, a list or a dictionary, so that a file cannot need much more than its own size.
"""

import io
import pickletools
import zipfile
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
from torch import Tensor

DTYPES = {
    "Float": torch.float32, "Double": torch.float64, "Half": torch.float16, "BFloat16": torch.bfloat16,
    "Long": torch.int64, "Int": torch.int32, "Short": torch.int16, "Char": torch.int8, "Byte": torch.uint8,
    "Bool": torch.bool, "ComplexFloat": torch.complex64, "ComplexDouble": torch.complex128,
}  # fmt: skip
VALUES = ("BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8")
CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
MOST_AXES = 8
LEGACY = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."  # begins what `torch.save` wrote before it wrote archives
ENTRY = b"PK\1\2"  # begins each line of an archive's list of entries
MOST_ENTRIES = 10_000  # one for each tensor, and a few
MOST_OPERATIONS = 100_000  # of a pickle; a model of six layers has some ten thousand


class NotAModel(ValueError):
    """A file that is no model. `reason` and `values` let the app say the same in another language."""

    def __init__(self, reason: str, message: str, **values: object) -> None:
        super().__init__(message)
        self.reason = reason
        self.values = values


@dataclass(frozen=True)
class Other:
    """Something that is neither a plain value nor a plain tensor: only its name is known."""

    name: str


def unpacked(content: bytes) -> Any:
    """The value that was saved. NotAModel if the file is damaged, compressed, of the format before PyTorch 1.6, or
    holds more than values and tensors.

    Dictionaries have words and whole numbers as their keys. Tensors of an odd kind come as `Other`.
    """
    if content.startswith(LEGACY):
        message = "the file has the format of PyTorch before 1.6; save it anew: torch.save(torch.load(file), file)"
        raise NotAModel("legacy", message)
    try:
        return _Machine(_entries(content)).run()
    except NotAModel:
        raise
    except Exception as problem:  # zipfile, pickletools, torch and a stack that is empty all mean the same here
        raise NotAModel("damaged", "the file is damaged, or it is not a saved model") from problem


def _entries(content: bytes) -> dict[str, bytes]:
    """The files in the archive, without its folder's name, each as its checksum says."""
    if content.count(ENTRY) > MOST_ENTRIES:  # to read a list of a hundred thousand takes seconds
        raise zipfile.BadZipFile("no model has as many tensors")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = archive.infolist()
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
            raise zipfile.BadZipFile("compressed")
        if sum(entry.file_size for entry in entries) > len(content) or len(set(archive.namelist())) < len(entries):
            raise zipfile.BadZipFile("entries lie over one another")
        found = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    if found.get("byteorder", b"little") != b"little":
        raise ValueError("numbers are written from their other end")
    return found


class _Machine:
    """The stack of a pickle (protocol 2, as `torch.save` writes it), without its power to call."""

    def __init__(self, entries: dict[str, bytes]) -> None:
        self.entries = entries
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}
        self.storages: dict[str, Tensor] = {}

    def run(self) -> Any:
        for operation, argument, _ in islice(pickletools.genops(self.entries["data.pkl"]), MOST_OPERATIONS):
            name = operation.name
            if name == "STOP":
                return self.stack.pop()
            if name in VALUES:
                self.stack.append(argument)
            elif name in CONSTANTS:
                self.stack.append(CONSTANTS[name])
            else:
                self._do(name, argument)
        raise EOFError

    def _do(self, name: str, argument: Any) -> None:
        stack, memo = self.stack, self.memo
        match name:
            case "PROTO" | "FRAME":
                pass
            case "BINPUT" | "LONG_BINPUT":
                memo[argument] = stack[-1]
            case "MEMOIZE":
                memo[len(memo)] = stack[-1]
            case "BINGET" | "LONG_BINGET":
                stack.append(memo[argument])
            case "MARK":
                self.marks.append(len(stack))
            case "EMPTY_TUPLE":
                stack.append(())
            case "TUPLE1" | "TUPLE2" | "TUPLE3":
                stack.append(tuple(self._taken(len(stack) - int(name[-1]))))
            case "TUPLE":
                stack.append(tuple(self._marked()))
            case "EMPTY_LIST":
                stack.append([])
            case "APPEND":
                value = stack.pop()
                _of(list, stack[-1]).append(value)
            case "APPENDS":
                values = self._marked()
                _of(list, stack[-1]).extend(values)
            case "EMPTY_DICT":
                stack.append({})
            case "SETITEM":
                self._set(self._taken(len(stack) - 2))
            case "SETITEMS":
                self._set(self._marked())
            case "GLOBAL":
                stack.append(_named(argument))
            case "BINPERSID":
                stack.append(self._storage(*stack.pop()))
            case "REDUCE":
                made_of = _of(tuple, stack.pop())
                stack.append(_made(stack.pop(), made_of))
            case "BUILD":  # what a state dict notes beside its tensors
                stack.pop()
                _of(dict, stack[-1])
            case _:
                raise ValueError(f"{name} stands in no state dict")

    def _taken(self, start: int) -> list[Any]:
        if start < 0:
            raise IndexError
        taken = self.stack[start:]
        del self.stack[start:]
        return taken

    def _marked(self) -> list[Any]:
        return self._taken(self.marks.pop())

    def _set(self, pairs: list[Any]) -> None:
        """Keys are words and numbers alone: of a tuple within tuples, each of them twice, the hash takes for ever."""
        target = _of(dict, self.stack[-1])
        for key, value in zip(pairs[::2], pairs[1::2], strict=True):
            if type(key) not in (str, int):
                raise TypeError(f"a key that is a {type(key).__name__}")
            target[key] = value

    def _storage(self, kind: object, of: Other, key: object, _: object, count: object) -> Tensor | Other:
        """All numbers of one entry, in a row."""
        if type(key) is not str or type(count) is not int:  # as in _set; nor could one be printed
            raise TypeError("an entry is named by a word, and holds a number of numbers")
        dtype = DTYPES.get(of.name.removeprefix("torch.").removesuffix("Storage"))
        if kind != "storage" or dtype is None:
            return of
        if key not in self.storages:
            data = bytearray(self.entries[f"data/{key}"])
            self.storages[key] = torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)
        storage = self.storages[key]
        if storage.dtype != dtype or len(storage) != count:
            raise ValueError(f"entry {key} is not {count} numbers")
        return storage


def _of(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(f"a {type(value).__name__} where a {kind.__name__} was to be")
    return value


def _named(words: str) -> Other:
    name = ".".join(words.split(" "))
    if name != "collections.OrderedDict" and not name.startswith("torch."):
        message = f"the file is damaged, or it is not a saved model: it holds more than numbers and words ({name:.60})"
        raise NotAModel("code", message, name=name[:60])
    return Other(name)


def _made(of: Other, arguments: tuple[Any, ...]) -> Any:
    match _of(Other, of).name:
        case "collections.OrderedDict":
            () = arguments
            return {}
        case "torch._utils._rebuild_tensor_v2":
            return _view(*arguments[:4])
        case "torch._utils._rebuild_parameter":
            return arguments[0]
        case "torch._utils._rebuild_meta_tensor_no_storage":
            return torch.empty(arguments[1], device="meta")
        case _:
            return of


def _view(storage: Tensor | Other, offset: int, size: tuple[int, ...], stride: tuple[int, ...]) -> Tensor | Other:
    """A tensor of numbers that all stand in the storage; steps of 0 repeat them."""
    if isinstance(storage, Other):
        return storage
    numbers = offset, *_of(tuple, size), *_of(tuple, stride)
    if any(type(number) is not int or number < 0 for number in numbers) or not len(size) == len(stride) <= MOST_AXES:
        raise ValueError("a tensor of no shape")
    if all(size) and offset + sum((count - 1) * step for count, step in zip(size, stride)) >= len(storage):
        raise ValueError("a tensor reaches beyond its numbers")
    return storage.as_strided(size, stride, offset)
