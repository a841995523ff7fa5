"""What waits says so: reading an attribute never trains a model, nor begins the page again."""

import ast
import inspect
from dataclasses import fields
from typing import Any

import pytest

from tests.test_structure import module_name, our_sources
from transformer_core.training.config import TrainConfig
from ui.model.current_model import ModelAtHand
from ui.training_service.runs import all_runs

# What may have to wait for a run, or for what others compute, and may end the script that runs.
WAITING = {
    "load",
    "load_whole",
    "made",
    "measured",
    "recorded",
    "text_made",
    "said",
    "answer",
    "model_at_hand",
    "rerun",
}


def called(function: ast.FunctionDef) -> set[str]:
    names = [call.func for call in ast.walk(function) if isinstance(call, ast.Call)]
    return {
        one.attr if isinstance(one, ast.Attribute) else one.id
        for one in names
        if isinstance(one, ast.Attribute | ast.Name)
    }


def waiting_properties(source: str) -> list[str]:
    return [
        node.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef)
        and any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
        and called(node) & WAITING
    ]


def test_no_attribute_of_the_model_at_hand_asks_for_its_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    def trained(*_: object) -> Any:
        raise AssertionError("a run was asked for")

    monkeypatch.setattr(all_runs, "model", trained)
    at_hand = ModelAtHand("run", TrainConfig(), 3, 0)
    properties = [name for name, _ in inspect.getmembers(ModelAtHand, lambda one: isinstance(one, property))]
    assert {"words", "run"} <= set(properties)
    for name in (*properties, *(field.name for field in fields(at_hand))):
        getattr(at_hand, name)
    with pytest.raises(AssertionError, match="a run was asked for"):
        at_hand.load()


def test_no_property_of_the_app_waits_for_a_model() -> None:
    pages = [path for path in our_sources() if module_name(path).startswith("ui.")]
    assert [(module_name(path), name) for path in pages for name in waiting_properties(path.read_text())] == []


def test_a_property_that_waits_is_found() -> None:
    assert waiting_properties(
        "class A:\n    @cached_property\n    def route(self):\n        return stops(self.at_hand.load())"
    ) == ["route"]
    assert waiting_properties("class A:\n    def route(self):\n        return self.at_hand.load()") == []
