"""Streamlit's own scripts and styles, and our drawings' scripts, compressed once for all readers.

Streamlit sends them as they are, for it would compress them anew for each reader and leaves that to a proxy. Here each
is compressed when it is first asked for, and kept: what a first page needs of them takes 0.45 MB instead of 2.1.
"""

import asyncio
import gzip
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType

import brotli
import streamlit

FOLDER = Path(streamlit.__file__).parent / "static"
KINDS = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
}
CODINGS: Mapping[str, Callable[[bytes], bytes]] = {  # the smaller one first
    "br": partial(brotli.compress, quality=9),  # 11 saves 8 % more, and the first reader waits two seconds for it
    "gzip": partial(gzip.compress, mtime=0),
}


class Files:
    """By their addresses, `/static/js/index.js`. To be asked by one event loop."""

    def __init__(self, folder: Path = FOLDER, ours: Mapping[str, Path] = MappingProxyType({})) -> None:
        found = [path for path in (folder / "static").rglob("*") if path.suffix in KINDS]
        self._paths = {f"/{path.relative_to(folder).as_posix()}": path for path in found}
        self._ours = ours  # more may come
        self._packed: dict[tuple[str, str], asyncio.Task[bytes]] = {}

    def kind(self, address: str) -> str | None:
        """What is there, as a browser names it; None if it is nothing of ours to compress."""
        path = self._path(address)
        return None if path is None else KINDS[path.suffix]

    def _path(self, address: str) -> Path | None:
        return self._paths.get(address) or self._ours.get(address)

    async def packed(self, address: str, coding: str) -> bytes:
        """Its content for who takes this coding, one of CODINGS."""
        key, path = (address, coding), self._path(address)
        assert path is not None
        if key not in self._packed:
            self._packed[key] = asyncio.create_task(asyncio.to_thread(_pack, path, coding))
        return await asyncio.shield(self._packed[key])  # who leaves does not take it from the others


def _pack(path: Path, coding: str) -> bytes:
    return CODINGS[coding](path.read_bytes())
