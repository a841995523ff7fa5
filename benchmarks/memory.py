"""What the app keeps in memory, in processes of its own: the server, and the workers that train. Linux only.

python -m benchmarks.memory [--json]
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import sync_playwright

from benchmarks.table import Row, report
from tests.browser.driver import AGES, ROOT, launch, serving, settle
from transformer_core.training.config import TrainConfig
from ui.settings.chapters import CHAPTERS
from ui.training_service.local_engine import COMMAND
from ui.training_service.memory_budget import BOTH, OWN
from ui.training_service.runs import Runs

TORCH = "a process that imported torch"


class Megabytes(NamedTuple):
    """What a process holds: pages of its own, and pages of files, which processes share and the system may drop."""

    own: float
    files: float

    @property
    def resident(self) -> float:
        return self.own + self.files


def held(pid: int) -> Megabytes:
    said = Path(f"/proc/{pid}/smaps_rollup").read_text()
    resident, own = (int(re.findall(rf"^{name}: +(\d+) kB", said, re.MULTILINE)[0]) for name in ("Rss", "Anonymous"))
    return Megabytes(own / 1024, (resident - own) / 1024)


def after_import(module: str) -> Megabytes:
    program = f"import sys, {module}; print(flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        return held(process.pid)  # leaving the block closes its stdin, which ends it


def of_server() -> tuple[Megabytes, Megabytes]:
    """After the map, and after every chapter."""
    with sync_playwright() as playwright, serving("app.py") as server:
        browser = launch(playwright)
        seen = []
        for chapter in ["", *CHAPTERS]:
            page = browser.new_page()
            page.set_default_timeout(AGES)
            page.goto(f"{server.url}/{chapter}?lang=en")
            settle(page)
            seen.append(held(server.pid))
            page.close()
        browser.close()
    return seen[0], seen[-1]


def of_worker() -> Megabytes:
    """After a run with the default settings."""
    runs = Runs()
    try:
        run = runs.start(TrainConfig())
        runs.wait(run, lambda seen: not seen.active, AGES / 1000)
        return held(runs._records[run].worker.pid)
    finally:
        runs.close()


def idle() -> list[Row]:
    if not Path("/proc/self/smaps_rollup").exists():
        return []
    floor, waiting, trained = after_import("torch"), after_import(COMMAND[-1]), of_worker()
    server, visited = of_server()
    together = visited.own + trained.own + max(visited.files, trained.files)
    named = {
        "server after the map": server.resident,
        "server after every chapter": visited.resident,
        "worker before its first run": waiting.resident,
        "worker after a run": trained.resident,
    }
    return [
        *(Row(name, value, "MB", TORCH, value / floor.resident) for name, value in named.items()),
        Row(
            "server and one worker, shared files once", together, "MB", TORCH, together / floor.resident, f"< {BOTH} MB"
        ),
        Row("each further worker, of its own", trained.own, "MB", TORCH, trained.own / floor.resident, f"< {OWN} MB"),
    ]


if __name__ == "__main__":
    report(__doc__, idle)
