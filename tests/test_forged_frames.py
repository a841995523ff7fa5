"""A client made by hand may send what no browser would; the reader's own page then shows what it showed before."""

import json
import math
import random
from typing import Any

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.wire import Answer, Reader, Widget
from ui.settings.chapters import CHAPTERS

WORDS = [
    "",
    "run",
    "bogus",
    "<img src=x onerror=alert(1)>",
    "**x**:red[y]`",
    "9" * 500,
    "\u202e\0",
    "トークン",
    "nan",
    "-1",
]
NUMBERS = [math.nan, math.inf, -math.inf, 1e308, -1.0, 0.0, 1e18, 3.7, 2.0**70]
STATES = [
    "{}", "[]", "null", "1", '"x"',
    '{"chosen": {"number": 1e999, "cell": [1, 2, 3]}}',
    '{"chosen": {"number": NaN, "cell": null}}',
    '{"chosen": 5, "label": 7, "token": [], "block": true}',
    '{"chosen": {"number": 7, "cell": ["a", [], {}]}, "label": {"axis": [], "panel": {}, "index": "x"}}',
    '{"label": {"axis": "row", "panel": "weights", "index": 1e999}, "block": 1e999}',
    '{"chosen": {"number": [1], "cell": [[1], 2, 3]}, "token": {"side": {}, "index": NaN}, "block": "0"}',
    '{"order": [[0, 0]]}', '{"order": {"puzzle": "attention", "number": 1e999, "lines": [[0, 0]]}}',
    '{"order": {"puzzle": "attention", "number": 7, "lines": [["x", 1e999], [0, 0], [0, 0]]}}',
    '{"drawn": [1, 2]}', '{"drawn": {"sheet": "rate.256.1000.2500", "number": 1e999, "levels": [NaN]}}',
    '{"drawn": {"sheet": {}, "number": 7, "levels": {"0": -1}}}',
    '{"node": 1e999}', '{"node": [3]}', '{"node": -1}', '{"node": 10000000}', '{"node": true}',
]  # fmt: skip


def forged(widget: Widget, chance: random.Random) -> WidgetState | None:
    """A state of the widget's own type with a value that no browser would send."""
    state = WidgetState(id=widget.id)
    match widget.kind:
        case "slider" if widget.proto.options:
            state.string_array_value.data.extend(chance.choices(WORDS, k=chance.randrange(3)))
        case "slider":
            state.double_array_value.data.extend(chance.choices(NUMBERS, k=chance.randrange(3)))
        case "button_group":
            state.string_array_value.data.extend(chance.choices(WORDS, k=chance.randrange(3)))
        case "selectbox" | "text_input":
            state.string_value = chance.choice(WORDS)
        case "number_input":  # one that is not finite Streamlit itself cannot read, before any line of the app runs
            state.double_value = chance.choice([number for number in NUMBERS if math.isfinite(number)])
        case "bidi_component":
            state.json_value = chance.choice(STATES)
        case _:
            return None
    return state


def send(reader: Reader, states: list[WidgetState], fragment: str = "") -> Answer:
    """Ask for a run with these states instead of the widgets' own."""
    message = reader.client_state(fragment)
    kept = message.rerun_script.widget_states.widgets
    others = [state for state in kept if state.id not in {state.id for state in states}]
    del kept[:]
    kept.extend([*others, *states])
    reader.send(message)
    return reader.wait()


@pytest.mark.parametrize("page", ["", *CHAPTERS])
def test_values_that_no_browser_would_send_are_no_news(url: str, page: str) -> None:
    chance = random.Random(page)
    with Reader(url, page, {"lang": "en"}) as reader:
        for _ in range(8):
            states = [state for widget in reader.widgets.values() if (state := forged(widget, chance)) is not None]
            answer = send(reader, chance.sample(states, min(3, len(states))))
            assert answer.exceptions == []
            assert answer.shown("heading") or page == ""


def test_a_model_that_is_not_offered_is_not_taken(url: str) -> None:
    with Reader(url, "masks", {"lang": "en", "size": "7"}) as reader:
        answer = send(reader, [WidgetState(id=reader.widgets["frame:model"].id, string_value="bogus")])
        assert answer.exceptions == []
        assert reader.query == "lang=en&size=7"


def press_label(reader: Reader, figure: str, label: dict[str, Any], *, stays: bool) -> Answer:
    """Press a label of a board, in a run of the whole page; or say that it is pressed, and stays so."""
    id = reader.widgets[figure].id
    if stays:
        return send(reader, [WidgetState(id=id, json_value=json.dumps({"label": label}))])
    pressed = json.dumps([{"event": "label", "value": label}])
    return send(reader, [WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{id}__events", json_trigger_value=pressed)])


@pytest.mark.parametrize("stays", [False, True])
@pytest.mark.parametrize(
    ("page", "label", "written"),
    [
        ("attention", {"panel": "products", "axis": "row", "index": 1}, "cell=products.1.4"),
        ("masks", {"panel": "both", "axis": "column", "index": 1}, "padded=1.1"),
    ],
)
def test_a_label_pressed_in_a_run_of_the_whole_page_is_heard_once(
    url: str, page: str, label: dict[str, Any], written: str, stays: bool
) -> None:
    figure = {"attention": "attention.stages", "masks": "masks.both"}[page]
    with Reader(url, page, {"lang": "en"}) as reader:
        answer = press_label(reader, figure, label, stays=stays)
        assert answer.exceptions == []
        assert written in reader.query
