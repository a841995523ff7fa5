"""What the command `glassformer` makes of its options, and of Streamlit's."""

import os
import socket
import sys
import webbrowser
from collections.abc import Callable
from typing import Any

import pytest
import streamlit as st

from ui import command, host


class Opened:
    """In the place of the app: what it would be served with, and opened with."""

    def __init__(self) -> None:
        self.when_up: Callable[[], object] = lambda: None
        self.options: dict[str, Any] = {}

    def around(self, when_up: Callable[[], object]) -> dict[str, Any]:
        self.when_up = when_up
        return {}

    def run(self, config: dict[str, Any]) -> None:
        self.options = config
        self.when_up()


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    app = Opened()
    for name in [name for name in os.environ if name.startswith("STREAMLIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(host, "around", app.around)
    monkeypatch.setattr(st, "App", lambda script: app)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr(sys, "argv", ["glassformer"])
    monkeypatch.setattr(command, "_trouble_at", lambda address, port: "")  # whatever listens on this machine
    monkeypatch.setattr(command, "_open", lambda url: pytest.fail(f"a browser for {url}"))
    return app


def test_without_options_the_app_has_its_own_settings(opened: Opened, capsys: pytest.CaptureFixture[str]) -> None:
    command.serve(["--headless"])
    assert opened.options == {}
    assert sys.argv == [str(command.APP)], "beside it Streamlit finds the settings"
    assert capsys.readouterr().out == ""


def test_its_options_are_streamlits_and_the_links(opened: Opened, capsys: pytest.CaptureFixture[str]) -> None:
    command.serve(
        ["--port", "8600", "--address=127.0.0.1", "--lang=zh", "--model", "translate", "--present", "--headless"]
    )
    assert opened.options == {"server.port": 8600, "server.address": "127.0.0.1"}
    assert "/?lang=zh&model=translate&present=1\n" in capsys.readouterr().out


def test_streamlits_options_and_its_environment_are_read_as_by_streamlit(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STREAMLIT_SERVER_ENABLE_CORS", "false")
    monkeypatch.setenv("STREAMLIT_SERVER_COOKIE_SECRET", "which Streamlit reads by itself")
    command.serve(["--headless", "--server.baseUrlPath", "class", "--server.maxUploadSize=3"])
    assert opened.options == {"server.baseUrlPath": "class", "server.maxUploadSize": 3, "server.enableCORS": False}


@pytest.mark.parametrize("wrong", ["--port=many", "--lang=latin", "--model=own", "--serve.port=1", "pages/masks.py"])
def test_what_cannot_be_is_said_and_nothing_is_served(
    opened: Opened, wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        command.serve([wrong])
    assert ended.value.code == 2
    assert "glassformer: " in capsys.readouterr().err
    assert sys.argv == ["glassformer"]


def test_a_browser_is_opened_once_somebody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = list[str]()
    monkeypatch.setattr(webbrowser, "open", shown.append)
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/?lang=zh"
        command._open(url)
    assert shown == [url]
