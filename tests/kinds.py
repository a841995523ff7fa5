"""The settings class of each chapter."""

import importlib

from ui.settings.fields import Settings


def kind_of(chapter: str) -> type[Settings]:
    """The one settings class that `ui/chapters/<chapter>/settings.py` defines."""
    room = importlib.import_module(f"ui.chapters.{chapter}")
    if hasattr(room, "CONTENTS"):
        settings: type[Settings] = room.CONTENTS.settings
        return settings
    module = importlib.import_module(f"ui.chapters.{chapter}.settings")
    (kind,) = (value for value in vars(module).values() if _is_kind(value) and value.__module__ == module.__name__)
    return kind


def _is_kind(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Settings)
