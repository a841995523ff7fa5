"""What stands before Streamlit's own application: its page under our name, its files compressed, and metrics; and what
is done before it serves."""

import asyncio
import gzip
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, MutableMapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs

import brotli
import streamlit
import streamlit as st
from streamlit import config

from ui import process_setup
from ui.browser_files import served
from ui.chapters import contents
from ui.frame.navigation import told_beforehand
from ui.frame.search import entries_file
from ui.host import index_page, metrics
from ui.host.index_page import IndexPage
from ui.model.shipped import boot
from ui.script import ASSETS
from ui.settings.chapters import BESIDE, CHAPTERS, MAP
from ui.text import languages

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
QUICK: Mapping[str, Callable[[bytes], bytes]] = {  # of a page, which is made for each who asks
    "br": partial(brotli.compress, quality=5),
    "gzip": partial(gzip.compress, compresslevel=6, mtime=0),
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


FOR_EVER = "public, immutable, max-age=31536000"  # their names change with their content
A_DAY = "public, max-age=86400"
HTML = "text/html; charset=utf-8"

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]


def around(when_up: Callable[[], object] = lambda: None) -> dict[str, Any]:
    """What `st.App` takes beside its script. `when_up` is called once, before the first reader can come: the port is
    known by then."""

    @asynccontextmanager
    async def begin(_: st.App) -> AsyncIterator[None]:
        """Where a model is missing or damaged the server ends here, so that no host takes it for a good one."""
        await asyncio.to_thread(_boot)
        told_beforehand()
        process_setup.send_at_once()  # by now the port is there
        logging.getLogger("uvicorn.access").handlers.clear()  # a line for each address, with what is typed in it
        when_up()
        yield

    return {"lifespan": begin, "middleware": [(BeforeStreamlit, (), {})]}  # as Starlette takes it apart


class BeforeStreamlit:
    """Answers what is ours, and leaves everything else to Streamlit."""

    def __init__(self, app: Application, files: Files | None = None) -> None:
        self._app = app
        self._files = files or Files(ours=served)
        self._index = IndexPage((FOLDER / "index.html").read_text(encoding="utf-8"))

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        asked = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if not asked or not await self._answered(scope, send):
            await self._app(scope, receive, send)

    async def _answered(self, scope: Message, send: Send) -> bool:
        base, address = _split(scope)
        headers = dict(scope["headers"])
        if address == "/metrics" and metrics.are_wanted():
            text = await asyncio.to_thread(metrics.report)
            await _answer(send, scope, metrics.KIND, text.encode(), _cache_control("no-store"))
        elif (name := address.removeprefix("/")) in index_page.FILES:
            picture = await asyncio.to_thread((ASSETS / name).read_bytes)
            await _answer(send, scope, index_page.FILES[name], picture, _cache_control(A_DAY))
        elif name in index_page.PAGES:
            page, coding = self._page(scope, headers, base, index_page.PAGES[name]).encode(), _coding(headers)
            more = [*_cache_control("no-cache"), (b"vary", b"Accept-Language, Accept-Encoding")]
            if coding:
                page = QUICK[coding](page)
                more.append((b"content-encoding", coding.encode()))
            await _answer(send, scope, HTML, page, more)
        elif (kind := self._files.kind(address)) and (coding := _coding(headers)):
            packed = await self._files.packed(address, coding)
            more = [(b"content-encoding", coding.encode()), *_cache_control(FOR_EVER), (b"vary", b"Accept-Encoding")]
            await _answer(send, scope, kind, packed, more)
        else:
            return False
        return True

    def _page(self, scope: Message, headers: dict[bytes, bytes], base: str, chapter: str) -> str:
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        lang = index_page.language(query.get("lang", [""])[0], headers.get(b"accept-language", b"").decode("latin-1"))
        own = index_page.own_address(scope.get("scheme", "http"), headers, base)
        return self._index.of(chapter, lang, own, newcomer=set(query) <= {"lang"})


def _boot() -> None:
    """Every chapter first: what is there when the models are, no garbage collection walks through again. Then the files
    of what can be found: a page of another server may ask for them here."""
    for chapter in (MAP, *CHAPTERS, *BESIDE):
        contents(chapter)
    for lang in languages():
        entries_file(lang)
    boot()


def _split(scope: Message) -> tuple[str, str]:
    """Where the app is mounted, with its `server.baseUrlPath`, and the address below that."""
    root = str(scope.get("root_path", ""))
    path = str(scope["path"]).removeprefix(root)
    base = str(config.get_option("server.baseUrlPath")).strip("/")
    below = f"/{base}" if base and (path == f"/{base}" or path.startswith(f"/{base}/")) else ""
    return root + below, path.removeprefix(below)


def _coding(headers: dict[bytes, bytes]) -> str | None:
    """The first of ours that the browser takes; None where it takes none, or wants a part of the file."""
    if b"range" in headers:
        return None
    taken = (each.partition(";") for each in headers.get(b"accept-encoding", b"").decode("latin-1").split(","))
    known = {name.strip().lower() for name, _, quality in taken if not re.fullmatch(r"\s*q=0(\.0*)?\s*", quality)}
    return next((coding for coding in CODINGS if coding in known), None)


def _cache_control(how: str) -> list[tuple[bytes, bytes]]:
    """How long browsers may keep an answer."""
    return [(b"cache-control", how.encode())]


async def _answer(send: Send, scope: Message, kind: str, content: bytes, more: Headers) -> None:
    headers = [(b"content-type", kind.encode()), (b"content-length", str(len(content)).encode()), *more]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": content if scope["method"] == "GET" else b""})
