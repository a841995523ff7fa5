"""The settings class of each chapter."""

from ui.chapters import contents
from ui.settings.fields import Settings


def kind_of(chapter: str) -> type[Settings]:
    """All settings of the chapter's sections."""
    return contents(chapter).settings
