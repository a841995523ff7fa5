"""Streamlit's own scripts and styles, compressed once for all readers.

Streamlit sends them as they are, for it would compress them anew for each reader and leaves that to a proxy. Here each
is compressed when it is first asked for, and kept: what a first visit needs of them takes 0.7 MB instead of 2.7.
"""

import asyncio
import gzip
from pathlib import Path

import streamlit

FOLDER = Path(streamlit.__file__).parent / "static"
KINDS = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}


class Files:
    """By their addresses, `/static/js/index.js`. To be asked by one event loop."""

    def __init__(self, folder: Path = FOLDER) -> None:
        found = [path for path in (folder / "static").rglob("*") if path.suffix in KINDS]
        self._paths = {f"/{path.relative_to(folder).as_posix()}": path for path in found}
        self._packed: dict[str, asyncio.Task[bytes]] = {}

    def kind(self, address: str) -> str | None:
        """What is there, as a browser names it; None if it is nothing of ours to compress."""
        path = self._paths.get(address)
        return None if path is None else KINDS[path.suffix]

    async def packed(self, address: str) -> bytes:
        """Its content for who takes gzip."""
        if address not in self._packed:
            self._packed[address] = asyncio.create_task(asyncio.to_thread(_pack, self._paths[address]))
        return await asyncio.shield(self._packed[address])  # who leaves does not take it from the others


def _pack(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), mtime=0)
