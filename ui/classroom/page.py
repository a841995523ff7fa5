"""A class above the page: for its teacher what it is asked and how it replies, for a student a field for the reply."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from ui import state
from ui.classroom import membership
from ui.classroom.ballot import ClassQuestion, Phase
from ui.classroom.rooms import RoomView
from ui.figures.markup import Markup, element
from ui.frame.chapter import Chapter
from ui.frame.fragment import fragment, run_page
from ui.sections.prediction import unread
from ui.sections.question import Choice, Quantity
from ui.sections.section import Section
from ui.settings.chapters import STORIES
from ui.settings.frame import Frame
from ui.theme import css

EVERY, LOOK = 0.5, (3.0, 5.0)  # seconds between two looks of the projector, and of a student's page, spread
SIDE_BY_SIDE = 2  # rounds
MANY = 9  # replies, for which there is no room above a figure
Question = Choice | Quantity


def in_class(chapter: Chapter[Any], sections: Sequence[Section[Any]]) -> None:
    """What stands under the page's title while a room is named, and where one has just ended."""
    room = membership.gone(chapter.name)
    if room:
        st.info(chapter.shell("room.gone", room=room), icon=":material/group_off:")
    seen = membership.look(chapter.frame)
    if seen is None:
        return
    if not seen.teaches:
        _attend(chapter, _asked(chapter, sections, seen), seen)
        return
    stop, telling = chapter.frame.at, bool(getattr(chapter.settings, "scene", 0))
    if stop and not telling:
        asked = _at_stop(chapter, stop.question, sections)
        if asked and asked != seen.asked:
            membership.ask(seen, asked)
            seen = membership.look(chapter.frame) or seen
    question = _asked(chapter, sections, seen)
    if question and not (stop and (telling or stop.question != question.name)):
        _lead(chapter, question, seen)


def _named(sections: Sequence[Section[Any]], name: str) -> Question | None:
    return next((asked for one in sections for asked in (*one.asks, *one.lesson) if asked.name == name), None)


def _as_asked(chapter: Chapter[Any], question: Question | None, link: Mapping[str, str]) -> Question | None:
    """The question as a link asks it, whatever is set on this page."""
    stop = Frame.from_query(link).at
    said = {**(stop.settings if stop else {}), **link}
    return question and question.of(chapter.kind.from_query(said), Frame.from_query(said))


def _asked(chapter: Chapter[Any], sections: Sequence[Section[Any]], seen: RoomView) -> Question | None:
    """What the class is asked, if it is a question of this chapter."""
    here = seen.asked and seen.asked.chapter == chapter.name
    if not here or seen.asked is None:
        return None
    return _as_asked(chapter, _named(sections, seen.asked.question), dict(seen.asked.link))


def _at_stop(chapter: Chapter[Any], name: str, sections: Sequence[Section[Any]]) -> ClassQuestion | None:
    frame = chapter.frame
    link = {"lesson": frame.lesson, "stop": str(frame.at_stop), "present": "0"}
    link |= {"scene": "0"} if chapter.name in STORIES else {}  # to the figure at once
    question = _as_asked(chapter, _named(sections, name), link)
    if question is None:
        return None
    replies, said = (question.replies, question.right_reply), tuple(question.said.items())
    return ClassQuestion(chapter.name, name, *replies, tuple(link.items()), said)


def _spread(seconds: tuple[float, float], name: str) -> float:
    """A number of seconds between these two, for each name another one: so many pages do not look at once."""
    low, high = seconds
    return low + (high - low) * (sum(name.encode()) % 100) / 100


def _anew(chapter: Chapter[Any], drawn: RoomView) -> RoomView:
    """The room as it is now; what concerns the whole page, and was another way when that was drawn, runs it again."""
    seen = membership.look(chapter.frame)
    if seen is None or (seen.asked, seen.phase == "told") != (drawn.asked, drawn.phase == "told"):
        state.run_again()
    return seen


# The teacher's


def _lead(chapter: Chapter[Any], question: Question, seen: RoomView) -> None:
    """What the class is asked, how it has replied as far as that is shown, and the ways on."""
    shell = chapter.shell
    with st.container(key="predict-room", border=True, gap="small"):
        st.markdown(f"**{shell('room.question')}** {question.text(chapter.say, 'question')}")
        rows = _rows(question, seen)
        if rows:
            st.markdown(_table(chapter, question, seen, rows), unsafe_allow_html=True)
        with st.container(horizontal=True, vertical_alignment="center", key="room-lead"):
            often = EVERY if seen.phase == "open" else LOOK[0]  # another window may lead
            fragment(_progress, run_every=often, key="room")(chapter, seen)
            _ways_on(chapter, seen)


def votes_as_they_come(chapter: Chapter[Any], sections: Sequence[Section[Any]]) -> None:
    """For the lecturer alone: the counts of every round, the open one too, and the ways on."""
    seen = membership.taught(chapter.frame)
    question = seen and _asked(chapter, sections, seen)
    if seen and question:
        fragment(_votes, run_every=EVERY, key="room")(chapter, question, seen)


def _votes(chapter: Chapter[Any], question: Question, drawn: RoomView) -> None:
    seen = _anew(chapter, drawn)
    every = seen._replace(counts=membership.results(seen)[-1].rounds, phase="told")
    said = {"replies": seen.answered, "joined": seen.joined, "room": seen.room, "round": seen.round}
    with st.container(key="predict-room", border=True, gap="small"):
        st.markdown(_table(chapter, question, every, _rows(question, every)), unsafe_allow_html=True)
        st.markdown(chapter.shell("room.replied" if seen.round == 1 else "room.replied_again", **said))
        with st.container(horizontal=True, key="room-lead"):
            _ways_on(chapter, seen)


def _ways_on(chapter: Chapter[Any], seen: RoomView) -> None:
    for phase, icon, main in ON[seen.phase]:
        st.button(
            chapter.shell(f"room.to.{phase}"), icon=f":material/{icon}:", key=f"room.to.{phase}",
            type="primary" if main else "secondary", on_click=_turn, args=(seen, phase),
        )  # fmt: skip


def _progress(chapter: Chapter[Any], drawn: RoomView) -> None:
    """How many have replied: all that changes while replies come in."""
    seen, shell = _anew(chapter, drawn), chapter.shell
    if (seen.phase, seen.round) != (drawn.phase, drawn.round):
        state.run_again()  # another tab of the teacher's has led on
    said = {"replies": seen.answered, "joined": seen.joined, "room": seen.room, "round": seen.round}
    st.markdown(shell("room.replied" if seen.round == 1 else "room.replied_again", **said))


# From each phase the ways on: to which, with which sign, and whether it is the usual one.
ON: dict[Phase, tuple[tuple[Phase, str, bool], ...]] = {
    "open": (("counts", "bar_chart", True),),
    "counts": (("open", "forum", True), ("told", "lightbulb", False)),
    "told": (("open", "forum", False),),
}


def _turn(seen: RoomView, phase: Phase) -> None:
    membership.turn(seen, phase)
    run_page()


def _rows(question: Question, seen: RoomView) -> list[int]:
    """Which replies are shown, by their places: of numbers before the answer is told only those that somebody gave,
    of drawings none before they are counted; of many that somebody gave, and the right one."""
    told = ("told", question.right_reply)
    given = {at for counts in seen.counts for at, count in enumerate(counts) if count}
    if len(question.replies) > MANY:
        return [at for at, reply in enumerate(question.replies) if at in given or (seen.phase, reply) == told]
    named = isinstance(question, Choice) and (bool(seen.counts) or not question.by_hand)
    every = named or seen.phase == "told"
    return [at for at in range(len(question.replies)) if every or at in given]


def _table(chapter: Chapter[Any], question: Question, seen: RoomView, rows: Sequence[int]) -> str:
    """The replies, beside each how often it was given in the last rounds; once it is told, why it is right or not."""
    shell, told = chapter.shell, seen.phase == "told"
    rounds = list(enumerate(seen.counts, 1))[-SIDE_BY_SIDE:]
    names = [shell("room.round", number=number) if len(seen.counts) > 1 else "" for number, _ in rounds]
    heads = [shell("room.column.reply") if len(seen.counts) > 1 else "", *names]
    lines = [heads, ["---"] * len(heads)]
    for at in rows:
        reply = question.replies[at]
        right, label = reply == question.right_reply, question.label(chapter.say, reply)
        if told:
            label = f"**✓ {label}**" if right else label
            given = right or any(counts[at] for _, counts in rounds)
            kind = "reason" if given else "reason nobody"
            label += f'<br><span class="{kind}">{chapter.say(question.reason(reply))}</span>'
        color = css("right") if told and right else css("attention")
        lines.append([label, *(_bar(counts[at], sum(counts), color, name) for name, (_, counts) in zip(names, rounds))])
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines)


def _bar(count: int, of: int, color: str, round: str) -> str:
    share = count / of if of else 0.0
    bar = element("rect", width=100 * share, height=10, fill=color)
    svg = element("svg", bar, class_="share", viewBox="0 0 100 10", preserveAspectRatio="none", aria_hidden="true")
    return element("span", svg, Markup(f"<b>{count}</b> {share:.0%}"), class_="votes", data_round=round)


# A student's


def _attend(chapter: Chapter[Any], question: Question | None, seen: RoomView) -> None:
    shell, follows = chapter.shell, chapter.frame.follow
    with st.container(key="predict-room", border=True, gap="small"):
        if follows:
            votes = question if seen.phase != "told" else None
            if votes:
                st.markdown(f"**{shell('room.vote')}** {votes.text(chapter.say, 'question')}")
            fragment(_vote_here, run_every=_spread(LOOK, membership.me()), key="room")(chapter, votes, seen)
        with st.container(horizontal=True, vertical_alignment="center", key="room-follow"):
            state = "left" if not follows else "waits" if seen.asked is None else "follows"
            st.caption(shell(f"room.{state}", room=seen.room))
            way, act = ("leave", membership.leave) if follows else ("come_back", membership.come_back)
            st.button(shell(f"room.{way}"), type="tertiary", key=f"room.{way}", on_click=_run_with, args=(act,))


def _vote_here(chapter: Chapter[Any], question: Question | None, drawn: RoomView) -> None:
    seen = _anew(chapter, drawn)
    if question:
        _ballot(chapter, question, seen)


def _run_with(act: Any) -> None:
    act()
    run_page()


def _ballot(chapter: Chapter[Any], question: Question, seen: RoomView) -> None:
    """The replies, which are counted and not judged."""
    shell, name, is_open = chapter.shell, question.name, seen.phase == "open"
    none = getattr(chapter.kind.default(), name)
    if is_open and seen.mine is None:
        state.put(chapter.name, name, none)  # it is asked anew
    key = f"room.vote.{seen.room}.{'.'.join(seen.asked.name if seen.asked else ())}.{seen.round}"
    vote = partial(_vote, chapter, question, seen, key)
    refusal = ""
    if isinstance(question, Choice) and not question.by_hand:
        st.pills(
            question.text(chapter.say, "question"), question.options, default=seen.mine,
            format_func=partial(question.label, chapter.say), key=state.prepare(key, seen.mine),
            label_visibility="collapsed", on_change=vote, disabled=not is_open, wrap=True,
        )  # fmt: skip
    elif isinstance(question, Quantity):
        typed = st.text_input(
            question.text(chapter.say, "question"), getattr(chapter.settings, name), 20, key,
            placeholder=shell("predict.number"), label_visibility="collapsed", on_change=vote, disabled=not is_open,
        )  # fmt: skip
        verdict = question.judged(typed)
        refusal = unread(chapter.lang, verdict, typed) if verdict.kind == "unread" else ""
    _state(chapter, seen, refusal)


def _state(chapter: Chapter[Any], seen: RoomView, refusal: str) -> None:
    """What has become of the reply, and what may be done."""
    shell, receipt = chapter.shell, membership.receipt()
    if refusal:
        st.warning(refusal)
    elif receipt in ("fast", "full", "away"):
        st.warning(shell(f"room.{receipt}"))
    elif seen.phase == "counts":
        st.markdown(shell("room.counts"))
    else:
        st.markdown(shell("room.open" if seen.mine is None else "room.counted"))


def _vote(chapter: Chapter[Any], question: Question, seen: RoomView, key: str) -> None:
    picked = state.picked(key) or ""
    reply = question.counted_as(picked)
    if reply is not None:
        membership.reply(seen, reply)
        if membership.receipt() == "counted":
            state.put(chapter.name, question.name, picked)
            state.give(chapter.name, question.name)
