"""Predict, then reveal: a question before the answer is shown. The reply is a setting, so a link can carry it."""

import math
from collections.abc import Mapping

import streamlit as st

from ui import address
from ui.figures.arithmetic import number
from ui.shell import Chapter
from ui.text import Typed, Words


def predict_choice(chapter: Chapter, name: str, options: tuple[str, ...], answer: str) -> bool:
    """Ask `name.question` with a few options (`name.option.<option>`). True once the answer may be shown.

    The setting `name` is a `reply()`. A wrong reply is explained by the misconception behind it,
    `name.wrong.<option>`; the right one by `name.right`.
    """
    say, shell = chapter.say, Words("shell", chapter.lang)
    with _question(chapter, name):
        reply = _reply(chapter, name)
        chosen = reply if reply in options else None
        key = address.prepare_widget(chapter.name, name, chosen)
        picked = st.pills(
            say(f"{name}.question"),
            options,
            default=chosen,
            format_func=lambda option: say(f"{name}.option.{option}"),
            key=key,
            label_visibility="collapsed",
        )
        if picked == answer:
            st.success(say(f"{name}.right"), icon=":material/check:")
            return True
        if picked is not None:
            st.error(say(f"{name}.wrong.{picked}"), icon=":material/close:")
        return _show_button(chapter, name, shell, say(f"{name}.option.{answer}"))


def predict_number(
    chapter: Chapter, name: str, answer: float, misconceptions: Mapping[str, float], tolerance: float = 0.005
) -> bool:
    """Ask `name.question` for a number. True once the answer may be shown. The setting `name` is a `text("")`.

    `misconceptions` maps a text key to the number that this mistake leads to; a reply near it gets that explanation,
    any other wrong reply `name.wrong`. `tolerance` is absolute. `{{answer}}` is a blank of `name.right`.
    """
    say, shell = chapter.say, Words("shell", chapter.lang)
    with _question(chapter, name):
        reply = _reply(chapter, name)
        key = address.prepare_widget(chapter.name, name, reply)
        text = st.text_input(
            say(f"{name}.question"),
            reply,
            key=key,
            max_chars=20,
            label_visibility="collapsed",
            placeholder=shell("predict.number"),
        )
        if text.strip():
            guess = _number(text)
            if guess is None:
                st.warning(shell("predict.no_number", text=Typed(text)))
            elif math.isclose(guess, answer, rel_tol=0.0, abs_tol=tolerance):
                st.success(say(f"{name}.right", answer=number(answer)), icon=":material/check:")
                return True
            else:
                slips = [
                    slip
                    for slip, value in misconceptions.items()
                    if math.isclose(guess, value, rel_tol=0.0, abs_tol=tolerance)
                ]
                st.error(say(slips[0] if slips else f"{name}.wrong"), icon=":material/close:")
        return _show_button(chapter, name, shell, number(answer))


def _question(chapter: Chapter, name: str) -> "st.delta_generator.DeltaGenerator":
    box = st.container(key=f"predict-{chapter.name}-{name}", border=True, gap="xsmall")
    box.markdown(f"**{Words('shell', chapter.lang)('predict.lead')}** {chapter.say(f'{name}.question')}")
    return box


def _reply(chapter: Chapter, name: str) -> str:
    return getattr(chapter.settings, name) or ""


def _show_button(chapter: Chapter, name: str, shell: Words, answer: str) -> bool:
    """Whoever does not want to guess may go on."""
    shown = st.toggle(shell("predict.show"), key=f"{chapter.name}.{name}.show", persist_state="session")
    if shown:
        st.info(shell("predict.answer", answer=answer))
    return shown


def _number(text: str) -> float | None:
    try:
        value = float(text.strip().replace("−", "-").replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None
