"""Settings that travel in a link. Whatever a link says that is not allowed quietly becomes the default."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Protocol, Self


class Kind(Protocol):
    """How one setting is written in a link, and which values are allowed."""

    def parse(self, text: str) -> Any:
        """The value, or ValueError."""

    def format(self, value: Any) -> str: ...


@dataclass(frozen=True)
class Whole:
    low: int
    high: int

    def parse(self, text: str) -> int:
        if len(text) > 20:
            raise ValueError
        value = int(text)
        if not self.low <= value <= self.high:
            raise ValueError
        return value

    def format(self, value: int) -> str:
        return str(value)


@dataclass(frozen=True)
class Real:
    low: float
    high: float

    def parse(self, text: str) -> float:
        value = float(text)
        if not (math.isfinite(value) and self.low <= value <= self.high):
            raise ValueError
        return value

    def format(self, value: float) -> str:
        return f"{value:.6g}"


@dataclass(frozen=True)
class Choice:
    options: tuple[str, ...]

    def parse(self, text: str) -> str:
        if text not in self.options:
            raise ValueError
        return text

    def format(self, value: str) -> str:
        return value


@dataclass(frozen=True)
class Flag:
    def parse(self, text: str) -> bool:
        return {"1": True, "0": False}[text]

    def format(self, value: bool) -> str:
        return "1" if value else "0"


@dataclass(frozen=True)
class Text:
    """Free text. What it means is checked where it is used, so that a wrong sequence can be explained, not dropped."""

    limit: int

    def parse(self, text: str) -> str:
        if len(text) > self.limit:
            raise ValueError
        return text

    def format(self, value: str) -> str:
        return value


@dataclass(frozen=True)
class Cell:
    """A chosen cell (panel, row, column), written `panel.row.column`; None when nothing is chosen."""

    def parse(self, text: str) -> tuple[str, int, int]:
        panel, row, column = text.rsplit(".", 2)
        return panel[:80], Whole(0, 99_999).parse(row), Whole(0, 99_999).parse(column)

    def format(self, value: tuple[str, int, int] | None) -> str:
        return "" if value is None else "{}.{}.{}".format(*value)


def whole(default: int, low: int, high: int) -> Any:
    return field(default=default, metadata={"kind": Whole(low, high)})


def real(default: float, low: float, high: float) -> Any:
    return field(default=default, metadata={"kind": Real(low, high)})


def choice(default: str, *options: str) -> Any:
    return field(default=default, metadata={"kind": Choice(options)})


def flag(default: bool) -> Any:
    return field(default=default, metadata={"kind": Flag()})


def text(default: str, limit: int = 400) -> Any:
    return field(default=default, metadata={"kind": Text(limit)})


def reply() -> Any:
    """The reader's pick in a question; None before there is one."""
    return field(default=None, metadata={"kind": Text(40)})


def cell() -> Any:
    return field(default=None, metadata={"kind": Cell()})


@dataclass(frozen=True)
class Settings:
    """Base of every chapter's settings; the fields are made by the functions above."""

    @classmethod
    def kinds(cls) -> dict[str, Kind]:
        return {f.name: f.metadata["kind"] for f in fields(cls)}

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        """Read a link. A value that is unknown or out of range is left at its default."""
        values = {}
        for name, kind in cls.kinds().items():
            if name in query:
                try:
                    values[name] = kind.parse(query[name])
                except (ValueError, KeyError):
                    continue
        return cls(**values)

    def to_query(self) -> dict[str, str]:
        """Write a link: only what differs from the default."""
        default = type(self)()
        return {
            name: kind.format(getattr(self, name))
            for name, kind in self.kinds().items()
            if getattr(self, name) != getattr(default, name)
        }
