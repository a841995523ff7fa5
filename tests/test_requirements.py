"""Everything that gets installed has a pin, and nothing is installed past the pins."""

import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
DIRECT = ["requirements.txt", "requirements-dev.txt"]
BESIDE = ["requirements-cluster.txt", "requirements-docs.txt"]  # not installed where these tests run
INSTALLERS = ["README.md", "README.zh.md", "Makefile", ".ci/run", ".github/workflows/ci.yml", "deploy/Dockerfile"]


def pins(*names: str) -> list[Requirement]:
    lines = [line for name in names for line in (ROOT / name).read_text().splitlines()]
    return [Requirement(line) for line in lines if not line.startswith(("#", "-"))]


def pinned() -> dict[str, str]:
    """The version of every distribution in constraints.txt that counts on this system."""
    here = [pin for pin in pins("constraints.txt") if pin.marker is None or pin.marker.evaluate()]
    return {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in here}


def brought_along(wanted: Requirement) -> Iterator[Requirement]:
    for text in metadata.requires(wanted.name) or []:
        needed = Requirement(text)
        if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in {"", *wanted.extras}):
            yield needed


def test_all_that_the_requirements_bring_is_installed_as_pinned() -> None:
    found, todo = {}, pins(*DIRECT)
    seen = {str(wanted) for wanted in todo}
    while todo:
        wanted = todo.pop()
        found[canonicalize_name(wanted.name)] = Version(metadata.version(wanted.name)).public
        new = [needed for needed in brought_along(wanted) if str(needed) not in seen]
        seen.update(map(str, new))
        todo += new
    assert len(found) > len(pins(*DIRECT))
    assert found.items() <= pinned().items()


def test_the_pins_of_the_requirements_and_of_the_constraints_are_the_same() -> None:
    """They are not after a requirements file was changed and `make lock` forgotten."""
    assert {str(pin) for pin in pins(*DIRECT, *BESIDE)} <= {str(pin) for pin in pins("constraints.txt")}


def test_every_constraint_is_one_version_from_nowhere_in_particular() -> None:
    assert all(re.fullmatch(r"==[\w.]+", str(pin.specifier)) and pin.url is None for pin in pins("constraints.txt"))


def test_no_command_installs_past_the_constraints() -> None:
    assert (ROOT / DIRECT[0]).read_text().startswith("-c constraints.txt\n")
    assert all((ROOT / name).read_text().startswith(f"-r {DIRECT[0]}\n") for name in (DIRECT[1], *BESIDE))
    lines = [line for name in INSTALLERS for line in (ROOT / name).read_text(encoding="utf-8").splitlines()]
    commands = [line for line in lines if re.search(r"\bpip install\b|\(PIP_INSTALL\)", line) and ":=" not in line]
    assert len(commands) >= 4
    assert [line for line in commands if not re.search(r"-r requirements(-\w+)?\.txt|-c constraints\.txt", line)] == []


def test_what_is_installed_is_renewed_when_the_constraints_are() -> None:
    stamps = re.findall(r"^\$\(VENV\)/\.\w+: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert len(stamps) == 4
    assert all("constraints.txt" in stamp.split() for stamp in stamps)
