"""Messages between the app and a worker: a JSON header and raw arrays, each message with its length in front."""

import json
import struct
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

_LENGTH = struct.Struct(">I")


def write(stream: IO[bytes], header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Send one message and flush."""
    shapes = [[name, array.dtype.str, array.shape] for name, array in arrays.items()]
    head = json.dumps({"header": header, "arrays": shapes}).encode()
    stream.write(_LENGTH.pack(len(head)) + head)
    for array in arrays.values():
        stream.write(np.ascontiguousarray(array).data)  # as it lies in memory: weights may be large
    stream.flush()


def read(stream: IO[bytes]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The next message; its arrays are the reader's own. EOFError when the other side has closed, also within one."""
    head = json.loads(_exactly(stream, _LENGTH.unpack(_exactly(stream, _LENGTH.size))[0]))
    arrays = {}
    for name, dtype, shape in head["arrays"]:
        kind, size = np.dtype(dtype), int(np.prod(shape, dtype=int))
        arrays[name] = np.frombuffer(_exactly(stream, kind.itemsize * size), kind).reshape(shape)
    return head["header"], arrays


def _exactly(stream: IO[bytes], count: int) -> bytearray:
    data = bytearray(count)
    if stream.readinto(data) < count:  # type: ignore[attr-defined]  # typing.IO leaves out what all binary streams have
        raise EOFError
    return data
