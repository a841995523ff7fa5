"""What the tests need beside Python: a browser and a Chinese font, or the two proxies.

`python -m tests.programs browser` (`make browser`) and `python -m tests.programs nginx caddy` leave alone what is there
and install what is missing. Where they cannot, they say in one sentence which command does. Standard library only: this
runs before any package is installed.
"""

import ctypes
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ON_A_MAC = [f"/Applications/{name}.app/Contents/MacOS/{name}" for name in ("Chromium", "Google Chrome")]
ADMINISTRATION = "/usr/sbin:/usr/local/sbin"  # where a distribution puts nginx; not on everybody's path
# Playwright's Chromium brings no libraries of the system. Where these can be loaded, so can the others that it needs.
NODE = "libatomic.so.1"  # without which Playwright's own Node does not start, with any browser
LIBRARIES = ("libnss3.so", "libatk-bridge-2.0.so.0", "libgbm.so.1", "libasound.so.2", "libXdamage.so.1")


class Manager(NamedTuple):
    """A package manager, by the command that installs, and what it calls each thing that may be missing."""

    install: str
    packages: dict[str, str]


_FONT = {"font": "fontconfig fonts-noto-cjk"}  # fontconfig tells which fonts there are
_PROXIES = {"nginx": "nginx-light", "caddy": "caddy"}
_NODE = {"node": "libatomic1"}
_APT = Manager("apt-get install -y", {"browser": "chromium fonts-liberation", **_NODE, **_FONT, **_PROXIES})
_UBUNTU = Manager("apt-get install -y", {"browser": "chromium-browser", **_NODE, **_FONT, **_PROXIES})
_OTHERS = {
    "dnf": Manager(
        "dnf install -y",
        {
            "browser": "chromium",
            "node": "libatomic",
            "font": "fontconfig google-noto-sans-cjk-fonts",
            "nginx": "nginx",
            "caddy": "caddy",
        },
    ),
    "pacman": Manager(
        "pacman -S --noconfirm",
        {
            "browser": "chromium",
            "node": "gcc-libs",
            "font": "fontconfig noto-fonts-cjk",
            "nginx": "nginx",
            "caddy": "caddy",
        },
    ),
    "brew": Manager("brew install", {"browser": "--cask chromium", "nginx": "nginx", "caddy": "caddy"}),
}


@cache
def installed_browser() -> str | None:
    """The system's Chromium or Chrome that starts, or None where only Playwright's own can serve.

    Ubuntu's package may be a script that says where the browser is to be had, and no browser.
    """
    found = filter(None, map(shutil.which, [*BROWSERS, *ON_A_MAC]))
    return next((path for path in found if _succeeds(path, "--version")), None)


def program(name: str) -> str | None:
    """Where this program is, also if it is one for the administrator of the machine."""
    return shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}:{ADMINISTRATION}")


def is_there(name: str) -> bool:
    """Whether the machine has it: "browser", "node" (what Playwright's needs), "font", or a program."""
    if name == "browser":
        return installed_browser() is not None or _succeeds(sys.executable, "-m", "tests.browser.driver")
    if name == "node":
        return platform.system() != "Linux" or _loads(NODE)
    if name == "font":
        return platform.system() != "Linux" or bool(_output("fc-list", ":lang=zh"))
    return program(name) is not None


def missing(names: Iterable[str]) -> list[str]:
    return [name for name in names if not is_there(name)]


def as_root() -> list[str] | None:
    """What a command that installs begins with, or None where this user may install nothing."""
    if os.geteuid() == 0:
        return []
    return ["sudo", "-n"] if _succeeds("sudo", "-n", "true") else None


def package_manager() -> Manager | None:
    if shutil.which("apt-get"):
        return _UBUNTU if "ubuntu" in Path("/etc/os-release").read_text(encoding="utf-8").lower() else _APT
    return next((manager for name, manager in _OTHERS.items() if shutil.which(name)), None)


def playwrights_browser(root: list[str] | None) -> bool:
    """Download Playwright's own Chromium, and where it needs libraries these too; False if it does not start."""
    pip = ("-m", "pip", "install", "--disable-pip-version-check", "-q", "-c", "constraints.txt", "playwright")
    playwright = (sys.executable, "-m", "playwright")
    if not (_runs(sys.executable, *pip) and _succeeds(*playwright, "install", "chromium")):
        print("It could not be downloaded.", flush=True)
        return False
    if not is_there("browser") and root is not None and platform.system() == "Linux":
        _runs(*root, *playwright, "install-deps", "chromium")
    return is_there("browser")


def install(names: Sequence[str]) -> list[str]:
    """Install these; what is missing after that.

    Nothing is begun that this user cannot end: without root's rights only Playwright's browser can be had, and only
    where its libraries are.
    """
    root, manager = as_root(), package_manager()
    if root is None and (list(names) != ["browser"] or not _libraries()):
        return list(names)
    if "node" in names:  # before the download, which it does
        names = [*_from_distribution(manager, root, ["node"]), *(name for name in names if name != "node")]
    if "browser" in names:
        print("No Chromium and no Chrome is installed. Downloading Playwright's own.", flush=True)
        if playwrights_browser(root):
            names = [name for name in names if name != "browser"]
    return _from_distribution(manager, root, names)


def _from_distribution(manager: Manager | None, root: list[str] | None, names: Sequence[str]) -> list[str]:
    """Install these by apt, where there is one; what is missing after that."""
    if names and root is not None and manager in (_APT, _UBUNTU):
        print("Installing the distribution's packages:", _packages(manager, names), flush=True)
        quietly = (*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get")
        if _runs(*quietly, "update", "-qq"):
            _runs(*quietly, "install", "-y", "-qq", "--no-install-recommends", *_packages(manager, names).split())
        installed_browser.cache_clear()
    return missing(names)


def sentence(names: Sequence[str]) -> str:
    """Which command installs what is missing."""
    says = {"browser": "Chromium or Chrome", "font": "a font with Chinese characters", "node": "the library libatomic"}
    wanted = " and ".join(says.get(name, name) for name in names)
    manager = package_manager()
    if manager is None:
        return f"The tests need {wanted}: install them with this system's package manager, then run make again."
    first = "" if manager.install.startswith("brew") else "sudo "
    return f"The tests need {wanted}: run `{first}{manager.install} {_packages(manager, names)}`, then make again."


def main(wanted: Sequence[str]) -> int:
    """0 = all of it is there; 2 = something is not, and the sentence on stderr says how to get it."""
    names = [part for name in wanted for part in (("node", "browser", "font") if name == "browser" else (name,))]
    if absent := missing(names):
        absent = install(absent)
    if absent:
        print(sentence(absent), file=sys.stderr)
        return 2
    return 0


def _packages(manager: Manager, names: Sequence[str]) -> str:
    return " ".join(manager.packages[name] for name in names if name in manager.packages)


def _libraries() -> bool:
    """Whether Playwright's browser would find what it needs of this system."""
    if platform.system() != "Linux":
        return True
    return all(map(_loads, LIBRARIES))


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return ""


def _succeeds(*command: str) -> bool:
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _runs(*command: str) -> bool:
    """What it prints is shown where it fails."""
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        print(done.stdout, file=sys.stderr)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
