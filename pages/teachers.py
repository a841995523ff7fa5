"""For teachers: what a link can do for a lesson, and five lessons of ten minutes."""

from urllib.parse import urlencode

import streamlit as st

from ui.settings.lessons import LESSONS
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("teachers")
chapter.write("links")
chapter.write("lecture")
for lesson, stops in LESSONS.items():
    chapter.heading(lesson)
    lines = []
    for number, stop in enumerate(stops, 1):
        address = f"{stop.chapter}?{urlencode({'lang': chapter.lang, 'lesson': lesson, 'stop': number})}"
        lines.append(f"{number}. [{chapter.say(f'{lesson}.stop_{number}')}]({address})")
    chapter.write(f"{lesson}.text")
    st.markdown("\n".join(lines))
close_chapter(chapter)
