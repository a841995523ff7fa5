"""A chapter's settings: those of its sections, as one value that a link carries."""

from collections.abc import Iterable
from dataclasses import field, fields
from typing import Any, TypeVar

from ui.settings.fields import Settings

S = TypeVar("S", bound=Settings)


def composed(name: str, kinds: Iterable[type[Settings]]) -> type[Settings]:
    """One kind of settings that is each of `kinds`, its fields in their order; sections that share a kind share its
    values. ValueError if two kinds call different settings alike, be it in links of an earlier release."""
    parts = _parts(kinds)
    owners: dict[str, type[Settings]] = {}
    for part in parts:
        for setting, names in part.names().items():
            where = _where(part, setting)
            for called in names:
                if owners.setdefault(called, where) is not where:
                    raise ValueError(f"{name}: {called} is a setting of {where.__name__} and {owners[called].__name__}")
    return type(name, tuple(reversed(parts)) or (Settings,), {})  # fields come from the last base to the first


def _parts(kinds: Iterable[type[Settings]]) -> list[type[Settings]]:
    """Each once, and none that another one has in it."""
    every = list(dict.fromkeys(kinds))
    return [one for one in every if not any(issubclass(other, one) and other is not one for other in every)]


def _where(kind: type[Settings], setting: str) -> type[Settings]:
    """The class that has brought the setting: sections may share one."""
    return next(base for base in reversed(kind.__mro__) if setting in vars(base).get("__annotations__", {}))


def redefined(kind: type[S], **defaults: Any) -> type[S]:
    """The same settings with other defaults."""
    metadata = {one.name: one.metadata for one in fields(kind)}
    changed = {name: field(default=value, metadata=metadata[name]) for name, value in defaults.items()}
    return type(kind.__name__, (kind,), {"__annotations__": dict.fromkeys(defaults, object), **changed})
