"""Lecture mode: one section at a time, the next and the last one by a press; seven lessons that lead to real ones."""

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import ui.sections.section_list
from tests.app.answers import Question, at_stops, questions, replied, reply, right, wrong
from tests.app.boards import boards, matrices, press, written
from tests.app.conftest import Open, in_turn
from tests.app.telling import scenes_of
from tests.kinds import kind_of
from transformer_core.tasks.task import is_held_out
from ui.chapters.attention.head import LOOKS_WORDS
from ui.chapters.attention.projection import PARTS
from ui.chapters.attention.stages import NAMES as STAGES
from ui.chapters.decoding.turns import ASK_FIRST
from ui.chapters.layers.norm import FORMULAS
from ui.chapters.masks.look_ahead import Ahead
from ui.frame.chapter import Chapter
from ui.sections.question import Choice, Quantity
from ui.settings.chapters import CHAPTERS, MAP, STORIES, TEACHERS, page
from ui.settings.frame import Frame
from ui.settings.lessons import LESSONS, WORDS, LessonStop
from ui.text import Words, load

FIGURES = ["attention.stages", "attention.projection", "attention.dropout"]


def test_a_section_stands_alone(open_link: Open) -> None:
    app = open_link("attention", open="", only="projection")
    assert boards(app) == ["attention.projection"]
    assert not [button for button in app.button if button.key == "lecture.on"]
    assert boards(open_link("attention", open="", only="nonsense")) == ["attention.stages"]


def test_the_arrows_lead_from_section_to_section_and_the_link_follows(open_link: Open) -> None:
    app = open_link("attention", open="", present="1", stage="all", part="v", **right("attention", "kept"))
    assert boards(app) == FIGURES[:1]
    app = press(app, "lecture.on")
    assert boards(app) == FIGURES[1:2]
    assert app.query_params["only"] == "projection"
    app = press(press(app, "lecture.on"), "lecture.back")
    assert boards(app) == FIGURES[1:2]
    app = press(app, "lecture.leave")
    assert boards(app) == FIGURES  # what was set in a section, or a reply, holds it open
    assert {"only", "present"} & set(app.query_params) == set()


@pytest.mark.parametrize(
    ("chapter", "section", "setting", "stages"),
    [
        ("attention", "stages", "stage", STAGES),
        ("attention", "projection", "part", PARTS),
        ("layers", "norm", "formula", FORMULAS),
        ("masks", "reading", "read_as", ("code", "colors", "picture")),
        ("masks", "axis", "unsqueeze", ("0", "1")),
        ("tokens", "four", "pairs", ("1", "2", "3", "4")),
    ],
)
def test_the_arrows_lead_through_the_stages_of_a_figure_first(
    open_link: Open, chapter: str, section: str, setting: str, stages: tuple[str, ...]
) -> None:
    app = open_link(chapter, open="", present="1", only=section, src="1 4 2", **{setting: stages[-2]})
    for stage in (*stages[-1:], *stages[-2:-1]):
        app = press(app, "lecture.on" if stage == stages[-1] else "lecture.back")
        assert app.button_group(key=f"{chapter}:{setting}").value == stage
        assert app.query_params["only"] == section
    app = press(press(app, "lecture.on"), "lecture.on")
    assert app.query_params.get("only") != section


def test_after_the_last_section_comes_the_next_chapter_and_after_the_last_chapter_nothing(open_link: Open) -> None:
    app = open_link("tokens", open="", lang="en", present="1", only="printed")
    app = press(app, "lecture.on")
    assert not app.exception
    assert app.title[0].value == Words("positions", "en")("title")
    assert app.query_params == {"lang": "en", "present": "1", "scene": "1"}
    assert boards(app) == ["positions.story"]
    assert open_link("verify", open="", present="1").button(key="lecture.back").disabled
    assert open_link(CHAPTERS[-1], open="", present="1", only="symptom").button(key="lecture.on").disabled


EVERY_STOP = [(lesson, number, stop) for lesson, stops in LESSONS.items() for number, stop in enumerate(stops, 1)]


def tells(stop: LessonStop) -> bool:
    """Whether it begins with its chapter's story."""
    return stop.tells and stop.chapter in STORIES


def lecturing(app: AppTest) -> str:
    """What the bar says."""
    (bar,) = [item.proto.body for item in app.main.get("html") if 'class="lecture"' in item.proto.body]
    assert Words("shell", "en")("lecture.keys") in bar or Words("shell", "zh")("lecture.keys") in bar
    return bar.split(">", 1)[1].split("<", 1)[0].strip()


def link(app: AppTest) -> dict[str, str]:
    said = ((name, value if isinstance(value, str) else value[0]) for name, value in app.query_params.items())
    return {name: value for name, value in said if name != "model"}


def arrive(app: AppTest) -> AppTest:
    """Go where the app has led to, as a browser does by itself."""
    query = link(app)
    stop = Frame.from_query(query).at
    assert stop
    app.switch_page(page(stop.chapter))
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


@pytest.mark.parametrize(
    ("lesson", "number", "stop"), EVERY_STOP, ids=[f"{lesson} {number}" for lesson, number, _ in EVERY_STOP]
)
def test_a_link_to_a_stop_shows_all_that_the_stop_sets(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, lesson: str, number: int, stop: LessonStop
) -> None:
    seen: list[Any] = []

    def look(chapter: Chapter, names: list[str], here: str, *_: object, **__: object) -> None:
        seen.append((names[0], here, vars(chapter.frame) | vars(chapter.settings)))

    monkeypatch.setattr(ui.sections.section_list, "lecture_bar", look)
    app = open_link(stop.chapter, open="", model="", lesson=lesson, stop=str(number), lang="en")
    assert not app.exception
    ((first, here, settings),) = seen
    assert here == ("story" if tells(stop) else stop.settings.get("only", first))
    kinds = {**Frame.kinds(), **kind_of(stop.chapter).kinds()}
    for name, value in stop.settings.items():
        assert settings[name] == kinds[name].parse(value)
        assert kinds[name].allows(settings[name])
    assert not {"present", *stop.settings} & set(app.query_params)  # the stop says it


def test_a_lesson_begins_with_its_scenes_and_the_keys_lead_to_its_figure_and_back(open_link: Open) -> None:
    app = open_link("attention", open="", model="", lesson="attention", stop="1", lang="en")
    count = len(scenes_of("attention"))
    assert app.button(key="lecture.back").disabled
    assert "scene" not in app.query_params, "the stop says it"
    for scene in range(2, count + 1):
        app = press(app, "lecture.on")
        assert app.query_params["scene"] == str(scene)
        assert boards(app) == ["attention.story"]
    app = press(app, "lecture.on")
    assert app.query_params["scene"] == "0"
    assert boards(app) == [], "the figure tells the answer"
    assert asked_at(app) == {"ask_product"}
    app = press(app, "lecture.back")
    assert boards(app) == ["attention.story"]
    app = press(press(app, "lecture.on"), "lecture.on")
    assert lecturing(app).endswith("2/5")


@pytest.mark.parametrize("opened_on", [MAP, "masks", "loss"])
def test_a_link_to_a_stop_leads_to_its_chapter_wherever_it_is_opened(open_link: Open, opened_on: str) -> None:
    app = open_link(opened_on, open="", model="", lesson="masks", stop="3", lang="en")
    assert app.title[0].value == Words(TEACHERS, "en")("masks.stop_3")
    assert lecturing(app) == "2 · Masks 3/5"
    assert asked_at(app) == {"ask_masked"}


@pytest.mark.parametrize("number", ["99", "0", "-1", "x", "", "３", "9" * 5000])
def test_a_stop_that_there_is_not_is_the_first(open_link: Open, number: str) -> None:
    app = open_link("masks", open="", model="", lesson="masks", stop=number, lang="en")
    assert not app.exception
    assert lecturing(app).startswith("2 · Masks 3/5" if number == "３" else "2 · Masks 1/5")


@pytest.mark.parametrize("lesson", ["xx", "", "Masks", "masks,order", "<b>"])
def test_a_lesson_that_there_is_not_is_none(open_link: Open, lesson: str) -> None:
    app = open_link("masks", open="", lesson=lesson, stop="3", lang="en")
    assert not app.exception
    assert {"lesson", "stop", "present"} & set(app.query_params) == set()
    assert not [button for button in app.button if button.key == "lecture.on"]


def test_the_keys_lead_from_stop_to_stop_also_into_another_chapter(open_link: Open) -> None:
    app = open_link("masks", open="", model="", lesson="masks", stop="1", lang="zh", hide="size", pairs="64")
    for way, number in (("on", 2), ("on", 3), ("on", 4), ("back", 3), ("on", 4), ("on", 5)):
        app = arrive(press(app, f"lecture.{way}"))
        assert not app.exception
        assert lecturing(app) == f"{Words(TEACHERS, 'zh')('masks.title')} {number}/5"
        assert link(app)["lang"] == "zh"
        assert link(app)["hide"] == "size"
        assert "pairs" not in app.query_params
    assert app.button(key="lecture.on").disabled


def test_what_is_changed_at_a_stop_stays_in_the_address_until_the_next(open_link: Open) -> None:
    app = open_link("masks", open="", model="", lesson="masks", stop="1", lang="en", scene="0", pairs="36")
    app.slider(key="masks:size").set_value(6).run()
    assert link(app)["size"] == "6"
    assert open_link("masks", open="", model="", **link(app)).slider(key="masks:size").value == 6
    default = Ahead.default().size  # which the stop leaves for 8: to come back to it has to be said
    app.slider(key="masks:size").set_value(default).run()
    assert open_link("masks", open="", model="", **link(app)).slider(key="masks:size").value == default
    app = press(press(app, "lecture.on"), "lecture.back")
    while "scene" not in app.query_params or app.query_params["scene"] != "0":  # its story comes first again
        app = press(app, "lecture.on")
    app = app.text_input(key="masks:pairs").input("36").run()
    assert app.slider(key="masks:size").value == 8


def test_the_end_of_the_lecture_leaves_the_page_as_the_stop_has_set_it(open_link: Open) -> None:
    app = press(open_link("masks", open="", model="", lesson="masks", stop="1", lang="en"), "lecture.leave")
    assert {"lesson", "stop", "present", "only"} & set(app.query_params) == set()
    assert app.slider(key="masks:size").value == 8


def test_a_figure_that_is_stepped_through_comes_before_the_next_stop(open_link: Open) -> None:
    (number,) = [number for lesson, number, stop in EVERY_STOP if stop.steps and lesson == "training"]
    reply = {ASK_FIRST.name: ASK_FIRST.right}  # until then there is nothing to step through
    app = open_link("decoding", open="", model="", lesson="training", stop=str(number), scene="0", lang="en", **reply)
    app = press(app, "lecture.on")
    assert link(app)["turn"] == "2"
    app = press(press(app, "lecture.back"), "lecture.back")
    assert boards(app) == ["decoding.story"], "which told it"
    app = open_link("decoding", open="", model="", lesson="training", stop=str(number), lang="en")
    assert app.title[0].value == Words(TEACHERS, "en")(f"training.stop_{number}")
    app = press(app, "lecture.back")
    assert app.title[0].value == Words(TEACHERS, "en")(f"training.stop_{number - 1}")


@pytest.mark.parametrize(
    ("lesson", "number"), [(lesson, number) for lesson, number, stop in EVERY_STOP if stop.chapter != "practice"]
)
def test_the_figure_of_a_stop_waits_for_the_reply(open_link: Open, lesson: str, number: int) -> None:
    stop = LESSONS[lesson][number - 1]
    link = {"open": "", "model": "", "lang": "en", "lesson": lesson, "stop": str(number), "scene": "0"}
    app = open_link(stop.chapter, **link)
    assert not app.exception
    assert asked_at(app) == {stop.question}
    assert bool([*boards(app), *app.get("echarts_chart")]) == question_at(stop).about_figure
    begins = stop.chapter == "training"  # a run that the reader starts
    app.toggle(key=f"{stop.chapter}.{stop.question}.show").set_value(True).run()
    told = open_link(stop.chapter, **link, **replied(stop, reply(question_at(stop).right)))
    for seen in (app, told):
        assert not seen.exception
        assert asked_at(seen) == {stop.question}
        assert begins or [*boards(seen), *seen.get("echarts_chart")]


QUESTIONS = {stop.chapter: [*questions(stop.chapter), *at_stops(stop.chapter)] for *_, stop in EVERY_STOP}
QUESTIONS["attention"].append(LOOKS_WORDS)


def question_at(stop: LessonStop) -> Question:
    (asked,) = [question for question in QUESTIONS[stop.chapter] if question.name == stop.question]
    return asked.of(kind_of(stop.chapter).from_query(stop.settings), Frame.from_query(stop.settings))


def asked_at(app: AppTest) -> set[str]:
    """The names of the questions on the screen."""
    given = {widget.key.split(":")[1] for widget in (*app.button_group, *app.text_input) if ":" in (widget.key or "")}
    return given & {question.name for asked in QUESTIONS.values() for question in asked}


@pytest.mark.parametrize(
    ("lesson", "number", "stop"), EVERY_STOP, ids=[f"{lesson} {number}" for lesson, number, _ in EVERY_STOP]
)
def test_a_stop_asks_its_own_question_alone_and_gives_the_reason(
    open_link: Open, lesson: str, number: int, stop: LessonStop
) -> None:
    link, asked = {"lesson": lesson, "stop": str(number), "lang": "en"}, question_at(stop)
    say = Words(stop.chapter, "en")
    slip, reason = next(iter(wrong(asked).items()))
    own = isinstance(asked, Choice) and asked.in_section  # what an exercise says is computed
    app = open_link(stop.chapter, open="", model="", **link, **replied(stop, slip))
    assert asked_at(app) == ({asked.name} if not asked.by_hand else set())
    assert [box.value for box in app.error] == [say(reason)] or (own and len(app.error) == 1)
    app = open_link(stop.chapter, open="", model="", **link, **replied(stop, reply(asked.right)))
    assert asked_at(app) == ({asked.name} if not asked.by_hand else set())
    assert any(own or say(f"{asked.name}.right") in box.value for box in app.success)


@pytest.mark.parametrize("chapter", sorted(QUESTIONS))
def test_what_only_lessons_ask_has_one_right_answer_and_a_reason_for_every_other(chapter: str) -> None:
    texts = load(chapter)
    asked = {stop.question: question_at(stop) for *_, stop in EVERY_STOP if stop.chapter == chapter}
    for question in at_stops(chapter):
        assert question.name in asked
        if isinstance(question, Quantity):
            assert {f"{question.name}.question", f"{question.name}.right"} <= texts.keys()
            assert set(wrong(asked[question.name]).values()) <= texts.keys()
            continue
        assert question.right in question.options
        assert {f"{question.name}.option.{option}" for option in question.options} <= texts.keys()
        assert {f"{question.name}.question", *map(question.reason, question.replies)} <= texts.keys()


def test_the_right_answers_do_not_stand_in_one_place() -> None:
    places = [
        asked.options.index(asked.right)
        for chapter in QUESTIONS
        for asked in at_stops(chapter)
        if isinstance(asked, Choice)
    ]
    assert all(places.count(place) < 2 * len(places) / 3 for place in range(3))


@pytest.mark.parametrize(
    ("lesson", "number", "key", "question"),
    [
        ("masks", "1", "look_ahead.text", {"pairs": "64"}),
        ("masks", "3", "stage_text.masked", {"ask_masked": "small"}),
        ("attention", "3", "stage_text.weights", {"sums": "columns"}),
    ],
)
def test_what_explains_a_figure_comes_after_the_reply(
    open_link: Open, lesson: str, number: str, key: str, question: dict[str, str]
) -> None:
    chapter = LESSONS[lesson][int(number) - 1].chapter
    explains = Words(chapter, "en")(key).strip()
    for given, shown in (({}, False), (question, True)):
        app = open_link(chapter, open="", model="", lesson=lesson, stop=number, lang="en", **given)
        assert (explains in written(app)) == shown


def test_at_a_stop_with_runs_the_buttons_of_the_runs_stand_by_themselves(open_link: Open) -> None:
    app = open_link("training", open="", model="", lesson="training", stop="3", lang="en", ask_untrained="none")
    assert Words("training", "en")("start") in [button.label for button in app.button]
    for given in ({}, {"ask_start": "root"}):  # what it is asked about stands there at once, the answer not
        app = open_link("scaling", open="", model="", lesson="scale", stop="5", lang="en", **given)
        assert "scaling.start" in [button.key for button in app.button]
        scores = matrices(app, "scaling.first_scores")
        assert [*scores] == (["plain", "scaled"] if given else ["scaled"])
    np.testing.assert_allclose(scores["plain"], 8 * scores["scaled"], rtol=1e-4, atol=1e-5)  # d_k is 64


def test_lessons_in_words_read_a_sentence_that_the_translator_was_not_trained_on() -> None:
    assert is_held_out(WORDS["src"])
    for lesson in ("attention", "masks", "order"):
        assert any(WORDS.items() <= stop.settings.items() for stop in LESSONS[lesson])


@in_turn("chapter", [MAP, *STORIES])
def test_a_lecture_begins_with_the_story_and_the_translator(open_link: Open, chapter: str, lang: str) -> None:
    app = open_link(chapter, open="", model="", lang=lang, present="1")
    assert not app.exception
    assert app.query_params["model" if chapter == MAP else "scene"] == ("translate" if chapter == MAP else "1")
    assert app.selectbox(key="frame:model").value == "translate"
    shown = boards(app)
    assert shown == (["map.figure_one"] if chapter == MAP else [f"{chapter}.story"])
    assert not app.button(key="lecture.on").disabled
    if chapter != MAP:
        assert app.button(key="lecture.back").disabled
