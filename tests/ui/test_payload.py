"""The message to the canvas is of one type, in Python and in the scripts."""

import json
from pathlib import Path
from typing import is_typeddict

import numpy as np
import pytest

from tests.typed import declared, fault
from ui.figures import payload as types
from ui.figures.board import Panel, payload

ROOT = Path(__file__).parents[2]
DECLARED = ROOT / "assets" / "matrix" / "payload.d.ts"
HEAD = "// The message of a board, as ui/figures/payload.py describes it.\n\n"


def test_the_scripts_read_the_types_that_python_writes() -> None:
    kinds = [kind for kind in vars(types).values() if is_typeddict(kind)]
    assert DECLARED.read_text(encoding="utf-8") == HEAD + declared(*kinds), "write into the file what is expected here"


def test_a_message_of_another_type_is_told_by_its_place() -> None:
    message = json.loads(json.dumps(payload([Panel("x", np.ones((2, 3)), print_values=True)])))
    assert fault(message, types.DrawnMessage) == ""
    for place, wrong in ((("digits",), "3"), (("silent",), 1), (("ends",), [0.0]), (("axes", "row"), None)):
        broken = json.loads(json.dumps(message))
        part = broken["panels"][0]
        for name in place[:-1]:
            part = part[name]
        part[place[-1]] = wrong
        assert f".panels[0].{'.'.join(place)}" in fault(broken, types.DrawnMessage)


@pytest.mark.parametrize("change", [{"more": 1}, {"colors": ...}])
def test_a_message_with_a_field_more_or_less_is_of_another_type(change: dict[str, object]) -> None:
    message = json.loads(json.dumps(payload([Panel("x", np.ones((2, 3)))])))
    for name, value in change.items():
        message.pop(name) if value is ... else message.update({name: value})
    assert str([*change]) in fault(message, types.DrawnMessage)
