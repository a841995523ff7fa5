"""`glassformer` opens the app, from any folder; from the sources, `python -m ui.command` does the same.

    glassformer --port 8600 --lang zh --model translate --present

It serves `ui.host`. Options that it does not know are Streamlit's: `--server.baseUrlPath class`.
"""

import argparse
import os
import signal
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlencode, urlsplit

if TYPE_CHECKING:
    from transformer_core.shell import Parser

ROOT = Path(__file__).resolve().parents[1]  # with the app, and Streamlit's settings for it
APP = ROOT / "app.py"


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(128 + number))  # all imports are still to come
    sys.path.insert(0, str(ROOT))  # for who comes by `glassformer.ui.command`

    from transformer_core import shell

    shell.run(partial(serve, arguments))


def serve(arguments: Sequence[str] | None = None) -> int:
    """Until the reader ends it. SystemExit if that cannot be."""
    parser = _parser()
    said, others = parser.parse_known_args(arguments)
    try:
        options = _options_of_streamlit([*others, *_flags(said)])
    except Exception as problem:  # the parser's own, which says what is wrong
        parser.error(str(problem))
    if trouble := _trouble_at(options.get("server.address") or "", options.get("server.port") or 0):
        parser.refuse(trouble)
    sys.argv = [str(APP)]  # beside it Streamlit looks for .streamlit/config.toml

    import streamlit as st

    from ui.host import around

    st.App(APP, **around(partial(_show, _link(said), said.headless))).run(config=options)
    return 0


def _parser() -> "Parser":
    from transformer_core.shell import Parser
    from ui.settings.fields import OneOf
    from ui.settings.frame import Frame
    from ui.text import languages

    model = Frame.kinds()["model"]
    assert isinstance(model, OneOf)
    parser = Parser(
        "glassformer",
        description="Open Glassformer: a Transformer that you can see through, in the browser.",
        epilog="Options of `streamlit run` are taken too (--server.baseUrlPath), and its environment variables.",
    )
    parser.add_argument("--port", type=int, metavar="N", help="the port to serve at (8501, or the next one free)")
    parser.add_argument("--address", metavar="A", help="the address to listen at; 127.0.0.1 is this machine alone")
    parser.add_argument("--headless", action="store_true", help="open no browser")
    opened = parser.add_argument_group("what it opens with")
    opened.add_argument("--lang", choices=languages(), help="the language (that of the browser)")
    named = [each for each in model.options if each not in ("run", "own")]  # which need more than a name
    opened.add_argument("--model", choices=named, help="the model at hand")
    opened.add_argument("--present", action="store_true", help="lecture mode, for a projector")
    return parser


def _flags(said: argparse.Namespace) -> list[str]:
    given = {"--server.port": said.port, "--server.address": said.address}
    return [f"{flag}={value}" for flag, value in given.items() if value is not None]


def _options_of_streamlit(flags: Sequence[str]) -> Mapping[str, Any]:
    from streamlit.web.cli import main_run

    said = main_run.make_context("glassformer", [*flags, str(APP)]).params
    if said.pop("target") != str(APP) or said.pop("args"):
        raise ValueError("options are all that it takes")
    return {name.replace("_", "."): value for name, value in said.items() if value not in (None, ())}


def _trouble_at(address: str, port: int) -> str:
    """Why nobody can listen at this port of this address, if so; "" is every address, and 0 any port."""
    if not 0 <= port <= 65_535:
        return f"there is no port {port}; ports are 1 to 65535"
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as tried:
        if os.name != "nt":
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((address, port))
        except OSError as problem:
            where = ", ".join([address] * bool(address) + [f"port {port}"] * bool(port))
            return f"cannot listen at {where}: {problem.strerror}"
    return ""


def _link(said: argparse.Namespace) -> str:
    """What the opening link adds to the address."""
    settings = {"lang": said.lang, "model": said.model, "present": "1" if said.present else None}
    query = urlencode({name: value for name, value in settings.items() if value is not None})
    return f"/?{query}" if query else ""


def _show(link: str, headless: bool) -> None:
    """Say with what the app opens, and open it where there is a browser."""
    from streamlit import config
    from streamlit.web.server import server_util

    address = server_util.get_display_address(config.get_option("server.address") or "localhost")
    url = server_util.get_url(address) + link
    if link:
        print(f"  To open: {url}\n", flush=True)
    if not headless and not config.get_option("server.headless"):
        threading.Thread(target=_open, args=(url,), daemon=True).start()


def _open(url: str) -> None:
    at = urlsplit(url)
    while True:
        try:
            socket.create_connection((at.hostname or "", at.port or 80)).close()
            break
        except OSError:
            time.sleep(0.1)
    webbrowser.open(url)


if __name__ == "__main__":
    main()
