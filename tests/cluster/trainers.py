"""Where actors live."""

import os
import subprocess
from typing import NamedTuple


class Process(NamedTuple):
    pid: int
    parent: int
    command: str


def processes() -> list[Process]:
    listed = subprocess.run(["ps", "-axo", "pid=,ppid=,command="], capture_output=True, text=True, check=True).stdout
    fields = (line.split(None, 2) for line in listed.splitlines())
    return [Process(int(pid), int(parent), command) for pid, parent, command in fields]


def trainers() -> list[int]:
    """The processes of those on this program's own nodes; Ray names them so."""
    found = processes()
    nodes = {process.pid for process in found if process.parent == os.getpid()}
    return [each.pid for each in found if each.parent in nodes and each.command.startswith("ray::Trainer")]
