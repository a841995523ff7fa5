"""What a class has handed in: files, folders, and the ZIP of all submissions that Moodle, Canvas or Blackboard makes.

Nothing is unpacked: what stands in a ZIP is read in memory, as much of it as a lab sheet can have.
"""

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from transformer_core.labsheet.file import LARGEST, Unreadable

MEMBERS = 2000  # files in one ZIP, at most
LARGEST_ZIP = 500_000_000  # bytes
DIRECTORY = 4_000_000  # bytes of the list of its files, which is read at once
ALTOGETHER = 400_000_000  # bytes of all files that are read of one ZIP
DEPTH = 2  # a ZIP in a ZIP, and no further
ZIP = b"PK\x03\x04"
SIGNATURES = (b"PK\x05\x06", b"PK\x06\x07")  # of the end of the list, and of the place of another end, for large ones
WITHIN = " › "  # between a ZIP and what stands in it

# How a learning platform names what it hands out; the file's own name follows.
PLATFORMS = (
    re.compile(r"^(?P<student>.+)_\d+_assignsubmission_(?:file|onlinetext)(?:_|$)"),  # Moodle
    re.compile(r"^.+?_(?P<student>[^_/]+)_attempt_\d{4}(?:-\d\d){5}"),  # Blackboard
    re.compile(r"^(?P<student>[^_/]+?)(?:_LATE)?_\d{2,}_\d{2,}_"),  # Canvas
)


class Handed(NamedTuple):
    """A file as it was handed in. `student` is what the platform puts before its name; "" where it puts nothing."""

    name: str
    student: str
    content: bytes | Unreadable


class _Budget:
    """What may still be read of a ZIP, and of those in it."""

    def __init__(self) -> None:
        self.members, self.size = MEMBERS, ALTOGETHER

    def take(self, size: int) -> None:
        self.members, self.size = self.members - 1, self.size - size
        if self.members < 0 or self.size < 0:
            raise Unreadable("many")


def handed_in(named: Path) -> Iterator[Handed]:
    """A file; those of a folder and of the folders in it; those of a ZIP. Hidden ones are left alone."""
    for path in _files(named):
        within = path.relative_to(named).as_posix() if path != named else path.name
        try:
            if _is_zip(path):
                with path.open("rb") as file:
                    yield from _members(file, str(path), _Budget(), 1, _student(within))
                continue
            content: bytes | Unreadable = _content(path)
        except OSError:
            content = Unreadable("missing")
        except Unreadable as problem:
            content = problem
        yield Handed(str(path), _student(within), content)


def _files(named: Path) -> list[Path]:
    if not named.is_dir():
        return [named]
    found = (path for path in named.rglob("*") if path.is_file() and not _is_hidden(path.relative_to(named)))
    return sorted(found) or [named]


def _is_hidden(path: Path | PurePosixPath) -> bool:
    return any((part.startswith(".") and part != "..") or part == "__MACOSX" for part in path.parts)


def _student(name: str) -> str:
    """What a platform puts before the name of a file or of its folder."""
    parts = PurePosixPath(name).parts
    found = next(filter(None, (platform.match(part) for part in parts for platform in PLATFORMS)), None)
    return found["student"] if found else ""


def _is_zip(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(ZIP)) in (ZIP, SIGNATURES[0])


def _content(path: Path) -> bytes:
    if not path.is_file():
        raise Unreadable("missing")
    if path.stat().st_size > LARGEST:
        raise Unreadable("huge")
    return path.read_bytes()


def _members(file: IO[bytes], name: str, budget: _Budget, depth: int, student: str) -> Iterator[Handed]:
    """The files of a ZIP, in the order of their names; or why there are none."""
    try:
        _refuse_large(file)
        with zipfile.ZipFile(file) as archive:
            members = sorted((_name(one), one) for one in archive.infolist() if not one.is_dir())
            shown = [(inner, one) for inner, one in members if not _is_hidden(PurePosixPath(inner))]
            if not shown:
                raise Unreadable("missing")
            for inner, one in shown:
                yield from _member(archive, one, f"{name}{WITHIN}{inner}", budget, depth, student or _student(inner))
    except Unreadable as problem:
        yield Handed(name, student, problem)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error, zlib.error, EOFError):
        yield Handed(name, student, Unreadable("zip"))


def _member(
    archive: zipfile.ZipFile, one: zipfile.ZipInfo, name: str, budget: _Budget, depth: int, student: str
) -> Iterator[Handed]:
    try:
        if one.flag_bits & 1:
            raise Unreadable("locked")
        with archive.open(one) as file:
            content = file.read(LARGEST + 1)
    except Unreadable as problem:
        yield Handed(name, student, problem)
        return
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, zlib.error, EOFError):
        yield Handed(name, student, Unreadable("zip"))
        return
    budget.take(len(content))
    if len(content) > LARGEST:
        yield Handed(name, student, Unreadable("huge"))
    elif not content.startswith(ZIP):
        yield Handed(name, student, content)
    elif depth == DEPTH:
        yield Handed(name, student, Unreadable("deep"))
    else:
        yield from _members(BytesIO(content), name, budget, depth + 1, student)


def _refuse_large(file: IO[bytes]) -> None:
    """Unreadable if the ZIP, or the list of its files, is larger than a class's is. That list is read at once, so its
    size is looked up before, where Python looks for it."""
    size = file.seek(0, 2)
    if size > LARGEST_ZIP:
        raise Unreadable("many")
    file.seek(max(0, size - 2**16 - 22))
    tail = file.read()
    at = len(tail) - 22
    if not (tail[at : at + 4] == SIGNATURES[0] and tail.endswith(b"\0\0")):
        at = tail.rfind(SIGNATURES[0])
    if at < 0 or len(tail) - at < 22:
        raise Unreadable("zip")
    listed = struct.unpack("<L", tail[at + 12 : at + 16])[0]
    if at >= 76 and tail[at - 20 : at - 16] == SIGNATURES[1]:
        listed = max(listed % 0xFFFFFFFF, struct.unpack("<Q", tail[at - 36 : at - 28])[0])
    if listed > DIRECTORY:
        raise Unreadable("many")
    file.seek(0)


def _name(one: zipfile.ZipInfo) -> str:
    """The name of a file in a ZIP; one that does not say so is in UTF-8 or, from China, in GB 2312."""
    if one.flag_bits & 0x800:
        return one.filename
    for encoding in ("utf-8", "gb2312"):
        try:
            return one.filename.encode("cp437").decode(encoding)
        except UnicodeError:
            continue
    return one.filename
