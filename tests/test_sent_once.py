"""What a server sends of a page by its socket: numbers and words, a story once; the rest are files."""

import gzip
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.browser.driver import Server, serving
from tests.wire import Answer, Reader
from ui.frame import search
from ui.frame.style import SCRIPTS, SHEETS
from ui.script import ASSETS, script
from ui.text import LANGUAGES

STORY = "tokens.story"
NEWCOMER = {"lang": "en", "model": "translate", "scene": "2"}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("app.py", environment={"STREAMLIT_SERVER_BASE_URL_PATH": "/course"}) as server:
        yield server


def story(answer: Answer) -> dict[str, Any]:
    found: dict[str, Any]
    (found,) = [one for sent in answer.shown("bidi_component") for one in json.loads(sent.json) if "scenes" in one]
    return found


def beats(answer: Answer) -> list[bool]:
    """Of each scene that is sent: whether its beats are."""
    scenes = story(answer)["scenes"]
    return [isinstance(scene["wide"], list) for scene in json.loads(scenes)] if scenes else []


def lacks(reader: Reader, name: str) -> Answer:
    """What a browser is told that says that it lacks scenes of this story."""
    widget = reader.widgets[STORY]
    heard = json.dumps([{"event": "lacks", "value": name}])
    message = reader.client_state(widget.fragment)
    message.rerun_script.widget_states.widgets.append(
        WidgetState(id=_make_trigger_id(widget.id, "events"), json_trigger_value=heard)
    )
    reader.send(message)
    return reader.wait()


@contextmanager
def newcomer(server: Server) -> Iterator[Reader]:
    with Reader(server.url, "tokens", NEWCOMER) as reader:
        yield reader


def test_the_script_of_a_drawing_is_a_file(server: Server) -> None:
    with newcomer(server) as reader:
        drawings = reader.opened.shown("bidi_component")
    for drawing in drawings:
        name = drawing.component_name.removeprefix("glassformer.")
        assert drawing.js_content == ""
        with urlopen(f"{server.url}/_stcore/bidi-components/{drawing.component_name}/{drawing.js_source_path}") as file:
            assert "/javascript" in file.headers["Content-Type"]
            assert file.read().decode() == script(ASSETS / name / f"{name}.js")
    assert {drawing.component_name for drawing in drawings} == {"glassformer.story", "glassformer.matrix"}


def fetched(server: Server, address: str) -> str:
    """A file, as a browser that takes gzip gets it, which may keep it for good."""
    with urlopen(Request(f"{server.url}/{address}", headers={"Accept-Encoding": "gzip"})) as file:
        assert "immutable" in file.headers["Cache-Control"]
        return gzip.decompress(file.read()).decode()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_page_names_the_files_of_its_style_its_program_and_what_can_be_found(server: Server, lang: str) -> None:
    with Reader(server.url, "tokens", {"lang": lang}) as reader:
        (loads,) = [one.body for one in reader.opened.shown("html") if one.unsafe_allow_javascript]
    files = {Path(address).suffix: fetched(server, address) for address in re.findall(r'"\./(_stcore/[^"]+)"', loads)}
    assert len(loads) < 3000
    sheets = "".join((ASSETS / name).read_text(encoding="utf-8") for name in SHEETS)
    assert files[".css"].endswith(sheets)
    fonts = files[".css"].removesuffix(sheets)
    assert fonts.count("@font-face") == len(list((ASSETS / "fonts").glob("*.woff2")))
    assert all(script(ASSETS / name) in files[".js"] for name in SCRIPTS)
    assert json.loads(files[".json"]) == search.found(lang)


def test_a_story_is_sent_once_and_first_the_scene_that_is_told(server: Server) -> None:
    with newcomer(server) as reader:
        assert beats(reader.opened) == [False, True, False, False, False]
        name = story(reader.opened)["name"]
        assert beats(lacks(reader, "another")) == [False, True, False, False, False]
        assert beats(lacks(reader, name)) == [True] * 5
        again = reader.rerun()
        assert (story(again)["name"], beats(again)) == (name, [])
        other = reader.visit("tokens", NEWCOMER | {"src": "two white cats sleep"})
        assert story(other)["name"] != name
        assert beats(other) == [False, True, False, False, False]
        back = reader.visit("tokens", NEWCOMER)
        assert (story(back)["name"], beats(back)) == (name, [])
    with newcomer(server) as reader:
        assert story(reader.opened)["name"] == name, "for all readers of the same"
        assert beats(reader.opened) == [False, True, False, False, False]
