"""Two servers of the app behind nginx and behind Caddy, as `deploy` sets them up."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Request, Response, WebSocket, expect
from websockets import ConnectionClosed

from benchmarks.readers import SEQUENCE, Change, of_a_part
from tests.browser.driver import AGES, PATIENCE, Server, chromium, complaints, saying, settle
from tests.cluster.proxies import COOKIE, DEPLOY, PROXIES, before, replicas
from tests.cluster.visits import ask, first_visit, written
from tests.wire import Reader, state_of
from transformer_core.training.checkpoint import save
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model

BASE = "/course"
READERS = 16
CHAPTERS = ("attention", "heads", "tokens")  # that read a sequence
MOVES = 2  # of each reader before the end of a server, and after
SHORT = 1024  # bytes that need no compression
YEAR = 365 * 24 * 60 * 60
RUN = "d_model:8,h:2,batch:4,steps:20,vocab:7,length:6,seed:11"


@pytest.fixture(scope="module")
def servers() -> Iterator[list[Server]]:
    with replicas(2, BASE) as both:
        yield both


@pytest.fixture(scope="module", params=list(PROXIES))
def url(request: pytest.FixtureRequest, servers: list[Server]) -> Iterator[str]:
    with before(servers, request.param) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A tab of a browser that has never been here. In the end it is asked what went wrong."""
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENCE)
    heard = complaints(page)
    yield page
    faults = heard + page.get_by_test_id("stException").all_inner_texts()
    page.context.close()
    assert faults == []


def cookie_of(page: Page) -> str | None:
    return next((one["value"] for one in page.context.cookies() if one["name"] == COOKIE), None)


def test_a_chapter_opens_and_moves_over_one_websocket_below_a_path(page: Page, url: str) -> None:
    sockets: list[WebSocket] = []
    asked: list[Request] = []
    page.on("websocket", lambda socket: sockets.append(socket))
    page.on("request", lambda request: asked.append(request))
    page.goto(f"{url}/masks?size=6&lang=en")
    settle(page)
    slider = page.get_by_role("slider").first
    assert slider.input_value() == "6"
    slider.focus()
    slider.press("ArrowRight")
    expect(page).to_have_url(saying(f"{BASE}/masks?size=7"))
    settle(page)
    (socket,) = sockets
    assert urlsplit(socket.url).path == f"{BASE}/_stcore/stream"
    assert not socket.is_closed()
    page.get_by_role("link", name="All heads", exact=True).click()
    expect(page).to_have_url(saying(f"{BASE}/heads"))
    settle(page)
    assert not socket.is_closed()
    ours = [one.url for one in asked if one.url.startswith("http")]
    assert [one for one in ours if not f"{one}/".startswith(f"{url}/")] == []


def test_static_files_are_compressed_and_fetched_once(page: Page, url: str) -> None:
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(f"{url}/masks?lang=en")
    settle(page)
    static = [one for one in answers if "/static/" in one.url]
    long = [one for one in static if urlsplit(one.url).path.endswith((".js", ".css")) and len(one.body()) > SHORT]
    assert long
    for answer in static:
        assert "immutable" in answer.headers["cache-control"]
        assert f"max-age={YEAR}" in answer.headers["cache-control"]
    assert {answer.headers.get("content-encoding") for answer in long} <= {"gzip", "zstd", "br"}
    page.reload()
    settle(page)
    fetched = page.evaluate(
        "performance.getEntriesByType('resource').filter(one => one.name.includes('/static/') && one.transferSize > 0)"
        ".map(one => one.name)"
    )
    assert fetched == []


def test_a_browser_stays_on_one_server_and_finds_its_model_file_there(page: Page, url: str, tmp_path: Path) -> None:
    config = TrainConfig.from_dict(TrainConfig().to_dict() | {"d_model": 8, "h": 2, "d_ff": 32})
    file = tmp_path / "mine.safetensors"
    save(file, fresh_model(config).eval(), config, 0)
    page.goto(f"{url}/training?open=own&lang=en")
    settle(page)
    cookie = cookie_of(page)
    assert cookie
    page.locator("input[type=file]").set_input_files(file)
    menu = page.get_by_test_id("stSidebar")
    expect(menu).to_contain_text(f"{file.name}: N = 1", timeout=AGES)
    expect(page).to_have_url(saying("model=own"))
    for _ in range(4):
        settle(page)
        page.reload()
        expect(menu).to_contain_text(f"{file.name}: N = 1", timeout=AGES)
        assert cookie_of(page) == cookie
    settle(page)


def test_the_first_answer_brings_a_cookie_and_what_a_reader_sends_reaches_the_server_of_the_page(url: str) -> None:
    """Another server knows no such session, and refuses."""
    given = set()
    for _ in range(12):
        cookies = first_visit(url)
        given.add(cookies[COOKIE])
        with Reader(url, "teachers", {"lang": "en"}, cookie=written(cookies)) as reader:
            (new,) = [one.new_session for one in reader.opened.messages if one.HasField("new_session")]
            reply = ask(
                f"{url}/_stcore/upload_file/{new.initialize.session_id}/{uuid.uuid4()}",
                "PUT",
                b'--x\r\nContent-Disposition: form-data; name="f"; filename="f.pt"\r\n\r\nhello\r\n--x--\r\n',
                {
                    "Content-Type": "multipart/form-data; boundary=x",
                    "Cookie": written(cookies),
                    "X-Xsrftoken": cookies["_streamlit_xsrf"],
                },
            )
            assert reply.status == 204
    assert len(given) >= 2  # of nginx each has a number, of Caddy each server
    assert COOKIE not in ask(url, headers={"Cookie": written(cookies)}).cookies


def test_figures_for_the_operator_are_not_for_everybody(url: str, servers: list[Server]) -> None:
    assert ask(f"{url}/_stcore/metrics").status == 404
    assert ask(f"{servers[0].url}/_stcore/metrics").status == 200


def test_the_health_check_of_the_image_passes_on_the_app_alone(servers: list[Server]) -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    words = json.loads(re.findall(r"^HEALTHCHECK .* CMD (\[.*\])$", dockerfile, re.MULTILINE)[0])
    assert words[:2] == ["python", "-c"]
    program = words[2].replace("8501", str(urlsplit(servers[0].url).port))

    def passes(base: str) -> bool:
        environment = {**os.environ, "STREAMLIT_SERVER_BASE_URL_PATH": base}
        return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True).returncode == 0

    assert passes(BASE)
    assert not passes(f"{BASE}/elsewhere")
    assert ask(f"{servers[0].url}/healthz").status == 200  # which would have been enough for a check of the status


class Way(NamedTuple):
    """A reader's way past the end of a server."""

    lost: bool  # the connection
    before: dict[str, str]  # the address at that moment
    after: dict[str, str]
    kept: str  # the sentence on the page
    troubles: list[str]


def sentence_of(number: int) -> str:
    return " ".join(["1", *(str(2 + (number * step + step) % 9) for step in range(1, 6))])


def move(changes: Iterator[Change], times: int, troubles: list[str]) -> None:
    for _ in range(times):
        troubles += next(changes)().exceptions


def go(url: str, number: int, opened: threading.Barrier, over: threading.Event) -> Way:
    """Read, moving something all the time; where the server ends, go on with what the address bar says."""
    chapter, cookie = CHAPTERS[number % len(CHAPTERS)], written(first_visit(url))
    link = {"lang": "en", "src": sentence_of(number)}
    with Reader(url, chapter, link, patience=AGES / 1000, cookie=cookie) as reader:
        troubles, changes = reader.opened.exceptions, of_a_part(reader, chapter, number)
        move(changes, MOVES, troubles)
        opened.wait(AGES / 1000)
        try:
            while not over.is_set():
                move(changes, 1, troubles)
            move(changes, MOVES, troubles)
            address = dict(parse_qsl(reader.query))
            return Way(False, address, address, sentence_on(reader), troubles)
        except ConnectionClosed:
            before = dict(parse_qsl(reader.query))
    with Reader(url, chapter, before, patience=AGES / 1000, cookie=cookie) as reader:
        after = dict(parse_qsl(reader.query))
        troubles += reader.opened.exceptions
        move(of_a_part(reader, chapter, number), MOVES, troubles)
        return Way(True, before, after, sentence_on(reader), troubles)


def sentence_on(reader: Reader) -> str:
    state = state_of(reader.widgets[SEQUENCE])
    assert state is not None
    return state.string_value


def figures(url: str, cookie: str = "") -> list[Any]:
    """What the matrices of a link to a run show, once it is trained."""
    link = {"lang": "en", "model": "run", "run": RUN, "step": "20", "src": "1 2 3"}
    with Reader(url, "attention", link, cookie=cookie) as reader:
        answer, end = reader.opened, time.monotonic() + AGES / 1000
        while not any("step 20 · seed 11" in text.body for text in answer.shown("markdown")):
            assert time.monotonic() < end
            time.sleep(0.2)
            answer = reader.rerun()
        assert answer.exceptions == []
        return [shown.SerializeToString() for shown in answer.shown("bidi_component")]


@pytest.mark.parametrize("proxy", list(PROXIES))
def test_when_a_server_dies_its_readers_go_on_with_the_other_by_their_addresses_alone(proxy: str) -> None:
    with replicas(2) as servers, before(servers, proxy) as url, ThreadPoolExecutor(READERS) as hands:
        dying, other = servers
        seen = figures(dying.url)
        opened, over = threading.Barrier(READERS + 1), threading.Event()
        coming = [hands.submit(go, url, number, opened, over) for number in range(READERS)]
        opened.wait(AGES / 1000)
        os.kill(dying.pid, signal.SIGKILL)
        over.set()
        ways = [one.result() for one in coming]
        assert {way.lost for way in ways} == {True, False}
        for number, way in enumerate(ways):
            assert way.troubles == []
            assert way.after == way.before
            assert way.after["src"] == way.kept == sentence_of(number)
        assert figures(url) == seen  # the run is trained again
        assert figures(url, written(first_visit(url))) == figures(other.url) == seen  # and found
