"""Predict, then reveal: a question before the answer is shown, its reply, and what is said of it."""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

import streamlit as st

from transformer_core.exercises.reply import ReplyVerdict
from ui import state
from ui.classroom import membership
from ui.classroom.ballot import ClassQuestion
from ui.classroom.rooms import RoomView
from ui.frame.chapter import Chapter
from ui.frame.fragment import run_page
from ui.frame.labsheet_entries import gather
from ui.sections.question import OTHER, Choice, Quantity
from ui.sections.slide import printed
from ui.text import Typed, Words


def predict(
    chapter: Chapter[Any],
    question: Choice | Quantity,
    about: Hashable = None,
    *,
    awaited: bool = False,
    then: Callable[[], object] | None = None,
    reasoned: bool = True,
) -> bool:
    """Ask a question. True from the first reply on, right or not. The answer is told with its reason if `reasoned`.

    Where the answer depends on the model, `about` is that model: a reply about another one is taken back. Where it has
    still to be found out it is `awaited`: then a choice is only taken, and told about later; `then` is called with the
    reader's own reply, to set to work what finds it out. A stop of a lesson asks one question; the others are told as
    soon as that is. What a class is asked stands above the page, and is told when its teacher says so. On a page of
    slides it is printed, and there is no reply.
    """
    stop = chapter.frame.at
    if stop and chapter.frame.slide:
        if stop.question == question.name:
            _printed(chapter, question)
        return True
    if stop and stop.question != question.name:
        return not chapter.waits
    asked = membership.asks(chapter.frame, chapter.name, question.name, question.said)
    if asked and (asked.teaches or asked.phase != "told"):
        return asked.phase == "told"
    computed = _computed(question)
    with _question(chapter, question):
        anew = _forget_reply(chapter, question, about if computed else (about, *question.said.values()))
        match question:
            case Choice():
                told = _choice(chapter, question, anew, awaited=awaited, then=then, reasoned=reasoned)
            case Quantity():
                told = _quantity(chapter, question, anew)
        if not (awaited or computed or question.said):
            reply = _reply(chapter, question.name)
            claim = question.claim(reply)
            if claim:
                gather(chapter, "question", f"{chapter.name} {question.name}", {question.name: reply}, (claim,))
        if then is None and not computed:  # a class cannot wait for what a reply sets to work
            for_the_class(chapter, question)
    return told


def _printed(chapter: Chapter[Any], question: Choice | Quantity) -> None:
    label, text = partial(question.label, chapter.say), partial(question.text, chapter.say)
    options = question.options if isinstance(question, Choice) and not question.by_hand else ()
    told = chapter.shell("predict.answer", answer=label(question.right_reply), reason=text("right"))
    printed(chapter, question.name, text("question"), [*map(label, options)], told)


def for_the_class(chapter: Chapter[Any], question: Choice | Quantity) -> None:
    """For who has opened a room, a button: let it reply to this."""
    seen = membership.taught(chapter.frame)
    if seen:
        only = chapter.named or chapter.frame.only
        link = state.shared(chapter.name, only=only, lang="auto", hide="", present=False, lesson="", at_stop=1)
        replies, said = (question.replies, question.right_reply), tuple(question.said.items())
        asked = ClassQuestion(chapter.name, question.name, *replies, tuple(link.items()), said)
        st.button(
            chapter.shell("room.ask"), icon=":material/groups:", type="tertiary",
            key=f"{chapter.name}.{question.name}.ask", on_click=_ask, args=(seen, asked),
        )  # fmt: skip


def _ask(seen: RoomView, asked: ClassQuestion) -> None:
    membership.ask(seen, asked)
    run_page()


def _choice(
    chapter: Chapter[Any],
    question: Choice,
    anew: bool,
    *,
    awaited: bool,
    then: Callable[[], object] | None,
    reasoned: bool,
) -> bool:
    say, name, options = chapter.say, question.name, question.options
    reply = _reply(chapter, name)
    chosen, own = reply if reply in options else None, state.is_given(chapter.name, name)
    key = state.prepare_widget(chapter.name, name, chosen)
    picked = st.pills(
        question.text(say, "question"),
        options,
        default=chosen,
        format_func=lambda option: question.label(say, option),
        key=key,
        label_visibility="collapsed",
        on_change=chapter.then(partial(_press, chapter, name, "" if own else chosen, then), name),
        wrap=True,
    )
    if awaited:
        return picked is not None
    if picked is not None and not own:
        return _linked(chapter, question, picked)
    wrong = picked is not None and picked != question.right
    if wrong:
        st.error(question.text(say, f"wrong.{picked}"), icon=":material/close:")
    return _told(chapter, question, right=picked == question.right, replied=wrong, reasoned=reasoned, anew=anew)


def _quantity(chapter: Chapter[Any], question: Quantity, anew: bool) -> bool:
    say, shell, name = chapter.say, chapter.shell, question.name
    reply = _reply(chapter, name)
    key = state.prepare_widget(chapter.name, name, reply)
    text = st.text_input(
        question.text(say, "question"),
        reply,
        key=key,
        max_chars=20,
        label_visibility="collapsed",
        placeholder=shell("predict.number"),
        on_change=chapter.then(partial(_press, chapter, name), name),
    )
    verdict = question.judged(text)
    replied = verdict.kind in ("right", "slip", "wrong")
    if replied and not state.is_given(chapter.name, name):
        return _linked(chapter, question, question.counted_as(text) or OTHER)
    if verdict.kind == "unread":
        st.warning(unread(chapter.lang, verdict, text))
    elif replied and verdict.kind != "right":
        st.error(say(verdict.cause or f"{name}.wrong"), icon=":material/close:")
    return _told(chapter, question, right=verdict.kind == "right", replied=replied, reasoned=True, anew=anew)


def tell(chapter: Chapter[Any], text: str, *, right: bool, own: bool) -> None:
    """What an answer is worth; of one that a link has set, that it is nobody's."""
    if own:
        sign, icon = (st.success, "check") if right else (st.error, "close")
        sign(text, icon=f":material/{icon}:")
    else:
        st.info(f"{chapter.shell('predict.of_link')} {text}")


def unread(lang: str, verdict: ReplyVerdict, reply: str) -> str:
    """Why a reply says no number."""
    return Words("shell", lang)(f"predict.{verdict.cause}", text=Typed(reply))


def _press(
    chapter: Chapter[Any], name: str, linked: str | None = None, then: Callable[[], object] | None = None
) -> None:
    """The reader has replied. Who presses the reply that a link has set gives that one."""
    if linked and getattr(chapter.settings, name) is None:
        chapter.put(name, linked)
    state.give(chapter.name, name)
    if then:
        then()


def _linked(chapter: Chapter[Any], question: Choice | Quantity, reply: str) -> bool:
    """What a link or a scene shows as the reply is explained, and is nobody's answer."""
    label, reason = question.label(chapter.say, reply), question.reason(reply)
    like = f"{question.like}{reason.removeprefix(question.name)}" if isinstance(question, Choice) else reason
    reason = reason if reason in chapter.say else like
    st.info(chapter.shell("predict.linked", reply=label, reason=chapter.say(reason)))
    return state.stays(f"{chapter.name}.{question.name}.told", now=True)


def _question(chapter: Chapter[Any], question: Choice | Quantity) -> "st.delta_generator.DeltaGenerator":
    box = st.container(key=f"predict-{chapter.name}-{question.name}", border=True, gap="xsmall")
    lead = question.lead if isinstance(question, Choice) else "lead"
    if _reply(chapter, question.name) and not state.is_given(chapter.name, question.name):
        lead = "seen"  # a link, or a story, has shown it
    box.markdown(f"**{Words('shell', chapter.lang)(f'predict.{lead}')}** {question.text(chapter.say, 'question')}")
    return box


def _reply(chapter: Chapter[Any], name: str) -> str:
    return getattr(chapter.settings, name) or ""


def _forget_reply(chapter: Chapter[Any], question: Choice | Quantity, about: Hashable) -> bool:
    """Whether what is asked about has changed since; a reply to that is taken back, which a sentence says."""
    name = question.name
    anew = state.changed(f"{chapter.name}.{name}.about", about)
    if anew:
        state.take_back(chapter.name, name)
    if anew and _reply(chapter, name):
        chapter.put(name, None)
        st.info(chapter.shell("predict.changed" if isinstance(question, Choice) and question.like else "predict.anew"))
    return anew


def _computed(question: Choice | Quantity) -> bool:
    """Whether it is made for one reader: no class and no lab sheet could ask it again."""
    return isinstance(question, Choice) and bool(question.like)


def _told(
    chapter: Chapter[Any], question: Choice | Quantity, *, right: bool, replied: bool, reasoned: bool, anew: bool
) -> bool:
    """The answer with its reason, if `reasoned`, for who has found it or asks for it, beside what the reader had said
    first. True once there was a reply of any kind."""
    say, shell, name = chapter.say, chapter.shell, f"{chapter.name}.{question.name}"
    first = said_first(chapter, question, anew=anew)
    if anew:
        state.prepare(f"{name}.show", False)
    shows = chapter.then(setting=question.name)  # what waits for the reply is shown, too
    shown = not right and st.toggle(shell("predict.show"), key=f"{name}.show", persist_state="session", on_change=shows)
    key, answer = "right" if right else "answer", question.label(say, question.right_reply)
    text = shell(f"predict.{key}", answer=answer, reason=question.text(say, "right") if reasoned else "").strip()
    if first and first != _reply(chapter, question.name) and question.label(say, first) != answer:
        text += " " + shell("predict.first", reply=question.label(say, first))
    if right:
        st.success(text, icon=":material/check:")
    elif shown:
        st.info(text)
    return state.stays(f"{name}.told", right or replied or shown, anew=anew)


def said_first(chapter: Chapter[Any], question: Choice | Quantity, *, anew: bool = False) -> str:
    """What the reader has replied first, in this session or, as its link says, in another one; "" where that was
    nothing. From the second reply on it is a setting, too; what a link says there that is no reply is dropped."""
    now, linked = (
        said if question.counted_as(said := getattr(chapter.settings, name) or "") else ""
        for name in (question.name, question.first)
    )
    if not state.is_given(chapter.name, question.name):
        now = linked = ""
    if anew:
        linked = ""
    key = f"{chapter.name}.{question.name}.first"
    first = state.remember_first(key, linked or now or None, anew=anew or bool(linked)) or ""
    chapter.put(question.first, first if now not in ("", first) else getattr(chapter.kind.default(), question.first))
    return first
