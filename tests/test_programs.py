"""What `make browser` and `make cluster` do about programs that are missing: install them, or say which command does.

In the place of the machine's commands stand scripts that write down how they were called.
"""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests import programs

STARTS = "#!/bin/sh\nexit 0\n"
FAILS = "#!/bin/sh\nexit 1\n"


class Machine:
    """One with these commands and no others, whose user is root, may become root, or neither."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self._patch = folder, monkeypatch
        monkeypatch.setenv("PATH", str(folder))
        monkeypatch.setattr(programs, "ADMINISTRATION", str(folder))
        monkeypatch.setattr(programs, "ON_A_MAC", [])
        monkeypatch.setattr(platform, "system", lambda: "Linux")
        monkeypatch.setattr(programs, "_loads", lambda _: True)
        monkeypatch.setattr(sys, "executable", str(folder / "python"))
        self.user(1000)
        self.has("fc-list", "#!/bin/sh\necho 'Noto Sans CJK'\n")
        self.has("env", '#!/bin/sh\nshift; exec "$@"\n')
        self.playwright(downloads=False)
        programs.installed_browser.cache_clear()

    def user(self, number: int) -> None:
        self._patch.setattr(os, "geteuid", lambda: number)

    def without_libraries(self) -> None:
        self._patch.setattr(programs, "_loads", lambda library: library == programs.NODE)

    def without_node(self) -> None:
        """Until a package manager has installed something."""
        self._patch.setattr(programs, "_loads", lambda _: any("install" in call for call in self.calls))

    def has(self, name: str, script: str = STARTS) -> None:
        path = self.folder / name
        path.write_text(script, encoding="utf-8")
        path.chmod(0o755)

    def notes(self, name: str, then: str = "exit 0") -> None:
        """This command, which writes down its words before it does something."""
        self.has(name, f'#!/bin/sh\necho "{name} $*" >> {self.folder}/calls\n{then}\n')

    def apt(self) -> None:
        """A package manager after which the browser, nginx and Caddy are there."""
        made = "; ".join(
            f"echo '#!/bin/sh' > {self.folder}/{name}; /bin/chmod 755 {self.folder}/{name}"
            for name in ("chromium", "nginx", "caddy")
        )
        self.notes("apt-get", f'case "$1" in install) {made};; esac')

    def playwright(self, downloads: bool, starts: str = "") -> None:
        """The environment's Python: whether Playwright's browser can be had, and what must be there for it to start."""
        started = f"[ -e {self.folder}/{starts or 'downloaded'} ]"
        download = f"echo > {self.folder}/downloaded" if downloads else "exit 1"
        libraries = f"echo > {self.folder}/libraries"
        cases = f'*driver) {started};; *install-deps*) {libraries};; "-m playwright install"*) {download};;'
        self.notes("python", f'case "$*" in {cases} esac')

    @property
    def calls(self) -> list[str]:
        """Without the question whether the browser starts."""
        told = self.folder / "calls"
        lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
        return [line for line in lines if not line.endswith("tests.browser.driver")]


PIP = "python -m pip install --disable-pip-version-check -q -c constraints.txt playwright"
DOWNLOAD = "python -m playwright install chromium"
UPDATE = "apt-get update -qq"
INSTALL = "apt-get install -y -qq --no-install-recommends"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome"])
def test_a_browser_that_is_there_is_taken(machine: Machine, name: str) -> None:
    machine.has(name)
    assert programs.main(["browser"]) == 0
    assert machine.calls == []


def test_a_command_that_only_says_where_a_browser_is_to_be_had_is_none(machine: Machine) -> None:
    machine.has("chromium-browser", FAILS)
    assert programs.installed_browser() is None


def test_else_playwrights_own_is_downloaded(machine: Machine) -> None:
    machine.playwright(downloads=True)
    assert programs.main(["browser"]) == 0
    assert machine.calls == [PIP, DOWNLOAD]


def test_one_that_lacks_libraries_gets_them(machine: Machine) -> None:
    machine.user(0)
    machine.playwright(downloads=True, starts="libraries")
    assert programs.main(["browser"]) == 0
    assert machine.calls == [PIP, DOWNLOAD, "python -m playwright install-deps chromium"]


def test_what_playwright_loads_is_installed_before_the_browser_is_downloaded(machine: Machine) -> None:
    machine.user(0)
    machine.apt()
    machine.without_node()
    machine.playwright(downloads=True)
    assert programs.main(["browser"]) == 0
    assert machine.calls == [UPDATE, f"{INSTALL} libatomic1", PIP, DOWNLOAD]


@pytest.mark.parametrize("sudo", [False, True])
def test_else_the_distributions_package_is_installed(machine: Machine, sudo: bool) -> None:
    machine.apt()
    if sudo:
        machine.notes("sudo", f'shift; case "$1" in true) exit 0;; esac; PATH={machine.folder} "$@"')
    else:
        machine.user(0)
    assert programs.main(["browser"]) == 0
    asked = [call for call in machine.calls if not call.startswith("sudo")]
    assert asked == [PIP, DOWNLOAD, UPDATE, f"{INSTALL} chromium fonts-liberation"]


def test_a_font_is_installed_with_the_browser(machine: Machine) -> None:
    machine.user(0)
    machine.apt()
    (machine.folder / "fc-list").unlink()
    programs.main(["browser"])
    assert machine.calls[-1] == f"{INSTALL} chromium fonts-liberation fontconfig fonts-noto-cjk"


def test_who_may_install_nothing_is_told_the_command_before_anything_is_installed(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the libraries Playwright's own would not start either."""
    machine.apt()
    machine.without_libraries()
    (machine.folder / "fc-list").unlink()
    assert programs.main(["browser"]) == 2
    assert machine.calls == []
    packages = "chromium fonts-liberation fontconfig fonts-noto-cjk"
    (said,) = capsys.readouterr().err.splitlines()
    assert said == (
        "The tests need Chromium or Chrome and a font with Chinese characters: "
        f"run `sudo apt-get install -y {packages}`, then make again."
    )


@pytest.mark.parametrize(
    ("manager", "command"),
    [("dnf", "sudo dnf install -y nginx caddy"), ("pacman", "sudo pacman -S --noconfirm nginx caddy")],
)
def test_other_package_managers_are_named_and_not_run(
    machine: Machine, manager: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.user(0)
    machine.notes(manager)
    assert programs.main(["nginx", "caddy"]) == 2
    assert machine.calls == []
    assert f"run `{command}`" in capsys.readouterr().err


def test_proxies_are_installed_where_they_are_missing(machine: Machine) -> None:
    machine.user(0)
    machine.apt()
    machine.has("caddy")
    assert programs.main(["nginx", "caddy"]) == 0
    assert machine.calls == [UPDATE, f"{INSTALL} nginx-light"]


def test_a_package_that_cannot_be_had_ends_in_the_command(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.user(0)
    machine.notes("apt-get", "exit 100")
    assert programs.main(["browser"]) == 2
    assert "run `sudo apt-get install -y chromium fonts-liberation`" in capsys.readouterr().err


@pytest.mark.parametrize("target", ["test", "cluster"])
def test_make_looks_for_them_before_it_installs_packages(target: str, tmp_path: Path) -> None:
    """In the environment's place a Python that finds no browser."""
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\necho "$*" >> {tmp_path}/calls\nexit 2\n', encoding="utf-8")
    python.chmod(0o755)
    outside = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    command = ["make", target, f"VENV={tmp_path}"]
    done = subprocess.run(command, cwd=programs.ROOT, env=outside, capture_output=True, check=False)
    assert done.returncode != 0
    assert (tmp_path / "calls").read_text().splitlines() == ["-m tests.programs browser"]


def test_this_machine_has_what_the_tests_need(capfd: pytest.CaptureFixture[str]) -> None:
    programs.installed_browser.cache_clear()
    assert programs.main(["browser"]) == 0
    assert capfd.readouterr().out == ""
