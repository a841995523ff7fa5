"""The recipes of CONTRIBUTING.md, done: the files that they name, and no others, make a chapter."""

import importlib
import pkgutil
import re
import runpy
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import ui.chapters
from tests.app.boards import matrices, panel
from tests.app.conftest import AGES, ROOT
from tests.app.test_figures import computed
from ui import text
from ui.figures.evaluated import furthest
from ui.figures.figure import Board, Figure
from ui.frame import navigation, search, style
from ui.settings.fields import OneOf
from ui.settings.frame import Frame

RECIPES = {"A scene", "A section", "A figure", "A chapter", "A text", "A language", "A setting", "A release"}
CHAPTER, IDEA, CODE = "averages", "means", "de"

# The section that CONTRIBUTING.md shows
(SECTION,) = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL)

LIST = """
from ui.chapters.averages import means
from ui.sections.contents import Contents

CONTENTS = Contents("averages", (means.means,))
"""

PAGE = """
from ui.chapters.averages import CONTENTS
from ui.sections.contents import draw

draw(CONTENTS)
"""

TEXTS = {
    "title": ("Averages", "平均"),
    "promise": ("You will see a mean.", "你将看到均值。"),
    "means.title": ("Means of rows", "行均值"),
    "means.given": ("the rows", "各行"),
    "means.computed": ("their means", "它们的均值"),
    "means.alt": ("Rows and their means.", "各行及其均值。"),
    "size": ("Length of a row", "行的长度"),
    "middle.question": ("The mean of 1 and 3?", "1 与 3 的均值是多少？"),
    "middle.option.one": ("1", "1"),
    "middle.option.two": ("2", "2"),
    "middle.right": ("(1 + 3) / 2 = 2.", "(1 + 3) / 2 = 2。"),
    "middle.wrong.one": ("That is the smaller one.", "那是较小的数。"),
}
LINK = f"open={IDEA}&middle=two&size=5"

# What each file of a recipe holds when it is done; those that are there already are added to.
FILES = {
    "ui/settings/chapters.py": lambda before: before.replace('("tokens",', f'("tokens", "{CHAPTER}",'),
    "ui/chapters/<chapter>/__init__.py": lambda _: LIST,
    "ui/chapters/<chapter>/<idea>.py": lambda _: SECTION,
    "pages/<chapter>.py": lambda _: PAGE,
    "assets/text/<chapter>.toml": lambda _: "".join(
        f'[{k}]\nen = "{en}"\nzh = "{zh}"\n' for k, (en, zh) in TEXTS.items()
    ),
    "assets/languages/<code>.toml": lambda _: f'name = "Deutsch"\n[{CHAPTER}]\ntitle = "Mittelwerte"\n',
    "tests/app/choices/<chapter>.txt": lambda _: f"{LINK}\n",
    "tests/golden/links.py": lambda before: before.replace("= {\n", f'= {{\n    "{CHAPTER}": ("{LINK}",),\n', 1),
}


def recipes() -> dict[str, list[str]]:
    """The files of each recipe: the paths in CONTRIBUTING.md that are followed by a colon."""
    parts = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## ")[1:]
    return {part.partition("\n")[0]: re.findall(r"`([^`\s]+\.(?:py|toml|txt))`:", part) for part in parts}


def test_the_recipes_name_all_that_has_to_be_written_and_nothing_else() -> None:
    assert recipes().keys() == RECIPES
    assert {path for paths in recipes().values() for path in paths} == FILES.keys()


def test_a_section_touches_three_files() -> None:
    """It has a slider, a matrix and a question: the tests below press, read and answer them."""
    assert len(set(recipes()["A section"])) == 3


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """As much of the app as a chapter is added to, with the recipes done in it."""
    shutil.copy(ROOT / "app.py", tmp_path)
    for folder in ("pages", "assets/text"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for path in {path for paths in recipes().values() for path in paths}:
        name = path.replace("<chapter>", CHAPTER).replace("<idea>", IDEA).replace("<code>", CODE)
        before = (ROOT / name).read_text(encoding="utf-8") if (ROOT / name).is_file() else ""
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(FILES[path](before), encoding="utf-8")
    searched = (search.entries, search.entries_file, search._places)
    caches = (text.further, text.languages, text.load, navigation.page_of, *searched, style._page)
    for found in pkgutil.walk_packages(ui.__path__, "ui."):  # one that came later would keep this menu for good
        if not found.name.startswith("ui.training_service.ray."):  # what runs beside the server may need Ray
            importlib.import_module(found.name)
    menu = runpy.run_path(str(tmp_path / "ui/settings/chapters.py"))
    for name in ("PARTS", "CHAPTERS"):
        known = getattr(sys.modules["ui.settings.chapters"], name)
        for module in [key for key in sys.modules if key.startswith("ui.")]:
            if vars(sys.modules[module]).get(name) is known:
                monkeypatch.setattr(sys.modules[module], name, menu[name])
    monkeypatch.setattr(ui.chapters, "__path__", [*ui.chapters.__path__, str(tmp_path / "ui/chapters")])
    monkeypatch.setattr(text, "FOLDER", tmp_path / "assets/text")
    monkeypatch.setattr(text, "FURTHER", tmp_path / "assets/languages")
    for cached in caches:
        cached.cache_clear()
    monkeypatch.setitem(cast(dict, Frame.kinds()), "lang", OneOf(("auto", *text.languages())))
    importlib.invalidate_caches()
    yield tmp_path
    monkeypatch.undo()
    for cached in caches:
        cached.cache_clear()
    for name in [name for name in sys.modules if name.startswith(f"ui.chapters.{CHAPTER}")]:
        del sys.modules[name]


def opened(copy: Path, link: str, **query: str) -> AppTest:
    app = AppTest.from_file(str(copy / "app.py"), default_timeout=AGES)
    app.switch_page(f"pages/{CHAPTER}.py")
    for name, value in (dict(parse_qsl(link)) | query).items():
        app.query_params[name] = value
    return app.run()


@pytest.mark.parametrize(("lang", "title"), [("en", "Averages"), ("zh", "平均"), (CODE, "Mittelwerte")])
def test_a_chapter_made_by_the_recipes_shows_its_numbers_in_each_language(
    copy: Path, shown: list[Figure], lang: str, title: str
) -> None:
    (link,) = (copy / f"tests/app/choices/{CHAPTER}.txt").read_text().splitlines()
    assert runpy.run_path(str(copy / "tests/golden/links.py"))["LINKS"][CHAPTER] == (link,)

    app = opened(copy, link, lang=lang)
    assert not app.exception
    assert app.title[0].value == title
    said = TEXTS["means.computed"][lang == "zh"]
    assert panel(app, f"{CHAPTER}.means", "m")["title"] == said
    np.testing.assert_array_equal(matrices(app, f"{CHAPTER}.means")["m"], [[2], [7]])
    (figure,) = shown
    assert isinstance(figure.picture, Board)
    assert (furthest(figure.picture) or 0.0) < 1e-5
    np.testing.assert_array_equal(computed(figure.program), figure.data)

    (slider,) = app.slider
    assert slider.label == TEXTS["size"][lang == "zh"]
    slider.set_value(2).run()
    np.testing.assert_array_equal(matrices(app, f"{CHAPTER}.means")["m"], [[0.5], [2.5]])
    assert app.query_params["size"] in ("2", ["2"])


def test_its_question_hides_the_figure_until_there_is_a_reply(copy: Path) -> None:
    app = opened(copy, f"open={IDEA}", lang="en")
    assert not app.slider
    assert opened(copy, LINK, lang="en").slider
