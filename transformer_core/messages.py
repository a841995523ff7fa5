"""Messages between the app and its worker: a JSON header and raw arrays, each message with its length in front."""

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
    stream.write(b"".join([_LENGTH.pack(len(head)), head, *(array.tobytes() for array in arrays.values())]))
    stream.flush()


def read(stream: IO[bytes]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The next message. EOFError when the other side has closed, also in the middle of a message."""
    head = json.loads(_exactly(stream, _LENGTH.unpack(_exactly(stream, _LENGTH.size))[0]))
    arrays = {}
    for name, dtype, shape in head["arrays"]:
        kind, size = np.dtype(dtype), int(np.prod(shape, dtype=int))
        arrays[name] = np.frombuffer(_exactly(stream, kind.itemsize * size), kind).reshape(shape)
    return head["header"], arrays


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data
