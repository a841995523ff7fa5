"""The scripts of `assets` without a browser: Deno, which pip brings, runs them, tests them and checks their types."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = {"DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"}


class Ask(Protocol):
    """ask("short", [...]): what the function of that name in tests/asked.js answers."""

    def __call__(self, name: str, *given: Any) -> Any: ...


def deno(command: str, *arguments: str) -> list[str]:
    """The command that runs Deno on files of the project: nothing is fetched."""
    return [sys.executable, "-m", "deno", command, "--no-remote", "--no-npm", "--no-lock", *arguments]


@contextmanager
def asking() -> Iterator[Ask]:
    """One process answers for as long as the block lasts."""
    with subprocess.Popen(
        deno("run", "--no-config", "tests/asked.js"),
        cwd=ROOT,
        env=os.environ | ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        asked, answers = process.stdin, process.stdout
        assert asked
        assert answers

        def ask(name: str, *given: Any) -> Any:
            asked.write(json.dumps({"ask": name, "given": given}, allow_nan=False) + "\n")
            asked.flush()
            answer = json.loads(answers.readline())
            assert "found" in answer, answer["error"]
            return answer["found"]

        yield ask
        asked.close()  # it ends with its questions
