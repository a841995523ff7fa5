"""A link opened without a browser, to see what a reader's session would keep: for commands. No page imports it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from ui.state.store import OF_LINKS

PATIENCE = 120.0  # seconds for a page


def session_value_after(script: Path, page: str, said: Mapping[str, str], name: str) -> Any:
    """What a session remembers by this name, once the page is drawn from a link that says this. The page
    of the script itself is "". TimeoutError if that takes longer than PATIENCE."""
    app = AppTest.from_file(str(script), default_timeout=PATIENCE)
    if page:
        app.switch_page(page)
    app.session_state[OF_LINKS] = True
    for setting, value in said.items():
        app.query_params[setting] = value
    try:
        app.run()
    except RuntimeError as late:  # so Streamlit says it
        raise TimeoutError(str(late)) from late
    state = app.session_state
    return state["kept"].get("remembered", {}).get(name) if "kept" in state else None
