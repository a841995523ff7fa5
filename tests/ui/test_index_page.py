"""The page that is there before anything has loaded: its name, icon, description and preview."""

import re
import struct
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import brotli
import pytest

from tests.ui.test_host import GZIP, ask
from ui.host.index_page import FILES, PAGES, SIZE, IndexPage, language, own_address
from ui.host.serving import FOLDER, BeforeStreamlit, Files
from ui.script import ASSETS
from ui.text import Words

STREAMLITS = (FOLDER / "index.html").read_text(encoding="utf-8")


class Head(HTMLParser):
    """What a page says of itself."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.said: dict[str, str] = {}
        self.icons: list[str] = []
        self._in_title = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._in_title = tag == "title"
        if tag == "html":
            self.said["lang"] = given["lang"] or ""
        elif tag == "meta" and "content" in given:
            self.said[given.get("name") or given.get("property") or ""] = given["content"] or ""
        elif tag == "link" and "icon" in (given["rel"] or "").split():
            self.icons.append(given["href"] or "")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            assert "title" not in self.said
            self.said["title"] = data
            self._in_title = False


@pytest.fixture
def host(tmp_path: Path) -> BeforeStreamlit:
    async def streamlits_own(scope: object, receive: object, send: object) -> None:
        raise AssertionError("it is ours to answer")

    return BeforeStreamlit(streamlits_own, Files(tmp_path))


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("chapter", PAGES.values())
def test_every_page_says_its_name_and_what_it_is_for(chapter: str, lang: str) -> None:
    head = Head(IndexPage(STREAMLITS).of(chapter, lang, "https://a.example/course")).said
    assert head["title"] == head["og:title"]
    assert head["title"].startswith(Words(chapter, lang)("title"))
    assert head["title"].endswith("Glassformer")
    assert head["lang"] == head["og:locale"] == lang
    assert head["description"] == head["og:description"]
    assert 20 < len(head["description"]) < 200
    assert not re.search(r"[\[\]{}<>]", head["description"])  # no marks of ours are left in it
    assert head["og:url"] == f"https://a.example/course/{'' if chapter == 'map' else chapter}"
    assert head["og:image"] == "https://a.example/course/preview.png"


def test_nothing_else_of_streamlits_page_is_changed() -> None:
    ours = IndexPage(STREAMLITS).of("map", "en")
    assert Head(ours).icons == ["./icon.svg"]
    assert "Streamlit</title>" not in ours
    lines = [line for line in STREAMLITS.splitlines() if "<title>" not in line and "shortcut icon" not in line]
    assert [line for line in lines if line not in ours] == []


def test_a_request_is_answered_in_its_language_with_whole_addresses(host: BeforeStreamlit) -> None:
    status, headers, body = ask(host, "/masks", GZIP | {"accept-language": "zh-TW,zh;q=0.9", "host": "b.example:8501"})
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert (headers["cache-control"], headers["vary"]) == ("no-cache", "Accept-Language, Accept-Encoding")
    head = Head(brotli.decompress(body).decode())
    assert head.said["lang"] == "zh"
    assert head.said["og:url"] == "http://b.example:8501/masks"
    linked = ask(host, "/masks", {"accept-language": "zh"}, query_string=b"lang=en")[2]
    assert Head(linked.decode()).said["lang"] == "en"


def test_below_a_base_path_so_are_its_addresses(host: BeforeStreamlit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.host.serving.config.get_option", {"server.baseUrlPath": "/class/"}.get)
    for path in ("/class", "/class/"):
        said = Head(ask(host, path, {"host": "b.example"})[2].decode()).said
        assert (said["og:url"], said["og:image"]) == ("http://b.example/class/", "http://b.example/class/preview.png")


@pytest.mark.parametrize("name", FILES)
def test_its_icon_and_preview_are_files_that_browsers_keep(host: BeforeStreamlit, name: str) -> None:
    status, headers, body = ask(host, f"/{name}")
    assert (status, headers["content-type"]) == (200, FILES[name])
    assert headers["cache-control"].startswith("public")
    assert body == (ASSETS / name).read_bytes()


def test_the_icon_is_a_picture_and_the_preview_has_the_size_that_is_said() -> None:
    assert ElementTree.parse(ASSETS / "icon.svg").getroot().tag.endswith("svg")
    png = (ASSETS / "preview.png").read_bytes()
    assert struct.unpack(">II", png[16:24]) == SIZE
    assert len(png) < 300_000


@pytest.mark.parametrize(
    ("chosen", "accepted", "lang"),
    [
        ("zh", "en", "zh"),
        ("", "zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("", "en;q=0.5, ZH-tw", "zh"),
        ("xx", "fr, en;q=0.3, zh;q=0.4", "zh"),
        ("", "zh;q=0, en;q=0.1", "en"),
        ("", "zh;q=many", "en"),
        ("", "fr", "en"),
        ("", "", "en"),
    ],
)
def test_the_language_is_the_links_or_else_the_first_of_ours_that_the_browser_takes(
    chosen: str, accepted: str, lang: str
) -> None:
    assert language(chosen, accepted) == lang


@pytest.mark.parametrize("host", ["", "a b", 'x"><script>', "a.example/path", "user@a.example", "a.example:port"])
def test_a_host_that_is_none_is_not_repeated(host: str) -> None:
    assert own_address("http", {b"host": host.encode()}, "/class") == ""
    said = Head(IndexPage(STREAMLITS).of("map", "en", "")).said
    assert "og:image" not in said
    assert "og:url" not in said


@pytest.mark.parametrize("host", ["a.example", "127.0.0.1:8501", "[::1]:8501"])
def test_any_other_is(host: str) -> None:
    assert own_address("https", {b"host": host.encode()}, "/class") == f"https://{host}/class"
