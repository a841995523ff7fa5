"""A room per chapter, and what each has in it."""

from importlib import import_module

from ui.page.contents import Contents


def contents(chapter: str) -> Contents:
    """The sections of a chapter, by its name."""
    found: Contents = import_module(f"ui.chapters.{chapter}").CONTENTS
    return found
