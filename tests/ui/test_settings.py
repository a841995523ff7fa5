"""Settings and links: what is written is read back, and nonsense becomes the default."""

import math
from dataclasses import fields, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import settings as within
from hypothesis import strategies as some

from tests.kinds import kind_of
from ui.settings.chapters import CHAPTERS
from ui.settings.fields import (
    ChosenCell,
    Flag,
    Kind,
    LetterCode,
    OneOf,
    Real,
    Settings,
    Text,
    Whole,
    cell,
    choice,
    flag,
    formerly,
    letters,
    real,
    text,
    whole,
)
from ui.settings.frame import Frame

# The same examples on every machine, and no clock.
repeatable = within(derandomize=True, database=None, deadline=None, max_examples=20)


class Sample(Settings):
    size: int = whole(5, 1, 64)
    factor: float = real(1.0, 0.1, 10.0)
    kind: str = choice("a", "a", "b")
    on: bool = flag(True)
    words: str = text("", limit=6)
    cell: tuple[str, int, int] | None = cell()
    name: str = letters(4)


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
        {"factor": ""}, {"kind": "c"}, {"kind": ""}, {"on": "yes"}, {"on": ""}, {"words": "1234567"},
        {"cell": "a"}, {"cell": "a.b.c"}, {"cell": "a" * 81 + ".1.1"}, {"cell": "a.-1.2"}, {"cell": "a.1.999999999"},
        {"name": "ABC"}, {"name": "ABCDE"}, {"name": "AB D"}, {"name": "ABC1"}, {"name": "ＡＢＣＤ"}, {"name": "ABß"},
        {"unknown": "1"},
    ],
)  # fmt: skip
def test_nonsense_in_a_link_becomes_the_default(query: dict[str, str]) -> None:
    assert Sample.from_query(query) == Sample()


def test_one_wrong_value_leaves_the_others_alone() -> None:
    assert Sample.from_query({"size": "9", "factor": "x"}) == Sample(size=9)


def test_a_name_of_letters_may_be_written_small() -> None:
    assert Sample.from_query({"name": "bCdF"}) == Sample(name="BCDF")
    assert Sample.from_query({"name": ""}) == Sample()


class Renamed(Settings):
    length: int = formerly("first", formerly("size", whole(5, 1, 64)))  # first `first`, then `size`


def test_a_renamed_setting_is_read_under_its_old_names_and_written_under_its_own() -> None:
    assert Renamed.from_query({"size": "7"}) == Renamed.from_query({"first": "7"}) == Renamed(length=7)
    assert Renamed(length=7).to_query() == {"length": "7"}
    assert Renamed.from_query({"first": "3", "length": "9", "size": "7"}) == Renamed(length=9)
    assert Renamed.from_query({"size": "65"}) == Renamed()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_two_settings_of_a_chapter_go_by_the_same_name(chapter: str) -> None:
    names = [name for kind in (Frame, kind_of(chapter)) for of_one in kind.names().values() for name in of_one]
    assert len(set(names)) == len(names)


def allowed(kind: Kind) -> some.SearchStrategy[Any]:
    """Any value that the setting may have, its ends and the longest texts among them."""
    match kind:
        case Whole(low, high):
            return some.integers(low, high)
        case Real(low, high):
            return some.floats(low, high)
        case OneOf(options):
            return some.sampled_from(options)
        case Flag():
            return some.booleans()
        case Text(limit):
            signs = some.text("&=?#+%;./\\ \t\0\n\"'<>０é中🙂", min_size=1, max_size=9)
            return some.text(max_size=limit) | signs.map(lambda typed: (typed * limit)[:limit])
        case LetterCode(count):
            return some.text("ABYZ", min_size=count, max_size=count) | some.just("")
        case ChosenCell():
            places = some.integers(0, 99_999)
            return some.none() | some.tuples(some.text("abc.é", max_size=80), places, places)
    raise AssertionError(kind)


def any_settings(kind: type[Settings]) -> some.SearchStrategy[Settings]:
    """Every setting at its default or at any other value."""
    return some.builds(kind, **{f.name: some.just(f.default) | allowed(f.metadata["kind"]) for f in fields(kind)})


@pytest.mark.parametrize("kind", [Frame, *map(kind_of, CHAPTERS)])
@within(repeatable, max_examples=8)
@given(data=some.data())
def test_any_settings_come_back_from_their_link(kind: type[Settings], data: some.DataObject) -> None:
    settings = data.draw(any_settings(kind))
    link = urlencode(settings.to_query())
    assert kind.from_query(dict(parse_qsl(link, keep_blank_values=True))) == settings


NONSENSE = some.one_of(
    some.none(), some.booleans(), some.integers(), some.floats(), some.text(max_size=90), some.binary(max_size=3),
    some.lists(some.integers(), max_size=3), some.tuples(some.text(max_size=90), some.integers(), some.integers()),
    some.sampled_from([math.nan, math.inf, -math.inf, 10**400, ("a", True, 0), ("a", 0.0, 1), ["a", 0, 0], {}]),
)  # fmt: skip


@repeatable
@given(value=NONSENSE, name=some.sampled_from([f.name for f in fields(Sample)]))
def test_whatever_a_setting_allows_comes_back_from_its_link(value: Any, name: str) -> None:
    if Sample.allows(name, value):
        settings = replace(Sample(), **{name: value})
        assert Sample.from_query(settings.to_query()) == settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("size", 65), ("size", 5.0), ("size", True), ("size", "5"), ("size", None),
        ("factor", math.nan), ("factor", math.inf), ("factor", "1"), ("factor", True), ("factor", [1.0]),
        ("kind", "c"), ("kind", ["a"]), ("kind", None), ("on", 1), ("on", "yes"), ("words", "1234567"), ("words", b"1"),
        ("cell", ("a", 1)), ("cell", ["a", 1, 1]), ("cell", ("a", -1, 1)), ("cell", ("a", True, 1)), ("cell", "a.1.1"),
        ("cell", ("a" * 81, 0, 0)), ("cell", (1, 0, 0)), ("name", "abcd"), ("name", "ABC"), ("name", ["A"] * 4),
    ],
)  # fmt: skip
def test_a_value_of_another_type_or_out_of_range_is_not_allowed(name: str, value: object) -> None:
    assert not Sample.allows(name, value)


def test_a_cleared_cell_is_written_as_nothing_and_stays_cleared() -> None:
    attention = kind_of("attention")
    cleared = replace(attention(), cell=None)  # type: ignore[call-arg]
    assert cleared.to_query() == {"cell": ""}
    assert attention.from_query({"cell": ""}) == cleared != attention()


def test_a_real_keeps_every_digit_and_none_too_many() -> None:
    assert Sample(factor=1.2345678901234567).to_query() == {"factor": "1.2345678901234567"}
    assert Sample(factor=2.0).to_query() == {"factor": "2"}
    assert Sample(factor=0.3).to_query() == {"factor": "0.3"}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_chapter_uses_a_name_of_the_frame(chapter: str) -> None:
    assert not set(kind_of(chapter).kinds()) & set(Frame.kinds())


def test_settings_are_frozen() -> None:
    assert replace(Sample(), size=3).size == 3
    assert {f.name for f in fields(Sample)} == set(Sample.kinds())
