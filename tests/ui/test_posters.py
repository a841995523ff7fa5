"""What a page shows while it loads: its title, what it is about, and the poster that newcomers before have seen."""

import json
import re
from html import escape
from pathlib import Path
from typing import Any

import pytest

from tests.ui.test_host import ask
from ui.components import posters
from ui.host.serving import BeforeStreamlit, Files
from ui.text import Words

SAID = {"scenes": '[{"sentence": "</script><b>1 < 2</b>"}]', "cue": 0}
MASKS = Words("masks", "en")


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BeforeStreamlit:
    async def streamlits_own(scope: object, receive: object, send: object) -> None:
        raise AssertionError("it is ours to answer")

    monkeypatch.setattr(posters, "_seen", {})
    return BeforeStreamlit(streamlits_own, Files(tmp_path))


def seen_by(page: tuple[str, str] | None, monkeypatch: pytest.MonkeyPatch, said: Any = SAID) -> None:
    monkeypatch.setattr("ui.components.posters.state.arrived", lambda: page)
    posters.note("story", said)


def shown(host: BeforeStreamlit, path: str, query: bytes = b"lang=en") -> tuple[str, Any]:
    """What stands in for the page, and what its script is told."""
    page = ask(host, path, {}, query_string=query)[2].decode()
    told = re.search(r"^.*?arrive\((.*)\);\n", page, re.MULTILINE)
    assert told
    found = re.fullmatch(r'\{program: "(.+?\.js)", message: (.*)\}', told[1])
    assert page.count('<div class="stApp arrival"') == page.count('<div id="root">') == 1
    return page.partition('<div class="stApp arrival"')[2], found and json.loads(found[2])


def test_a_page_that_nobody_has_seen_says_its_title_and_what_it_is_about(host: BeforeStreamlit) -> None:
    page, message = shown(host, "/masks")
    assert escape(MASKS("title")) in page
    assert "<p>" in page.partition("<script>")[0]
    assert message is None


def test_a_newcomer_sees_what_the_newcomer_before_has_seen(
    host: BeforeStreamlit, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen_by(("masks", "en"), monkeypatch)
    page, message = shown(host, "/masks")
    assert message == SAID
    assert 'class="story"' in page
    assert "</script><b>" not in page
    seen_by(("masks", "en"), monkeypatch, {"cue": 9})
    assert shown(host, "/masks")[1] == SAID, "as every newcomer finds it"
    for path, query in (("/heads", b"lang=en"), ("/masks", b"lang=zh"), ("/masks", b"lang=en&size=7")):
        assert shown(host, path, query)[1] is None


def test_what_a_reader_has_made_of_a_page_is_no_poster(host: BeforeStreamlit, monkeypatch: pytest.MonkeyPatch) -> None:
    seen_by(None, monkeypatch)
    assert shown(host, "/masks")[1] is None
