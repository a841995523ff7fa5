"""Which documents the pages mean by "the lecture notes"."""

import streamlit as st

from ui.text import Words

COUNT = 5


def documents(lang: str) -> None:
    """A popover that names the five, says what each holds, and which chapters speak of it."""
    shell, original = Words("shell", lang), Words("shell", "zh")
    with st.popover(shell("documents"), type="tertiary", icon=":material/menu_book:"):
        lines = [shell("documents_lead"), ""]
        for number in range(COUNT):
            title, translated = original(f"document.{number}.title"), shell(f"document.{number}.title")
            named = f"**{title}**" if lang == "zh" else f"**{title}** ({translated})"
            lines.append(f"{number + 1}. {named}  \n{shell(f'document.{number}.text')}")
        st.markdown("\n".join(lines))
