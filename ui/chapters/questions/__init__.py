"""What learners ask, part by part, each with its answer and a link to where the app shows it."""

from html import escape
from typing import Any

import streamlit as st

from ui.frame.menu import anchor, title
from ui.sections import AnyChapter, Section
from ui.sections.contents import Contents
from ui.settings.chapters import PARTS, QUESTIONS
from ui.settings.questions import ASKED, Question
from ui.text import Words


def _of(part: str) -> Section[Any]:
    asked = [question for question in ASKED if question.part == part]

    def draw(chapter: AnyChapter) -> None:
        st.html("".join(_entry(question, chapter) for question in asked))

    return Section(part, draw, look="open")


def _entry(question: Question, chapter: AnyChapter) -> str:
    """The heading links to itself, so that a question can be sent to somebody."""
    lang, name = chapter.lang, anchor(question.name)
    said = {"chapter": title(question.chapter, lang)}
    if question.title:
        said["section"] = Words(question.chapter, lang)(question.title)
    see = chapter.say("see_section" if question.title else "see", **said)
    return (
        f'<article class="question" id="{name}"><h3><a href="#{name}">{escape(question.asked(lang))}</a></h3>'
        f"<p>{escape(question.answer(lang))}</p>"
        f'<p><a href="{escape(question.link(lang))}" target="_blank" rel="noopener">{escape(see)} ↗</a></p></article>'
    )


CONTENTS = Contents(QUESTIONS, tuple(_of(part) for part in PARTS))
