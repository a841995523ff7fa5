"""What stands before Streamlit's own application: compressed files and metrics; and what is done before it serves."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import config

from ui.chapters import contents
from ui.host import metrics
from ui.host.files import Files
from ui.model.boot import boot
from ui.server import process
from ui.settings.chapters import BESIDE, CHAPTERS, MAP

ROOT = Path(__file__).resolve().parents[2]
FOR_EVER = "public, immutable, max-age=31536000"  # their names change with their content

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Host(st.App):
    """`when_up` is called once, before the first reader can come: the port is known by then."""

    def __init__(self, script: Path = ROOT / "app.py", when_up: Callable[[], object] = lambda: None) -> None:
        super().__init__(script, lifespan=self._begin)
        self.when_up = when_up
        self._files = Files()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            address, headers = _address(scope), dict(scope["headers"])
            if address == "/metrics" and metrics.are_wanted():
                content = await asyncio.to_thread(metrics.told)
                await _answer(send, scope, metrics.KIND, content.encode(), [(b"cache-control", b"no-store")])
                return
            kind = self._files.kind(address)
            if kind and b"gzip" in headers.get(b"accept-encoding", b"") and b"range" not in headers:
                packed = await self._files.packed(address)
                more = [(b"content-encoding", b"gzip"), (b"cache-control", FOR_EVER.encode())]
                await _answer(send, scope, kind, packed, [*more, (b"vary", b"Accept-Encoding")])
                return
        await super().__call__(scope, receive, send)

    @asynccontextmanager
    async def _begin(self, _: st.App) -> AsyncIterator[None]:
        """Where a model is missing or damaged the server ends here, so that no host takes it for a good one."""
        await asyncio.to_thread(_boot)
        process.send_at_once()  # by now the port is there
        logging.getLogger("uvicorn.access").handlers.clear()  # a line for each address, with what is typed in it
        self.when_up()
        yield


def _boot() -> None:
    """Every chapter first: what is there when the models are, no garbage collection walks through again."""
    for chapter in (MAP, *CHAPTERS, *BESIDE):
        contents(chapter)
    boot()


def _address(scope: Message) -> str:
    """The path below where the app is mounted, and below its `server.baseUrlPath`."""
    path = str(scope["path"]).removeprefix(str(scope.get("root_path", "")))
    base = str(config.get_option("server.baseUrlPath")).strip("/")
    return path.removeprefix(f"/{base}") if base else path


async def _answer(send: Send, scope: Message, kind: str, content: bytes, more: Iterable[tuple[bytes, bytes]]) -> None:
    headers = [(b"content-type", kind.encode()), (b"content-length", str(len(content)).encode()), *more]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": content if scope["method"] == "GET" else b""})
