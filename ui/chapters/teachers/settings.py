"""Settings of the page for teachers: which list of links, and the link that is put together."""

from dataclasses import dataclass

from ui.settings.chapters import CHAPTERS
from ui.settings.fields import Choice, Folding, choice, flag, text
from ui.settings.frame import Frame
from ui.settings.lessons import LESSONS

EVERY = "every"
READERS = "auto"  # language: that of each reader's browser
MODELS = ("translate", "fresh_translate", "trained", "fresh", "notes")  # that every reader has


def _languages() -> tuple[str, ...]:
    kind = Frame.kinds()["lang"]
    return kind.options if isinstance(kind, Choice) else ()


@dataclass(frozen=True)
class Teachers(Folding):
    list_lesson: str = choice(EVERY, EVERY, *LESSONS)
    list_format: str = choice("markdown", "markdown", "html")
    link_chapter: str = choice("attention", *CHAPTERS)
    link_section: str = text("", 40)  # the whole chapter where it names none
    link_hide: str = text("", 400)  # names of controls, with commas between them
    link_present: bool = flag(False)
    link_lang: str = choice(READERS, *_languages())
    link_model: str = choice("translate", *MODELS)
