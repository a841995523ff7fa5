"""Predict, then reveal: a question before the answer is shown. The reply is a setting, so a link can carry it."""

import math
from collections.abc import Hashable, Mapping
from functools import partial

import streamlit as st

from ui import address
from ui.figures.number import number
from ui.shell import Chapter
from ui.text import Typed, Words


def predict_choice(chapter: Chapter, name: str, options: tuple[str, ...], answer: str, about: Hashable = None) -> bool:
    """Ask `name.question` with a few options (`name.option.<option>`). True from the first reply on, right or not.

    The setting `name` is a `reply()`. A wrong reply is explained by the misconception behind it,
    `name.wrong.<option>`; the answer by `name.right`. Where the answer depends on the model, `about` is that model: a
    reply about another one is taken back.
    """
    say = chapter.say
    with _question(chapter, name):
        anew = _forget_reply(chapter, name, about)
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
        wrong = picked is not None and picked != answer
        if wrong:
            st.error(say(f"{name}.wrong.{picked}"), icon=":material/close:")
        return _told(chapter, name, say(f"{name}.option.{answer}"), right=picked == answer, replied=wrong, anew=anew)


def predict_number(
    chapter: Chapter, name: str, answer: float, misconceptions: Mapping[str, float], tolerance: float = 0.005
) -> bool:
    """Ask `name.question` for a number. True from the first reply on. The setting `name` is a `number_reply()`.

    `misconceptions` maps a text key to the number that this mistake leads to; a reply near it gets that explanation,
    any other wrong reply `name.wrong`. `tolerance` is absolute.
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
        near = partial(math.isclose, rel_tol=0.0, abs_tol=tolerance)
        guess = _number(text)
        right = guess is not None and near(guess, answer)
        if text.strip() and guess is None:
            st.warning(shell("predict.no_number", text=Typed(text)))
        elif guess is not None and not right:
            slips = [slip for slip, value in misconceptions.items() if near(guess, value)]
            st.error(say(slips[0] if slips else f"{name}.wrong"), icon=":material/close:")
        return _told(chapter, name, number(answer), right=right, replied=guess is not None)


def _question(chapter: Chapter, name: str) -> "st.delta_generator.DeltaGenerator":
    box = st.container(key=f"predict-{chapter.name}-{name}", border=True, gap="xsmall")
    box.markdown(f"**{Words('shell', chapter.lang)('predict.lead')}** {chapter.say(f'{name}.question')}")
    return box


def _reply(chapter: Chapter, name: str) -> str:
    return getattr(chapter.settings, name) or ""


def _forget_reply(chapter: Chapter, name: str, about: Hashable) -> bool:
    """Whether what is asked about has changed since; a reply to that is taken back, which a sentence says."""
    anew = address.changed(f"{chapter.name}.{name}.about", about)
    if anew and _reply(chapter, name):
        chapter.put(name, None)
        st.info(Words("shell", chapter.lang)("predict.anew"))
    return anew


def _told(chapter: Chapter, name: str, answer: str, *, right: bool, replied: bool, anew: bool = False) -> bool:
    """The answer with its reason, for who has found it or asks for it. True once there was a reply of any kind."""
    shell, question = Words("shell", chapter.lang), f"{chapter.name}.{name}"
    shown = not right and st.toggle(shell("predict.show"), key=f"{question}.show", persist_state="session")
    if right:
        st.success(shell("predict.right", answer=answer, reason=chapter.say(f"{name}.right")), icon=":material/check:")
    elif shown:
        st.info(shell("predict.answer", answer=answer, reason=chapter.say(f"{name}.right")))
    return address.stays(f"{question}.told", right or replied or shown, anew=anew)


def _number(text: str) -> float | None:
    try:
        value = float(text.strip().replace("−", "-").replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None
