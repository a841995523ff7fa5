"""Settings and links: what is written is read back, and nonsense becomes the default."""

import importlib
from dataclasses import dataclass, fields, replace

import pytest

from ui.settings.chapters import CHAPTERS
from ui.settings.fields import Settings, cell, choice, flag, real, text, whole
from ui.settings.frame import Frame


@dataclass(frozen=True)
class Sample(Settings):
    size: int = whole(5, 1, 64)
    factor: float = real(1.0, 0.1, 10.0)
    kind: str = choice("a", "a", "b")
    on: bool = flag(True)
    words: str = text("", limit=6)
    cell: tuple[str, int, int] | None = cell()


def test_a_link_holds_only_what_differs_from_the_default() -> None:
    assert Sample().to_query() == {}
    assert Sample(size=7, on=False).to_query() == {"size": "7", "on": "0"}


def test_what_is_written_is_read_back() -> None:
    settings = Sample(size=64, factor=2.5, kind="b", on=False, words="1\t2\u30003", cell=("weights.0", 3, 17))
    assert Sample.from_query(settings.to_query()) == settings


@pytest.mark.parametrize(
    "query",
    [
        {"size": "65"}, {"size": "0"}, {"size": "1.5"}, {"size": "x"}, {"size": "9" * 5000}, {"size": ""},
        {"factor": "nan"}, {"factor": "inf"}, {"factor": "11"}, {"factor": "-1"},
        {"kind": "c"}, {"on": "yes"}, {"words": "1234567"},
        {"cell": "a"}, {"cell": "a.b.c"}, {"cell": "a.-1.2"}, {"cell": "a.1.999999999"}, {"unknown": "1"},
    ],
)  # fmt: skip
def test_nonsense_in_a_link_becomes_the_default(query: dict[str, str]) -> None:
    assert Sample.from_query(query) == Sample()


def test_one_wrong_value_leaves_the_others_alone() -> None:
    assert Sample.from_query({"size": "9", "factor": "x"}) == Sample(size=9)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_chapter_uses_a_name_of_the_frame(chapter: str) -> None:
    module = importlib.import_module(f"ui.settings.{chapter}")
    (kind,) = [
        value for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Settings) and value is not Settings
    ]  # fmt: skip
    assert not set(kind.kinds()) & set(Frame.kinds())
    assert kind.from_query(kind().to_query()) == kind()


def test_settings_are_frozen() -> None:
    assert replace(Sample(), size=3).size == 3
    assert {f.name for f in fields(Sample)} == set(Sample.kinds())
