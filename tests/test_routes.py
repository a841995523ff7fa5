"""What a server answers besides pages: whether it lives, what it holds, and to whom it gives no answer; and files."""

import http.client
import tomllib
import uuid
from collections.abc import Mapping
from contextlib import ExitStack
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from websockets import InvalidStatus, Origin, Subprotocol
from websockets.sync.client import connect

from tests.browser.driver import AGES, ROOT, Server, serving
from tests.wire import Reader
from ui.training_service.memory_budget import MB, SENT
from ui.upload_limits import FILES, OWN
from ui.uploads import MOST

STRANGER = Origin("http://elsewhere.example")


class Reply(NamedTuple):
    status: int
    kind: str
    cookie: str
    text: str
    allowed: str | None
    framing: tuple[str | None, str | None]  # what forbids a page of another site to show it in a frame


def ask(server: Server, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Reply:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=AGES / 1000)
    try:
        connection.request(method, path, body, dict(headers or {}))
        answer = connection.getresponse()
        text = answer.read().decode()
        kind, cookie = answer.getheader("Content-Type", ""), answer.getheader("Set-Cookie", "").partition(";")[0]
        framing = answer.getheader("X-Frame-Options"), answer.getheader("Content-Security-Policy")
        return Reply(answer.status, kind, cookie, text, answer.getheader("Access-Control-Allow-Origin"), framing)
    finally:
        connection.close()


def session_of(reader: Reader) -> str:
    (new,) = [message.new_session for message in reader.opened.messages if message.HasField("new_session")]
    return new.initialize.session_id


def put(server: Server, reader: Reader, size: int, cookie: str, name: str = "", token: str | None = None) -> int:
    """Send a file of so many bytes to a reader's session, as its page would; the status."""
    around = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f.pt"\r\n\r\n', b"\r\n--x--\r\n"
    headers = {
        "Content-Type": "multipart/form-data; boundary=x",
        "Cookie": cookie,
        "X-Xsrftoken": cookie.partition("=")[2] if token is None else token,
    }
    path = f"/_stcore/upload_file/{session_of(reader)}/{name or uuid.uuid4()}"
    return ask(server, "PUT", path, bytes(size).join(around), headers).status


def held(server: Server) -> int:
    """Bytes of all files that the server holds, by its own account."""
    lines = ask(server, "GET", "/_stcore/metrics").text.splitlines()
    return sum(int(line.split()[-1]) for line in lines if "UploadedFileManager" in line)


def test_it_says_that_it_lives_and_what_it_holds_at_the_addresses_of_the_readme(server: Server) -> None:
    alive = ask(server, "GET", "/_stcore/health")
    assert (alive.status, alive.text) == (200, "ok")
    with Reader(server.url, "teachers"):
        metrics = ask(server, "GET", "/_stcore/metrics")
    assert metrics.status == 200
    assert metrics.kind.startswith("application/openmetrics-text")
    assert "active_sessions" in metrics.text
    assert metrics.text.rstrip().endswith("# EOF")


def test_a_probe_of_a_wrong_address_passes_as_the_readme_says(server: Server) -> None:
    wrong = ask(server, "GET", "/healthz")
    assert wrong.status == 200
    assert wrong.kind.startswith("text/html")


def test_protection_is_written_down_and_not_left_to_a_default() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["server"]
    assert settings["enableXsrfProtection"] is True
    assert settings["enableCORS"] is True


def test_pages_of_other_sites_get_no_answer(server: Server) -> None:
    assert ask(server, "GET", "/_stcore/health", headers={"Origin": STRANGER}).allowed in (None, server.url)
    with (
        pytest.raises(InvalidStatus, match="403"),
        connect(
            f"{server.url.replace('http', 'ws', 1)}/_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            origin=STRANGER,
            proxy=None,
        ),
    ):
        pass


def test_a_file_is_taken_only_with_the_cookies_secret(server: Server) -> None:
    cookie = ask(server, "GET", "/_stcore/health").cookie
    with Reader(server.url, "teachers", {"lang": "en"}) as reader:
        assert put(server, reader, 10, cookie, token="") == 403
        assert put(server, reader, 10, cookie, token="2|00000000|00|1") == 403
        assert put(server, reader, 10, cookie) == 204
        assert put(server, reader, MOST, cookie) == 204  # with what is sent around it
        assert put(server, reader, MOST + 2 * MB, cookie) == 413


def test_files_that_no_page_reads_are_held_up_to_a_limit_of_a_session_and_of_all() -> None:
    """A server of its own: what it says that it holds, it knows for some seconds."""
    small, large = 3 * MB, 7 * MB
    with serving("app.py") as server, ExitStack() as tabs:
        cookie = ask(server, "GET", "/_stcore/health").cookie
        first, *others = [
            tabs.enter_context(Reader(server.url, "teachers", {"lang": "en"})) for _ in range(SENT // OWN + 2)
        ]
        for _ in range(FILES + 4):
            assert put(server, first, small, cookie) == 204
        for other in others:
            for _ in range(OWN // large):
                assert put(server, other, large, cookie) == 204
        of_first = OWN // small * small
        assert held(server) == of_first + (SENT - of_first) // large * large
        assert [tab.rerun().exceptions for tab in (first, *others)] == [[] for _ in range(1 + len(others))]


@pytest.mark.parametrize("path", ["/", "/attention?only=stages&embed=true"])
def test_a_page_of_another_site_may_show_it_in_a_frame(server: Server, path: str) -> None:
    reply = ask(server, "GET", path)
    assert reply.status == 200
    assert reply.framing == (None, None)
