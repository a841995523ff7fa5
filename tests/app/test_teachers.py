"""For teachers: the lessons with their links and answers, an hour made of them, and what else a class is given."""

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

import ui.sections.section
import ui.sections.section_list
from tests.app.answers import questions, wrong
from tests.app.conftest import Open, in_turn
from tests.stops import RUNS, shown
from ui.chapters.teachers.figures.miniature import CLOSED, EMPTY, HEIGHTS, MiniatureCurve, MiniatureGrid, miniature
from ui.chapters.teachers.plan import HOUR, MINUTES, hour
from ui.chapters.teachers.stops import FILE, pictures, question_of
from ui.figures.number import number
from ui.frame.chapter import Chapter
from ui.sections.question import Choice
from ui.settings.chapters import TEACHERS
from ui.settings.lessons import LESSONS, LessonStop
from ui.text import LANGUAGES, Words

STOPS = [(lesson, number) for lesson, stops in LESSONS.items() for number in range(1, len(stops) + 1)]


def stop_of(lesson: str, number: int) -> LessonStop:
    return LESSONS[lesson][number - 1]


def parts(link: str) -> tuple[str, dict[str, str]]:
    """A link's chapter, and what it says."""
    split = urlsplit(link)
    return split.path.rpartition("/")[2], dict(parse_qsl(split.query))


def projected(app: AppTest) -> list[tuple[str, dict[str, str]]]:
    """The page's links to stops in lecture mode, in their order."""
    links = (link for block in app.markdown for link in re.findall(r"\]\(([^)\s]+)\)", block.value))
    return [found for found in map(parts, links) if "lesson" in found[1]]


def copied(app: AppTest) -> list[tuple[str, dict[str, str]]]:
    """The page's links that can be copied one by one."""
    return [parts(block.value) for block in app.code if "\n" not in block.value]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_stop_has_a_link_for_the_projector_and_one_for_students(open_link: Open, lang: str) -> None:
    app = open_link(TEACHERS, open=",".join(LESSONS), lang=lang)
    assert not app.exception
    own = [(stop_of(*at).chapter, {"lang": lang, "lesson": at[0], "stop": str(at[1])}) for at in STOPS]
    assert projected(app)[: len(own)] == own
    assert copied(app)[:-1] == [
        (stop_of(*at).chapter, {"lang": lang, **stop_of(*at).settings}) for at in STOPS
    ]  # the last one is the link that is put together


@pytest.mark.parametrize(("lesson", "number"), STOPS)
def test_a_students_link_shows_the_stop_alone_without_a_lecture(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, lesson: str, number: int
) -> None:
    drawn: list[str] = []
    alone = ui.sections.section_list._alone

    def heard(chapter: Chapter, one: ui.sections.section.Section) -> None:
        drawn.append(one.name)
        alone(chapter, one)

    monkeypatch.setattr(ui.sections.section_list, "_alone", heard)
    app = open_link(TEACHERS, open=lesson, lang="zh")
    chapter, query = copied(app)[number - 1]
    app = open_link(chapter, open="", **query)
    assert not app.exception
    assert drawn == [stop_of(lesson, number).settings["only"]]
    assert not [button for button in app.button if str(button.key).startswith("lecture.")]
    asked = {question.name for question in questions(chapter)} if stop_of(lesson, number).question else set()
    assert asked.isdisjoint(query)


@in_turn("lesson", LESSONS)
def test_a_lesson_shows_the_questions_of_its_stops_with_every_explanation_there_is(
    open_link: Open, lesson: str, lang: str
) -> None:
    app = open_link(TEACHERS, open=lesson, lang=lang)
    written = "\n".join(block.value for block in app.markdown)
    stops = [stop for stop in LESSONS[lesson] if stop.question]
    assert written.count(Words(TEACHERS, lang)("answers.right")) == len(stops)
    for stop in stops:
        say, question = Words(stop.chapter, lang), question_of(stop)
        name = question.name
        assert f"**{question.text(say, 'question')}**" in written
        right = say(f"{name}.option.{question.right}") if isinstance(question, Choice) else number(question.right)
        reason = say(question.reason(question.right_reply))
        assert f"{Words(TEACHERS, lang)('answers.right')}\n\n- **{right}** · {reason}\n" in written
        for reply, key in wrong(question).items():
            mistaken = say(f"{name}.option.{reply}") if isinstance(question, Choice) else ""
            mistaken = mistaken or (number(float(reply)) if key != f"{name}.wrong" else "")
            assert f"- **{mistaken or Words('shell', lang)('room.other')}** · {say(key)}\n" in f"{written}\n"


def test_lessons_take_ten_minutes_and_their_hour_forty_five() -> None:
    assert {lesson: len(minutes) for lesson, minutes in MINUTES.items()} == {k: len(v) for k, v in LESSONS.items()}
    assert {sum(minutes) for minutes in MINUTES.values()} == {10}
    planned = [*hour()]
    assert (planned[0].begins, planned[-1].ends) == (0, 45)
    assert [part.begins for part in planned[1:]] == [part.ends for part in planned[:-1]]
    assert all(1 <= stop <= len(LESSONS[lesson]) for lesson, stops in HOUR.items() for stop in stops)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_plan_is_a_table_that_leads_to_its_stops(open_link: Open, lang: str) -> None:
    app = open_link(TEACHERS, open="", lang=lang)
    say = Words(TEACHERS, lang)
    (table,) = [block.value for block in app.markdown if say("plan.does.opening") in block.value]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()]
    assert [row[0] for row in rows[2:]] == ["0–3", "3–13", "13–21", "21–27", "27–34", "34–42", "42–45"]
    assert [link[1]["lesson"] for link in projected(app)] == list(HOUR)
    assert all(say(f"plan.does.{name}") == row[2] for name, row in zip(("opening", *HOUR, "closing"), rows[2:]))


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("form", ["markdown", "html"])
def test_the_list_for_a_course_page_has_the_students_link_of_every_stop(open_link: Open, form: str, lang: str) -> None:
    say = Words(TEACHERS, lang)
    for lesson, lessons in {"every": list(LESSONS), "order": ["order"]}.items():
        app = open_link(TEACHERS, open="course", lang=lang, list_lesson=lesson, list_format=form)
        (listed,) = [block.value for block in app.code if "\n" in block.value and "<iframe" not in block.value]
        pattern = r"^\d\. \[(.+)\]\((\S+)\)$" if form == "markdown" else r'^  <li><a href="([^"]+)">(.+)</a></li>$'
        found = [pair if form == "markdown" else pair[::-1] for pair in re.findall(pattern, listed, re.MULTILINE)]
        ats = [at for at in STOPS if at[0] in lessons]
        plain = str if form == "markdown" else unescape
        assert [plain(text) for text, _ in found] == [say(f"{name}.stop_{number}") for name, number in ats]
        wanted = [(stop_of(*at).chapter, {"lang": lang, **stop_of(*at).settings}) for at in ats]
        assert [parts(plain(link)) for _, link in found] == wanted
        titles = [say(f"{name}.title") for name in lessons]
        assert [title for title in titles if title in listed] == titles


def cells(part: MiniatureGrid) -> Iterator[str]:
    for row in part.rows:
        yield from row


@pytest.mark.parametrize(("lesson", "number"), [at for at in STOPS if at not in RUNS])
def test_the_picture_of_a_stop_is_that_of_the_figure_it_shows(open_link: Open, lesson: str, number: int) -> None:
    """To a shade: where a number stands between two, processors may differ in the last bit."""
    now, kept = shown(stop_of(lesson, number)), pictures()[lesson][number - 1]
    assert len(now) == len(kept) > 0
    for one, other in zip(now, kept, strict=True):
        if isinstance(one, MiniatureCurve):
            assert isinstance(other, MiniatureCurve)
            assert (one.meaning, len(one.heights)) == (other.meaning, len(other.heights))
            pairs = zip(one.heights, other.heights)
        else:
            assert isinstance(other, MiniatureGrid)
            assert (one.scale, one.line, [*map(len, one.rows)]) == (other.scale, other.line, [*map(len, other.rows)])
            pairs = zip(cells(one), cells(other))
        for new, old in pairs:
            assert new == old or abs(HEIGHTS.index(new) - HEIGHTS.index(old)) <= 1


def test_the_pictures_of_runs_show_what_they_are_to_show() -> None:
    """Runs differ by the processor: what a copy learns does not, nor which of two learns it."""
    assert {at for at in STOPS if at in RUNS} == RUNS != set()
    heads = pictures()["training"][2]
    assert all(isinstance(head, MiniatureGrid) for head in heads)
    strongest = [[row.index(max(row)) for row in head.rows] for head in heads]
    assert [1, 2, 3, 4, 5, 6, 7, 8, 9] in strongest
    curves = pictures()["scale"][4]
    assert len(curves) == 2
    assert len({curve.meaning for curve in curves}) == 2
    assert min(HEIGHTS.index(curve.heights[-1]) for curve in curves) < 10


def test_all_pictures_together_are_small_and_each_has_its_words(open_link: Open) -> None:
    assert {lesson: len(stops) for lesson, stops in pictures().items()} == {k: len(v) for k, v in LESSONS.items()}
    assert FILE.stat().st_size < 30_000
    app = open_link(TEACHERS, open=",".join(LESSONS), lang="en")
    drawn = [svg for block in app.markdown for svg in re.findall(r'<svg class="miniature".*?</svg>', block.value)]
    assert len(drawn) == len(LESSONS) + len(STOPS)
    say = Words(TEACHERS, "en")
    for lesson, at in STOPS:
        alt = say("picture", stop=say(f"{lesson}.stop_{at}"))
        assert miniature(pictures()[lesson][at - 1], alt) in drawn


def test_a_small_picture_has_a_rectangle_for_cells_that_are_alike_and_stands_line_by_line() -> None:
    svg = miniature(
        [MiniatureGrid("signed", ("0088", f"4{CLOSED}{CLOSED}4")), MiniatureGrid("probability", (f"3{EMPTY}",), 1)],
        "a <b>",
    )
    assert 'aria-label="a &lt;b&gt;"' in svg
    assert 'viewBox="0 0 4 4"' in svg  # two rows, a gap, one row
    assert re.findall(r'--([\w-]+), #\w+\)" d="([^"]+)"', svg) == [
        ("signed-0", "M0 0h2v1h-2z"),
        ("signed-8", "M2 0h2v1h-2z"),
        ("signed-4", "M0 1h1v1h-1zM3 1h1v1h-1z"),
        ("grid", "M1 1h2v1h-2z"),
        ("probability-3", "M0 0h1v1h-1z"),
        ("panel", "M1 0h1v1h-1z"),
    ]
    curve = miniature([MiniatureCurve("query", f"0{EMPTY}z")], "rising")
    assert re.findall(r'points="([^"]+)"', curve) == ["0,1.25 2,0"]
