"""For teachers: five lessons of ten minutes, an hour made of them, and links for a class."""

from functools import partial

from ui.chapters.teachers.builder import builder
from ui.chapters.teachers.links import course
from ui.chapters.teachers.plan import plan
from ui.chapters.teachers.settings import Teachers
from ui.chapters.teachers.stops import lesson_stops, overview
from ui.frame.opening import close_chapter, open_chapter
from ui.page.section import Section, heading_only
from ui.page.sections import sections
from ui.settings.chapters import TEACHERS
from ui.settings.lessons import LESSONS

OF_A_LINK = "link_chapter link_section link_hide link_present link_lang link_model"

chapter = open_chapter(TEACHERS, Teachers)
lessons = tuple(Section(lesson, partial(lesson_stops, lesson=lesson)) for lesson in LESSONS)
sections(
    chapter,
    Section("lessons", overview, look="lead", parts=lessons),
    Section("plan", plan, look="open", text="text"),
    Section("builder", builder, owns=OF_A_LINK, look="open", text="text"),
    Section("course", course, owns="list_lesson list_format", text="text"),
    Section("links", heading_only, text="text"),
    Section("lecture", heading_only, text="text"),
)
close_chapter(chapter)
