"""The app as `python -m ui.command` serves it: what it sends, what it tells a monitor, and how it ends."""

import gzip
import re
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPResponse
from urllib.request import Request, urlopen

import pytest
from websockets import ConnectionClosed

from tests.browser.driver import AGES, Server, running
from tests.wire import Reader
from ui.host.serving import FOLDER
from ui.text import Words

COMMAND = (sys.executable, "-m", "ui.command", "--port=0", "--address=127.0.0.1", "--headless")
SHORT = {"lang": "en", "steps": "10", "d_model": "8", "h": "2", "batch": "4", "vocab": "7", "length": "6"}


@contextmanager
def hosted(*more: str, **env: str) -> Iterator[Server]:
    with running([*COMMAND, *more], environment=env) as server:
        yield server


@pytest.fixture(scope="module")
def host() -> Iterator[Server]:
    with hosted(GLASSFORMER_METRICS="1", GLASSFORMER_LOG="json") as server:
        yield server


def get(url: str) -> HTTPResponse:
    """As a browser asks."""
    answer: HTTPResponse = urlopen(Request(url, headers={"Accept-Encoding": "gzip"}))
    return answer


def text(page: HTTPResponse) -> str:
    assert page.headers["Content-Encoding"] == "gzip"
    return gzip.decompress(page.read()).decode()


def metrics(server: Server) -> dict[str, float]:
    with get(f"{server.url}/metrics") as answer:
        lines = [line for line in answer.read().decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_what_the_first_page_asks_for_goes_out_compressed(host: Server) -> None:
    with get(host.url) as page:
        needed = re.findall(r'(?:src|href)="\.(/static/(?:js|css)/[^"]+)"', text(page))
    size = 0
    for address in needed:
        with get(f"{host.url}{address}") as answer:
            assert answer.headers["Content-Encoding"] == "gzip"
            size += len(answer.read())
    assert size < sum((FOLDER / address[1:]).stat().st_size for address in needed) / 3


def test_before_it_has_loaded_the_page_has_its_name_icon_and_preview(host: Server) -> None:
    says_who_it_is(host.url)


def says_who_it_is(url: str) -> None:
    with get(f"{url}/masks?lang=en") as page:
        html = text(page)
    assert "<title>Masks · Glassformer</title>" in html
    assert f'<meta property="og:url" content="{url}/masks" />' in html
    for name, kind in (("icon.svg", "image/svg+xml"), ("preview.png", "image/png")):
        with get(f"{url}/{name}") as answer:
            assert answer.headers["Content-Type"] == kind


def test_streamlit_run_serves_the_same(server: Server) -> None:
    """It finds the app in app.py; what it would make of the file by itself has Streamlit's name."""
    says_who_it_is(server.url)
    with Reader(server.url, "masks", {"size": "7"}) as reader:
        assert reader.opened.exceptions == []


def test_a_monitor_sees_readers_reruns_runs_and_memory(host: Server) -> None:
    before = metrics(host)
    with Reader(host.url, "training", SHORT) as reader, Reader(host.url, "masks", {"size": "7"}) as other:
        answer, end = reader.press(Words("training", "en")("start")), time.monotonic() + AGES / 1000
        while not any("step 10 ·" in text.body for text in answer.shown("markdown")) and time.monotonic() < end:
            time.sleep(0.1)
            answer = reader.rerun()
        other.change({"masks:size": 8})
        now = metrics(host)
    counts = {part: f'glassformer_rerun_seconds_count{{part="{part}"}}' for part in ("page", "fragment")}
    assert now["glassformer_readers"] == before["glassformer_readers"] + 2
    assert now[counts["page"]] >= before[counts["page"]] + 2
    assert now[counts["fragment"]] >= before[counts["fragment"]] + 1
    assert now['glassformer_reruns_failed_total{part="page"}'] == 0
    assert now['glassformer_runs{state="done"}'] >= 1
    if sys.platform == "linux":
        assert all(now[f'glassformer_memory_bytes{{process="{process}"}}'] > 1e6 for process in ("server", "workers"))


def test_nothing_of_what_a_reader_does_is_in_the_log(host: Server) -> None:
    with Reader(host.url, "tokens", {"src": "7 7 7 9 9"}) as reader:
        reader.send(b"no message")  # for which the server closes the connection
        with pytest.raises(ConnectionClosed):
            reader.wait()
    log = host.log.read_text()
    assert "7 7 7" not in log
    assert "Traceback" not in log


def test_below_a_base_path_all_of_it_is_there_and_it_ends_when_it_is_told_to_with_readers_before_it_too() -> None:
    with ExitStack() as tabs:
        with hosted("--server.baseUrlPath=course", GLASSFORMER_METRICS="1") as server:
            assert server.url.endswith("/course")
            assert "glassformer_readers" in metrics(server)
            reader = tabs.enter_context(Reader(server.url, "masks", {"size": "7"}))
            assert reader.opened.exceptions == []
        with pytest.raises(ConnectionClosed):  # the block has told it, and waited
            reader.rerun()


def test_a_server_of_the_hosts_own_says_no_more_in_its_log() -> None:
    with running([sys.executable, "-m", "uvicorn", "app:app", "--port=0"]) as server:
        with get(f"{server.url}/tokens?src=7+7+7+9+9") as page:
            assert page.status == 200
        with Reader(server.url, "tokens", {"src": "7 7 7 9 9"}) as reader:
            assert reader.opened.exceptions == []
        assert "7+7+7" not in server.log.read_text()


def test_the_script_of_a_drawing_is_compressed_and_kept(host: Server) -> None:
    with Reader(host.url, "tokens", {"lang": "en"}) as reader:
        drawing = reader.opened.shown("bidi_component")[0]
    with get(f"{host.url}/_stcore/bidi-components/{drawing.component_name}/{drawing.js_source_path}") as file:
        assert file.headers["Content-Encoding"] == "gzip"
        assert "immutable" in file.headers["Cache-Control"]
