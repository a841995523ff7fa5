"""What stands before Streamlit's application: its files compressed, and metrics. Its page is in test_index_page.py."""

import asyncio
import gzip
import os
import re
import socket
import sys
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import brotli
import pytest

from ui.host import metrics, serving
from ui.host.serving import FOLDER, BeforeStreamlit, Files, around
from ui.rerun_metrics import Reruns

STATIC = "/static/js/some.js"
GZIP = {"accept-encoding": "br, gzip"}

T = TypeVar("T")


@pytest.fixture
def host(tmp_path: Path) -> BeforeStreamlit:
    """Before a Streamlit that answers everything with 299, and has one script."""

    async def streamlits_own(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 299, "headers": []})
        await send({"type": "http.response.body", "body": b"Streamlit"})

    (tmp_path / "static" / "js").mkdir(parents=True)
    (tmp_path / "static" / "js" / "some.js").write_bytes(b"let a = 1;" * 100)
    (tmp_path / "static" / "js" / "some.woff2").touch()
    return BeforeStreamlit(streamlits_own, Files(tmp_path))


def run(work: Coroutine[Any, Any, T]) -> T:
    """In a thread of its own: that of the tests may have a loop, which drives a browser."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def ask(
    host: BeforeStreamlit, path: str, headers: Mapping[str, str] = GZIP, **more: Any
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("it has no body")

    given = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "GET", "path": path, "headers": given} | more
    run(host(scope, receive, send))
    start, body = sent
    return start["status"], {name.decode(): value.decode() for name, value in start["headers"]}, body["body"]


@pytest.mark.parametrize(
    ("takes", "coding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("BR", "br"),
        ("gzip;q=1.0, br;q=0.5", "br"),
        ("br;q=0, gzip", "gzip"),
        ("gzip", "gzip"),
        ("brotli, gzip", "gzip"),
    ],
)
def test_a_script_goes_out_compressed_for_ever(host: BeforeStreamlit, takes: str, coding: str) -> None:
    asked = {"accept-encoding": takes}
    status, headers, body = ask(host, STATIC, asked)
    assert status == 200
    assert {"br": brotli, "gzip": gzip}[coding].decompress(body) == b"let a = 1;" * 100
    assert headers == {
        "content-type": "text/javascript; charset=utf-8",
        "content-length": str(len(body)),
        "content-encoding": coding,
        "cache-control": files_for_ever(),
        "vary": "Accept-Encoding",
    }
    assert ask(host, STATIC, asked, method="HEAD") == (status, headers, b"")


def files_for_ever() -> str:
    """As Streamlit says it of the same files."""
    from streamlit.web.server.starlette.starlette_server_config import STATIC_ASSET_CACHE_MAX_AGE_SECONDS as SECONDS

    return f"public, immutable, max-age={SECONDS}"


def test_below_a_base_path_and_where_it_is_mounted_it_is_the_same(
    host: BeforeStreamlit, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask(host, f"/there{STATIC}")[0] == 299
    assert ask(host, f"/there{STATIC}", root_path="/there")[0] == 200
    monkeypatch.setattr("ui.host.serving.config.get_option", {"server.baseUrlPath": "/class/"}.get)
    assert ask(host, f"/class{STATIC}")[0] == 200


@pytest.mark.parametrize(
    ("path", "headers", "more"),
    [
        (STATIC, {}, {}),
        (STATIC, {"accept-encoding": "identity"}, {}),
        (STATIC, {"accept-encoding": "br;q=0, gzip; q=0.0"}, {}),
        (STATIC, GZIP | {"range": "bytes=0-9"}, {}),
        (STATIC, GZIP, {"method": "POST"}),
        ("/static/js/none.js", GZIP, {}),
        ("/static/js/../js/some.js", GZIP, {}),
        ("/static/js/some.woff2", GZIP, {}),
        ("/", GZIP, {"method": "POST"}),
        ("/nowhere", GZIP, {}),
        ("/masks/", GZIP, {}),
        ("/_stcore/health", GZIP, {}),
        ("/metrics", GZIP, {}),
    ],
)
def test_everything_else_is_streamlits(host: BeforeStreamlit, path: str, headers: Any, more: Any) -> None:
    assert ask(host, path, headers, **more)[0] == 299


def test_a_file_is_compressed_once_for_all_who_ask(host: BeforeStreamlit, monkeypatch: pytest.MonkeyPatch) -> None:
    done = list[Path]()

    def pack(path: Path, coding: str) -> bytes:
        done.append(path)
        return b"packed"

    monkeypatch.setattr(serving, "_pack", pack)

    async def many() -> list[bytes]:
        return await asyncio.gather(*(host._files.packed(STATIC, "br") for _ in range(30)))

    assert run(many()) == [b"packed"] * 30
    assert len(done) == 1


def test_the_scripts_of_a_first_visit_are_among_those_that_are_compressed() -> None:
    page, known = (FOLDER / "index.html").read_text(encoding="utf-8"), Files()
    needed = re.findall(r'(?:src|href)="\.(/static/(?:js|css)/[^"]+)"', page)
    assert len(needed) > 5
    assert [address for address in needed if known.kind(address) is None] == []


def test_before_it_serves_the_models_are_there_and_its_port_sends_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done = list[str]()
    monkeypatch.setattr("ui.host.serving._boot", lambda: done.append("models"))
    lifespan = around(lambda: done.append("up"))["lifespan"]

    async def begin() -> None:
        async with lifespan(None):
            assert done == ["models", "up"]

    with socket.socket() as port:
        run(begin())
        if sys.platform != "win32":
            assert port.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


LINE = re.compile(r'glassformer_\w+(\{(\w+="[^"]*",?)+\})? -?[\d.e+-]+')


def test_metrics_are_lines_that_prometheus_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    reruns = Reruns()
    with reruns.timed("page"):
        pass
    monkeypatch.setattr(metrics, "all_reruns", reruns)
    monkeypatch.setattr(metrics, "readers", lambda: 3)
    lines = metrics.report().splitlines()
    values = dict(line.rpartition(" ")[::2] for line in lines if not line.startswith("#"))
    assert [line for line in lines if not line.startswith("# ") and not LINE.fullmatch(line)] == []
    assert values["glassformer_readers"] == "3"
    assert values['glassformer_runs{state="waiting"}'] == "0"
    assert values['glassformer_rerun_seconds_bucket{part="page",le="0.025"}'] == "1"
    assert values['glassformer_rerun_seconds_bucket{part="page",le="+Inf"}'] == "1"
    assert values['glassformer_rerun_seconds_count{part="page"}'] == "1"
    assert values['glassformer_rerun_seconds_count{part="fragment"}'] == "0"
    assert values['glassformer_reruns_failed_total{part="page"}'] == "0"


def test_every_metric_says_its_kind_and_what_it_means() -> None:
    told = metrics.report()
    named = {re.sub(r"_(bucket|sum|count)$", "", name) for name in re.findall(r"(?m)^(glassformer_\w+)", told)}
    assert set(re.findall(r"# HELP (\w+) .+\.\n# TYPE \1 (?:gauge|counter|histogram)\n", told)) == named


def test_where_the_system_tells_it_the_memory_of_the_server_and_of_what_it_has_started_is_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(metrics, "_PROC", tmp_path)
    assert metrics.memory() == {}
    assert "memory_bytes" not in metrics.report()
    monkeypatch.setattr(os, "getpid", lambda: 7)
    for process, parent, size in ((7, 1, 100), (8, 7, 20), (9, 7, 3), (10, 8, 50)):
        (tmp_path / str(process)).mkdir()
        (tmp_path / str(process) / "stat").write_text(f"{process} (a (b) c) S {parent} 0")
        (tmp_path / str(process) / "smaps_rollup").write_text(f"Rss: 999 kB\nPss: {size} kB\nPss_Anon: 9 kB\n")
    assert metrics.memory() == {"server": 100 * 1024, "workers": 23 * 1024}


def test_metrics_are_there_on_request_alone(host: BeforeStreamlit, monkeypatch: pytest.MonkeyPatch) -> None:
    for said in ("", "0", "yes"):
        monkeypatch.setenv("GLASSFORMER_METRICS", said)
        assert ask(host, "/metrics")[0] == 299
    monkeypatch.setenv("GLASSFORMER_METRICS", "1")
    status, headers, body = ask(host, "/metrics", {})
    assert (status, headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert body.decode().startswith("# HELP glassformer_readers")
