"""nginx and Caddy before servers of the app, on free local ports, with the configurations of `deploy`.

Only what a test must have otherwise is put in their place: ports, folders, and the servers.
"""

import getpass
import http.client
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from tests import programs
from tests.browser.driver import AGES, ROOT, Server, running

DEPLOY = ROOT / "deploy"
COOKIE = "glassformer"
TRIES = 5  # ports: another process may take one that was free
SERVER = (sys.executable, "-m", "ui.command", "--port=0", "--address=127.0.0.1", "--headless")
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


class Command(NamedTuple):
    words: Sequence[str]
    environment: Mapping[str, str]


Make = Callable[[Path, int, Sequence[str], str], Command]


def program(name: str) -> str:
    found = programs.program(name)
    if found is None:
        raise FileNotFoundError(programs.sentence([name]))
    return found


def put(text: str, old: str, new: str) -> str:
    """The text with its only `old` replaced."""
    assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
    return text.replace(old, new)


def nginx(folder: Path, port: int, servers: Sequence[str], base: str = "") -> Command:
    """The command that runs nginx in `folder`, which gets its configuration; its workers are this user's."""
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    lines = re.findall(r"^\t\tserver \S+ .*;$", text, re.MULTILINE)
    named = [re.sub(r"server \S+", f"server {server}", lines[0]) for server in servers]
    text = put(text, "\n".join(lines), "\n".join(named))
    text = put(text, "user www-data;", f"user {getpass.getuser()};")
    text = put(text, "listen 80;", f"listen 127.0.0.1:{port};")
    text = put(text, "/var/log/nginx/glassformer.log", str(folder / "access.log"))
    text = put(text, "/var/cache/nginx-glassformer", str(folder / "cache"))
    folders = "\n".join(f"\t{name}_temp_path {folder / name};" for name in TEMPORARY)
    text = put(text, "\nhttp {\n", f"\nhttp {{\n{folders}\n")
    (folder / "nginx.conf").write_text(text, encoding="utf-8")
    here = f"pid {folder / 'pid'}; daemon off;"
    return Command(
        [program("nginx"), "-p", str(folder), "-c", "nginx.conf", "-e", str(folder / "error.log"), "-g", here], {}
    )


def caddy(folder: Path, port: int, servers: Sequence[str], base: str = "") -> Command:
    """The command that runs Caddy with what it keeps in `folder`; all else its environment says."""
    text = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    options = "{\n\tadmin off\n\tdefault_bind 127.0.0.1\n}\n"
    (folder / "Caddyfile").write_text(options + text, encoding="utf-8")
    environment = {
        "GLASSFORMER_SITE": f"http://127.0.0.1:{port}",
        "GLASSFORMER_SERVERS": " ".join(servers),
        "STREAMLIT_SERVER_BASE_URL_PATH": base,
        "XDG_CONFIG_HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
    }
    words = [program("caddy"), "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]
    return Command(words, environment)


PROXIES: dict[str, Make] = {"nginx": nginx, "caddy": caddy}


@contextmanager
def replicas(count: int, base: str = "") -> Iterator[list[Server]]:
    """So many servers of the app, begun as in its image, with the same secret, below the path `base`."""
    environment = {"STREAMLIT_SERVER_COOKIE_SECRET": "the same for all", "STREAMLIT_SERVER_BASE_URL_PATH": base}
    with ExitStack() as stack:
        yield [stack.enter_context(running(SERVER, environment=environment)) for _ in range(count)]


@contextmanager
def before(servers: Sequence[Server], proxy: str = "nginx") -> Iterator[str]:
    """Run a proxy before these servers for as long as the block lasts; the address of the app there."""
    said, base = "", urlsplit(servers[0].url).path
    for _ in range(TRIES):
        with tempfile.TemporaryDirectory() as name:
            folder, port = Path(name), _free_port()
            command = PROXIES[proxy](folder, port, [urlsplit(server.url).netloc for server in servers], base)
            with (
                (folder / "log").open("w") as log,
                subprocess.Popen(
                    command.words,
                    env={**os.environ, **command.environment},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                ) as process,
            ):
                try:
                    if _up(process, port):
                        yield f"http://127.0.0.1:{port}{base}"
                        return
                    said = "".join(path.read_text() for path in folder.glob("*log"))
                finally:
                    _end(process)
    raise RuntimeError(f"{proxy} did not start:\n{said}")


def _free_port() -> int:
    with socket.socket() as port:
        port.bind(("127.0.0.1", 0))
        number: int = port.getsockname()[1]
        return number


def _up(process: subprocess.Popen[bytes], port: int) -> bool:
    """Whether it answers there before it ends."""
    for _ in range(AGES // 100):
        if process.poll() is not None:
            return False
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=AGES / 1000)
        try:
            connection.request("GET", "/metrics")  # which it answers by itself
            return connection.getresponse().status == 404
        except OSError:
            time.sleep(0.1)
        finally:
            connection.close()
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
