"""Settings that travel in a link. Whatever a link says that is not allowed quietly becomes the default."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cache
from types import MappingProxyType
from typing import Any, Protocol, Self, dataclass_transform


class Kind(Protocol):
    """How one setting is written in a link, and which values are allowed, whoever sets them."""

    def parse(self, text: str) -> Any:
        """What the text says, allowed or not; ValueError if it says nothing."""

    def format(self, value: Any) -> str:
        """The text of an allowed value: `parse` gives back that very value."""

    def allows(self, value: object) -> bool: ...


@dataclass(frozen=True)
class Whole:
    low: int
    high: int

    def parse(self, text: str) -> int:
        if len(text) > 20:
            raise ValueError
        return int(text)

    def format(self, value: int) -> str:
        return str(value)

    def allows(self, value: object) -> bool:
        return type(value) is int and self.low <= value <= self.high


@dataclass(frozen=True)
class Real:
    low: float
    high: float

    def parse(self, text: str) -> float:
        return float(text)

    def format(self, value: float) -> str:
        return repr(float(value)).removesuffix(".0")

    def allows(self, value: object) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool) and self.low <= value <= self.high


@dataclass(frozen=True)
class OneOf:
    options: tuple[str, ...]

    def parse(self, text: str) -> str:
        return text

    def format(self, value: str) -> str:
        return value

    def allows(self, value: object) -> bool:
        return value in self.options


@dataclass(frozen=True)
class Flag:
    def parse(self, text: str) -> bool:
        return bool(("0", "1").index(text))

    def format(self, value: bool) -> str:
        return "1" if value else "0"

    def allows(self, value: object) -> bool:
        return isinstance(value, bool)


@dataclass(frozen=True)
class Text:
    """Free text. What it means is checked where it is used, so that a wrong sequence can be explained, not dropped."""

    limit: int

    def parse(self, text: str) -> str:
        return text

    def format(self, value: str) -> str:
        return value

    def allows(self, value: object) -> bool:
        return isinstance(value, str) and len(value) <= self.limit


@dataclass(frozen=True)
class Sequence(Text):
    """Words. Of too many for its field a link is read as far as they go, so that they can be explained, not dropped."""

    def parse(self, text: str) -> str:
        if len(text) <= self.limit:
            return text
        kept, space, _ = text[: self.limit].rpartition(" ")
        return kept if space else text[: self.limit]


@dataclass(frozen=True)
class LetterCode:
    """So many of A to Z, or none; a link may have them small."""

    count: int

    def parse(self, text: str) -> str:
        return text.upper() if text.isascii() else ""

    def format(self, value: str) -> str:
        return value

    def allows(self, value: object) -> bool:
        if not isinstance(value, str) or len(value) not in (0, self.count):
            return False
        return all("A" <= letter <= "Z" for letter in value)


CellSetting = tuple[str, int, int] | None  # panel, row, column


@dataclass(frozen=True)
class ChosenCell:
    """A chosen cell (panel, row, column), written `panel.row.column`; None, written as nothing, when none is chosen."""

    index = Whole(0, 99_999)
    longest = 80  # letters of a panel's name

    def parse(self, text: str) -> CellSetting:
        if not text:
            return None
        panel, row, column = text.rsplit(".", 2)
        return panel, self.index.parse(row), self.index.parse(column)

    def format(self, value: CellSetting) -> str:
        return "" if value is None else "{}.{}.{}".format(*value)

    def allows(self, value: object) -> bool:
        if value is None:
            return True
        if not isinstance(value, tuple) or len(value) != 3:
            return False
        panel, row, column = value
        return Text(self.longest).allows(panel) and self.index.allows(row) and self.index.allows(column)


def whole(default: int, low: int, high: int) -> Any:
    return field(default=default, metadata={"kind": Whole(low, high)})


def real(default: float, low: float, high: float) -> Any:
    return field(default=default, metadata={"kind": Real(low, high)})


def choice(default: str, *options: str) -> Any:
    return field(default=default, metadata={"kind": OneOf(options)})


def flag(default: bool) -> Any:
    return field(default=default, metadata={"kind": Flag()})


def text(default: str, limit: int = 400) -> Any:
    return field(default=default, metadata={"kind": Text(limit)})


def letters(count: int) -> Any:
    """A name of so many letters; empty where there is none."""
    return field(default="", metadata={"kind": LetterCode(count)})


def by_click(setting: Any) -> Any:
    """A setting, as made by the others here, that a button or a click sets: no control of the page holds it."""
    return field(default=setting.default, metadata={**setting.metadata, "by_click": True})


def window(high: int) -> Any:
    return by_click(whole(0, 0, high))


def sequence(default: str, limit: int) -> Any:
    return field(default=default, metadata={"kind": Sequence(limit)})


def reply() -> Any:
    """The reader's pick in a question; None before there is one."""
    return field(default=None, metadata={"kind": Text(40), "reply": True})


def number_reply() -> Any:
    """What the reader has typed as the answer to a question."""
    return field(default="", metadata={"kind": Text(40), "reply": True})


def replies() -> Any:
    """What the reader has typed into the fields of an exercise, together."""
    return field(default="", metadata={"kind": Text(400), "reply": True})


def with_replies(setting: Any) -> Any:
    """A setting that a button sets and that goes with the reader's replies, in and out of a link."""
    return field(default=setting.default, metadata={**setting.metadata, "reply": True})


def cell(*chosen: Any) -> Any:
    """The chosen cell of a board: none, or from the start `panel, row, column`."""
    return field(default=chosen or None, metadata={"kind": ChosenCell()})


def cell_setting(said: str) -> type["Settings"]:
    """A chosen cell alone, as a link says it: its name, and the cell that is chosen at first."""
    name, _, chosen = said.partition("=")
    first = cell(*(ChosenCell().parse(chosen) or ()))
    return type("CellOfFigure", (Settings,), {"__annotations__": {name: CellSetting}, name: first})


def formerly(name: str, setting: Any) -> Any:
    """A setting that was renamed, as made above: links from before call it `name`, and are read for ever."""
    names = (name, *setting.metadata.get("formerly", ()))
    return field(default=setting.default, metadata={**setting.metadata, "formerly": names})


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class Settings:
    """Base of every section's settings, each a frozen dataclass; the fields are made by the functions above."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)

    @classmethod
    @cache
    def kinds(cls) -> Mapping[str, Kind]:
        return {f.name: f.metadata["kind"] for f in fields(cls)}

    @classmethod
    @cache
    def names(cls) -> Mapping[str, tuple[str, ...]]:
        """What a link may call each setting: its name, and those that it had before."""
        return {f.name: (f.name, *f.metadata.get("formerly", ())) for f in fields(cls)}

    @classmethod
    @cache
    def replies(cls) -> tuple[str, ...]:
        """The settings that are the reader's replies to questions."""
        return tuple(f.name for f in fields(cls) if "reply" in f.metadata)

    @classmethod
    @cache
    def controls(cls) -> tuple[str, ...]:
        """The settings that have a control on the page: neither cells nor replies nor what is set by a click."""
        apart = {"reply", "by_click"}
        return tuple(
            f.name
            for f in fields(cls)
            if not isinstance(f.metadata["kind"], ChosenCell) and apart.isdisjoint(f.metadata)
        )

    @classmethod
    @cache
    def chosen_cell(cls) -> str:
        """The name of the one chosen cell; ValueError where there are several, or none."""
        (name,) = (name for name, kind in cls.kinds().items() if isinstance(kind, ChosenCell))
        return name

    @classmethod
    @cache
    def default(cls) -> Self:
        return cls()

    @classmethod
    def allows(cls, name: str, value: object) -> bool:
        """Whether the setting may have this value. A reply that has not been given yet is None, as by default."""
        return cls.kinds()[name].allows(value) or (value is None and getattr(cls.default(), name) is None)

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        """Read a link. A value that is unknown or out of range is left at its default."""
        values = cls._values(query)
        return replace(cls.unsaid(values), **values)

    @classmethod
    def _values(cls, query: Mapping[str, str]) -> dict[str, Any]:
        """What a link says that is allowed."""
        values = {}
        for name, kind in cls.kinds().items():
            said = [query[each] for each in cls.names()[name] if each in query]
            if said:
                with suppress(ValueError):
                    value = kind.parse(said[0])
                    if kind.allows(value):
                        values[name] = value
        return values

    @classmethod
    def unsaid(cls, said: Mapping[str, Any]) -> Self:
        """What a link leaves unsaid that says this much, or more: the defaults."""
        return cls.default()

    def to_query(self, said: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
        """Write a link: only what would not be understood unsaid, or from what is `said` already."""
        understood = replace(self.unsaid(vars(self)), **self._values(said))
        return {
            name: kind.format(getattr(self, name))
            for name, kind in self.kinds().items()
            if getattr(self, name) != getattr(understood, name)
        }


ALL = "all"  # in the setting `open`: every section


class Folding(Settings):
    open: str = text("")  # the sections that are open, `fill,rows`, and those closed that would be open, `-drift`
