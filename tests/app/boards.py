"""What a board on a headless page shows: its matrices, and the arithmetic under it."""

import base64
import json
import re
from collections import ChainMap
from collections.abc import Iterator
from html import unescape
from typing import Any

import numpy as np
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.testing.v1 import AppTest


def elements(block: Any) -> Iterator[Any]:
    """Everything in a block of the page that is no block itself, from the top."""
    for child in block.children.values():
        if hasattr(child, "children"):
            yield from elements(child)
        else:
            yield child


def boards(app: AppTest) -> list[str]:
    """The boards of a page, `chapter.figure` each, from the top."""
    return [e.proto.id.rpartition("-")[2] for e in elements(app.main) if e.type == "bidi_component"]


def told(element: Any) -> dict[str, Any]:
    """What a component is told. What a board draws is a text in its message. Nothing, of another element."""
    if element.type != "bidi_component":
        return {}
    parts = json.loads(element.proto.json)
    parts = [
        json.loads(part) if isinstance(part, str) else part for part in (parts if isinstance(parts, list) else [parts])
    ]
    return dict(ChainMap(*parts))


def payload(app: AppTest, figure: str) -> dict[str, Any]:
    """The message to the canvas of `chapter.figure`."""
    (board,) = [e for e in elements(app.main) if e.type == "bidi_component" and e.proto.id.endswith(f"-{figure}")]
    return told(board)


def does(app: AppTest, figure: str, event: str, value: object) -> None:
    """The page once the reader has pressed something in `chapter.figure`, of which the browser says this."""
    (found,) = [e for e in elements(app.main) if e.type == "bidi_component" and e.proto.id.endswith(f"-{figure}")]
    states = app._tree.get_widget_states()
    heard = json.dumps([{"event": event, "value": value}])
    states.widgets.add(id=_make_trigger_id(found.proto.id, "events"), json_trigger_value=heard)
    app._run(states)
    app.run()  # what has answered may be some sections alone


def press(app: AppTest, key: str) -> AppTest:
    """The page once the button with this key was pressed."""
    app.button(key=key).click().run()
    assert not app.exception
    return app


def drawing(app: AppTest, figure: str) -> str:
    """The lines of `chapter.figure`, as SVG."""
    (found,) = [e for e in elements(app.main) if e.type == "bidi_component" and e.proto.id.endswith(f"-{figure}")]
    return str(told(found)["svg"])


def bands(svg: str) -> list[tuple[int, int]]:
    """The reference links of drawn lines: output row, source place."""
    found = re.findall(r'<line class="reference" data-query="(\d+)" data-key="(\d+)"', svg)
    return [(int(row), int(place)) for row, place in found]


def matrices(app: AppTest, figure: str) -> dict[str, np.ndarray]:
    """The numbers of each panel by its key, blocked cells included."""
    panels = payload(app, figure)["panels"]
    return {p["key"]: np.frombuffer(base64.b64decode(p["values"]), "<f4").reshape(p["shape"]) for p in panels}


def panel(app: AppTest, figure: str, key: str) -> dict[str, Any]:
    """One panel as it is sent: title, labels, sources, ends of the scale."""
    (found,) = [p for p in payload(app, figure)["panels"] if p["key"] == key]
    return dict(found)


def hint(app: AppTest, figure: str) -> str:
    """What stands over the canvas while nothing is pointed at."""
    return str(payload(app, figure)["words"]["hint"])


def chosen(app: AppTest, figure: str) -> list[Any] | None:
    cell: list[Any] | None = payload(app, figure)["chosen"]
    return cell


def quiet(app: AppTest, figure: str) -> bool:
    """Whether the board leaves the sum of its chosen cell to another."""
    return bool(payload(app, figure)["quiet"])


def written(app: AppTest) -> str:
    """The words on the page, without the marks of those in the other language and what they mean."""
    return unescape(unexplained("\n".join(block.value for block in app.markdown)))


def unexplained(markup: str) -> str:
    """Markup without the marks of words in the other language and what they mean."""
    markup = re.sub(r'<dfn [^>]*>(.*?)</dfn><span class="term-told".*?</span>', r"\1", markup)
    bare = re.sub(r'<ruby lang="\w+">(.*?)<rt lang="\w+">.*?</rt></ruby>', r"\1", markup)
    return re.sub(r'<span lang="\w+">(.*?)</span>', r"\1", re.sub(r'<tspan lang="\w+".*?</tspan>', "", bare))


def unrendered(app: AppTest) -> list[str]:
    """Marks of Markdown in what is not read as Markdown, where a reader sees them: *so*, **so** or `so`."""
    said = [e.proto.body for e in elements(app.main) if e.type == "html"]
    said += [json.dumps(told(e)) for e in elements(app.main) if e.type == "bidi_component"]
    bare = [re.sub(r"<(script|style).*?</\1>", "", one, flags=re.DOTALL) for one in said]
    mark = r"(?<![*\w\\])\*{1,2}[^\W\d_][^*<>\n]{0,60}?\*{1,2}(?!\w)|`[^`<>]+`"
    return [found for one in bare for found in re.findall(mark, one)]


def snippet(app: AppTest, figure: str) -> str:
    """The program under a figure, after asking for it."""
    (code,) = snippets(app, figure)
    return code


def snippets(app: AppTest, *figures: str) -> list[str]:
    """The programs under some figures, named from the top of the page, after asking for all of them at once."""
    for figure in figures:
        (pills,) = [group for group in app.get("button_group") if group.key == f"{figure}.caption"]
        pills.set_value("snippet")
    codes = [str(block.value) for block in app.run().code if block.language == "python"]
    assert len(codes) == len(figures)
    return codes
