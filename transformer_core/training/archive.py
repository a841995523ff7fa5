"""What `torch.save` writes, read as plain values and tensors. Nothing that a file names is ever called.

`torch.load(weights_only=True)` runs no code of the file's, but calls what is on its list with whatever the file says: a
few hundred bytes then ask for gigabytes. Here a tensor is a view of bytes that stand in the file, and all else is a
name, a number, a list or a dictionary, so that a file cannot need much more than its own size. What a training loop
saves beside the weights, a path, a counter, settings, is known by its name and skipped.
"""

import io
import pickletools
import zipfile
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from transformer_core.training.kinds import check_entries, check_kind, of_kind
from transformer_core.training.not_a_model import NotAModel, damaged, is_code

DTYPES = {
    "Float": torch.float32, "Double": torch.float64, "Half": torch.float16, "BFloat16": torch.bfloat16,
    "Long": torch.int64, "Int": torch.int32, "Short": torch.int16, "Char": torch.int8, "Byte": torch.uint8,
    "Bool": torch.bool, "ComplexFloat": torch.complex64, "ComplexDouble": torch.complex128,
}  # fmt: skip
VALUES = {
    "BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8",
    "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8",
}  # fmt: skip
CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
MOST_AXES = 8
LEGACY = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."  # begins what `torch.save` wrote before it wrote archives
ENTRY = b"PK\1\2"  # begins each line of an archive's list of entries
MOST_ENTRIES = 10_000  # one for each tensor, and a few
MOST_OPERATIONS = 400_000  # of a pickle: six layers have some ten thousand, a list of 30,000 words 60,000
DEEPEST = 4  # tuples within each other in a key
DICTIONARIES = {"collections.OrderedDict", "collections.Counter", "collections.defaultdict"}
INSTANCES = {"copyreg._reconstructor", "copy_reg._reconstructor", "copyreg.__newobj__", "copyreg.__newobj_ex__"}


class Other:
    """Something that is neither a plain value nor a plain tensor, and that is not made: only its name is known, and
    what the file puts into it: `items`, by their keys, and `state`, an object's attributes."""

    __slots__ = ("items", "name", "state")

    def __init__(self, name: str) -> None:
        self.name = name
        self.items: dict[str | int, Any] = {}
        self.state: Any = None

    def __repr__(self) -> str:
        return self.name


def unpacked(content: bytes) -> Any:
    """The value that was saved. NotAModel if the file is damaged, of another kind, or of the format before PyTorch 1.6.

    Of dictionaries what has a word or a whole number as its key is kept. Tensors of an odd kind, and objects of any
    class, come as `Other`.
    """
    if content.startswith(LEGACY):
        message = "the file has the format of PyTorch before 1.6; save it anew: torch.save(torch.load(file), file)"
        raise NotAModel("legacy", message)
    check_kind(content)
    try:
        found = _Machine(_entries(content)).run()
    except NotAModel:
        raise
    except Exception as problem:  # zipfile, pickletools, torch and a stack that is empty all mean the same here
        raise damaged() from problem
    if isinstance(found, Other) and not found.items and found.state is None and not found.name.startswith("torch."):
        raise is_code(found.name)
    return found


def _entries(content: bytes) -> dict[str, bytes]:
    """The files in the archive, without its folder's name, each as its checksum says."""
    if content.count(ENTRY) > MOST_ENTRIES:  # to read a list of a hundred thousand takes seconds
        raise zipfile.BadZipFile("no model has as many tensors")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = archive.infolist()
        check_entries(archive.namelist(), stored=all(entry.compress_type == zipfile.ZIP_STORED for entry in entries))
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
            raise zipfile.BadZipFile("compressed")
        if sum(entry.file_size for entry in entries) > len(content) or len(set(archive.namelist())) < len(entries):
            raise zipfile.BadZipFile("entries lie over one another")
        found = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    if entries and "data.pkl" not in found:
        raise of_kind("ZIP")
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
                (made,) = self.stack
                return made
            if name in VALUES:
                self.stack.append(argument)
            elif name in CONSTANTS:
                self.stack.append(CONSTANTS[name])
            else:
                self._do(name, argument)
        message = (
            f"beside its tensors the file holds more than {MOST_OPERATIONS} values; save the parameters alone, "
            "torch.save(model.state_dict(), file)"
        )
        raise NotAModel("long", message, most=MOST_OPERATIONS)

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
            case "EMPTY_LIST" | "EMPTY_SET":
                stack.append([])
            case "FROZENSET":
                stack.append(self._marked())
            case "APPEND":
                self._extend([stack.pop()])
            case "APPENDS" | "ADDITEMS":
                self._extend(self._marked())
            case "EMPTY_DICT":
                stack.append({})
            case "SETITEM":
                self._set(self._taken(len(stack) - 2))
            case "SETITEMS":
                self._set(self._marked())
            case "GLOBAL":
                stack.append(Other(argument.replace(" ", ".")))
            case "STACK_GLOBAL":
                package, kind = self._taken(len(stack) - 2)
                stack.append(Other(f"{_of(str, package)}.{_of(str, kind)}"))
            case "BINPERSID":
                stack.append(self._storage(*stack.pop()))
            case "REDUCE":
                made_of = _of(tuple, stack.pop())
                stack.append(_made(stack.pop(), made_of))
            case "NEWOBJ" | "NEWOBJ_EX":
                kind, *_ = self._taken(len(stack) - (2 if name == "NEWOBJ" else 3))
                stack.append(Other(_of(Other, kind).name))
            case "BUILD":
                state = stack.pop()
                if isinstance(stack[-1], Other):
                    stack[-1].state = state  # the very one: copies could be made of it without end
                elif not isinstance(stack[-1], dict | Tensor):  # what a state dict notes beside its tensors is left
                    raise TypeError
            case "POP":
                stack.pop()
            case "POP_MARK":
                self._marked()
            case "LONG4":  # so long that to print it would take for ever
                stack.append(Other("int"))
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

    def _extend(self, values: list[Any]) -> None:
        """What is put into an object that is not made is left."""
        if not isinstance(self.stack[-1], Other):
            _of(list, self.stack[-1]).extend(values)

    def _set(self, pairs: list[Any]) -> None:
        """Keys that are kept are words and numbers alone: of a tuple within tuples, each of them twice, the hash takes
        for ever. So deep no counter's are: that is refused."""
        last = self.stack[-1]
        target = last.items if isinstance(last, Other) else _of(dict, last)
        for key, value in zip(pairs[::2], pairs[1::2], strict=True):
            if type(key) in (str, int):
                target[key] = value
            elif type(key) is tuple and _depth(key) > DEEPEST:
                raise TypeError("a key of tuples within tuples")

    def _storage(self, kind: object, of: Other, key: object, _: object, count: object) -> Tensor | Other:
        """All numbers of one entry, in a row."""
        if type(key) is not str or type(count) is not int:  # as in _set; nor could one be printed
            raise TypeError("an entry is named by a word, and holds a number of numbers")
        dtype = DTYPES.get(of.name.removeprefix("torch.").removesuffix("Storage"))
        if kind != "storage" or dtype is None:
            return of
        if key not in self.storages:
            data = bytearray(self.entries.pop(f"data/{key}"))  # once: what is read is set free
            self.storages[key] = torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)
        storage = self.storages[key]
        if storage.dtype != dtype or len(storage) != count:
            raise ValueError(f"entry {key} is not {count} numbers")
        return storage


def _depth(key: object) -> int:
    """How many tuples stand in each other, as far as DEEPEST and one more, by the last of each."""
    depth = 0
    while type(key) is tuple and depth <= DEEPEST:
        depth, key = depth + 1, key[-1] if key else None
    return depth


def _of(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(f"a {type(value).__name__} where a {kind.__name__} was to be")
    return value


def _made(of: Other, arguments: tuple[Any, ...]) -> Any:
    match _of(Other, of).name:
        case name if name in DICTIONARIES:  # a counter's are given at once, those of the others follow
            return next((each for each in arguments if type(each) is dict), {})
        case name if name in INSTANCES and arguments:
            return Other(_of(Other, arguments[0]).name)
        case "torch._utils._rebuild_tensor_v2":
            return _view(*arguments[:4])
        case "torch._utils._rebuild_parameter" | "torch._utils._rebuild_parameter_with_state":
            return arguments[0]
        case "torch._tensor._rebuild_from_type_v2":  # a tensor with attributes
            return _made(arguments[0], _of(tuple, arguments[2]))
        case "torch._utils._rebuild_meta_tensor_no_storage":
            return torch.empty(arguments[1], device="meta")
        case name:
            return Other(name)


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
