"""Training, live: to copy, reverse, sort or translate (paper, section 5)."""

from ui.chapters.shared.difference import difference
from ui.chapters.training.decode import decoded
from ui.chapters.training.own import own_model
from ui.chapters.training.questions import LESSON
from ui.chapters.training.run import guessing, opened, training_run
from ui.frame.opening import close_chapter
from ui.page.section import Section
from ui.page.sections import sections

chapter = opened()
sections(
    chapter,
    Section("run", training_run, look="lead", whole=True, lesson=LESSON),
    *difference(chapter),
    Section("decode", decoded, look="open", text="text", whole=True),
    Section("guessing", guessing),
    Section("own", own_model, owns="own_h own_form", text="text"),
    Section("again", lambda chapter: chapter.write("again.same", "again.notes")),
)
close_chapter(chapter)
