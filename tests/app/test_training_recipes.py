"""How sure a recipe is: what its runs came to is said beside a run of it, and is what the tables say."""

import re
from types import SimpleNamespace
from typing import Any

import pytest

from tests.app.conftest import ROOT
from transformer_core.training.config import TrainConfig
from transformer_core.training.recipes import OUTCOMES, TRIED
from ui.chapters.training.words import how_sure
from ui.text import LANGUAGES, Words

README = (ROOT / "assets" / "model" / "README.md").read_text(encoding="utf-8")


def said(config: TrainConfig, lang: str = "en") -> list[str]:
    say, found = Words("training", lang), list[str]()

    def write(*keys: str, **values: object) -> None:
        found.append(" ".join(say(key, **values) for key in keys))

    chapter: Any = SimpleNamespace(write=write)
    how_sure(chapter, config)
    return found


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("task", OUTCOMES)
def test_beside_a_run_of_a_recipe_stands_how_often_one_ends_with_a_wrong_answer(task: str, lang: str) -> None:
    (text,) = said(TrainConfig.of_task(task, seed=7), lang)
    outcome = OUTCOMES[task]
    for number in (outcome.runs, f"{TRIED:,}", outcome.median, *([outcome.wrong] if outcome.wrong else [])):
        assert re.search(rf"\b{number}\b", text, re.ASCII)


@pytest.mark.parametrize(
    "config",
    [
        TrainConfig(steps=200),
        TrainConfig(N=2),
        TrainConfig.of_task("translate", "zh-en"),
        TrainConfig.of_task("reverse"),
    ],
)
def test_of_other_settings_nothing_is_claimed(config: TrainConfig) -> None:
    assert said(config) == []


@pytest.mark.parametrize("task", OUTCOMES)
def test_what_was_measured_is_a_runs_and_stands_in_the_table(task: str) -> None:
    runs, wrong, most, fewest, median, latest, never = OUTCOMES[task]
    steps = TrainConfig.of_task(task).steps
    assert 0 < fewest <= median <= latest <= steps
    assert max(wrong, never) <= runs
    assert (wrong > 0) == (most > 0)
    assert f"| `{task}` | {runs} | {fewest}, {median}, {latest} | {steps} | {never} | {wrong} | {most} |" in README
