"""First visits to the app behind a proxy: the cookies that a browser has after them."""

import http.client
from typing import NamedTuple
from urllib.parse import urlsplit

from tests.browser.driver import AGES


class Reply(NamedTuple):
    status: int
    cookies: dict[str, str]
    text: str


def ask(url: str, method: str = "GET", body: bytes = b"", headers: dict[str, str] | None = None) -> Reply:
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.netloc, timeout=AGES / 1000)
    try:
        connection.request(method, address.path or "/", body, headers or {})
        answer = connection.getresponse()
        set_ = [value.partition(";")[0] for value in answer.headers.get_all("Set-Cookie", [])]
        return Reply(answer.status, dict(one.split("=", 1) for one in set_), answer.read().decode())
    finally:
        connection.close()


def first_visit(url: str) -> dict[str, str]:
    """The cookies of a browser that has opened its first page here: the proxy's, and the app's against forgeries."""
    first = ask(url).cookies
    header = {"Cookie": "; ".join(f"{name}={value}" for name, value in first.items())}
    return first | ask(f"{url}/_stcore/health", headers=header).cookies


def written(cookies: dict[str, str]) -> str:
    return "; ".join(f"{name}={value}" for name, value in cookies.items())
