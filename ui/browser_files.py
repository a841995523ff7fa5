"""Files that a browser fetches once and keeps: scripts, stylesheets, data. Their names change with their content.

Streamlit serves files of installed packages that declare components; here they are declared to it, for the app is run
as it is. So they are there however the app is served, at an address that is relative to every page.
"""

import atexit
import hashlib
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

PACKAGE = "glassformer"
served: dict[str, Path] = {}  # by its address from the root of the app


class BrowserFile:
    """`content` at the address of its digest, beside the other files of a component."""

    def __init__(self, component: str, suffix: str, content: str) -> None:
        self._content, self._component = content.encode(), f"{PACKAGE}.{component}"
        self.name = f"{hashlib.sha256(self._content).hexdigest()[:12]}{suffix}"
        self.address = f"./_stcore/bidi-components/{self._component}/{self.name}"
        self._path = _folder() / component / self.name
        self._keep_written()
        served[self.address.removeprefix(".")] = self._path

    def offer(self) -> None:
        """To be called in each run of a page that needs it: declares it to a Streamlit that does not know it yet."""
        self._keep_written()
        manager = get_bidi_component_manager()
        if manager.get_component_path(self._component) is None:
            _declare(manager, self._component.removeprefix(f"{PACKAGE}."))

    def _keep_written(self) -> None:
        """Again where a machine has cleared it away meanwhile."""
        if not os.path.exists(self._path):
            self._path.parent.mkdir(exist_ok=True, parents=True)
            self._path.write_bytes(self._content)


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix=f"{PACKAGE}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _declare(manager: BidiComponentManager, name: str) -> None:
    manager.register_from_manifest(ComponentManifest(PACKAGE, "", [ComponentConfig(name, name)]), _folder())
