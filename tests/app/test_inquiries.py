"""Predict, why, and once more: every story asks so, and what is right is what the model's numbers say."""

import pytest

from tests.app.conftest import Open
from tests.app.inquiries import EVERY, Placed, made
from tests.app.telling import scenes_of
from ui.chapters import contents
from ui.sections.inquiry import Inquiry, Version, first_of, one_of, ranked
from ui.settings.chapters import MAP, STORIES
from ui.text import LANGUAGES, Words

ALSO = (MAP, "training", "verify", "ways")  # in a section
IDS = [f"{placed.chapter} {placed.inquiry.first.name}" for placed in EVERY]
every_one = pytest.mark.parametrize("placed", EVERY, ids=IDS)
SOME = [placed for placed in EVERY if placed.chapter in ("attention", "loss", MAP)]


@pytest.mark.parametrize("chapter", STORIES)
def test_every_story_asks_before_its_last_scene(chapter: str) -> None:
    assert any(isinstance(scene.asks, Inquiry) for scene in scenes_of(chapter)[:-1])


@pytest.mark.parametrize("chapter", ALSO)
def test_a_chapter_without_a_story_of_its_own_asks_in_a_section(chapter: str) -> None:
    assert [one for one in contents(chapter).every if one.look != "story" and one.inquires]


@pytest.mark.parametrize("placed", SOME, ids=[placed.chapter for placed in SOME])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_why_follows_the_reply_and_the_second_version_that(open_link: Open, placed: Placed, lang: str) -> None:
    chapter, inquiry = placed.chapter, placed.inquiry
    first, why, say, shell = inquiry.first, inquiry.why, Words(chapter, lang), Words("shell", lang)
    app = open_link(chapter, lang=lang, model="translate", **placed.link)
    keys = [f"{chapter}:{name}" for name in (first.name, why.name, inquiry.once_more)]

    def asked() -> list[bool]:
        return [key in {str(one.key) for one in app.button_group} for key in keys]

    assert asked() == [True, False, False]
    wrong = next(option for option in first.options if option != first.right)
    app.button_group(key=keys[0]).set_value(wrong).run()
    assert asked() == [True, True, False]
    app.button_group(key=keys[0]).set_value(first.right).run()
    told = [box.value for box in app.success]
    assert not any(say(f"{first.name}.right") in text for text in told), "the reason is asked, not told"
    misled = next(option for option in why.options if option != why.right)
    app.button_group(key=keys[1]).set_value(misled).run()
    assert asked() == [True, True, True]
    assert say(f"{why.name}.wrong.{misled}") in [box.value for box in app.error]
    app.button_group(key=keys[1]).set_value(why.right).run()
    told = [box.value for box in app.success]
    assert any(say(f"{first.name}.right") in text for text in told)
    first_said = shell("predict.first", reply=first.label(say, wrong))
    assert [first_said in text for text in told].count(True) == 1, "beside the truth"
    assert app.query_params[first.name] == first.right
    assert app.query_params[why.name] == why.right


@pytest.mark.parametrize("placed", SOME, ids=[placed.chapter for placed in SOME])
def test_both_answers_are_compared_and_another_version_is_asked_anew(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, placed: Placed
) -> None:
    shell, say, inquiry = Words("shell", "en"), Words(placed.chapter, "en"), placed.inquiry
    app, _, again = made(open_link, monkeypatch, placed, model="translate")
    key = f"{placed.chapter}:{again.name}"
    wrong = next(option for option in again.options if option != again.right)
    for reply, verdict in ((wrong, "first"), (again.right, "first")):  # what is said first is what counts
        app.button_group(key=key).set_value(reply).run()
        (compared,) = [box.value for box in app.markdown if shell(f"inquiry.{verdict}") in str(box.value)]
        labels = [
            inquiry.first.label(say, inquiry.first.right),
            *(again.label(say, one) for one in (wrong, again.right)),
        ]
        assert all(label in compared for label in labels)
    assert app.query_params[again.name] == again.right
    app.button(key=f"{placed.chapter}.{again.name}.other").click().run()
    assert not app.exception
    assert app.query_params[inquiry.seed] == "2"
    assert again.name not in app.query_params
    assert app.button_group(key=key).value is None
    assert not [box for box in app.markdown if shell("inquiry.first") in str(box.value)]


def test_replies_and_the_seed_survive_in_a_link(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    (placed,) = [one for one in EVERY if one.chapter == "attention"]
    seed = {placed.inquiry.seed: "3"}
    again = made(open_link, monkeypatch, placed, model="translate", **seed).again
    app = open_link("attention", lang="en", **placed.replies(model="translate", **seed, **{again.name: again.right}))
    assert len(app.success) == 3
    assert any(Words("shell", "en")("inquiry.both") in str(box.value) for box in app.markdown)
    assert {**seed, again.name: again.right}.items() <= {
        name: app.query_params[name] for name in app.query_params
    }.items()


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "x", "1e999", "9999999999", ""])
def test_a_seed_that_is_none_is_the_first_one(open_link: Open, text: str) -> None:
    (placed,) = [one for one in EVERY if one.chapter == "loss"]
    replies = placed.replies(
        model="translate", **{placed.inquiry.seed: text, placed.inquiry.once_more: "<b>nobody</b>"}
    )
    app = open_link("loss", **replies)
    assert not app.exception
    assert placed.inquiry.seed not in app.query_params


def test_numbers_to_choose_from_are_apart_and_in_their_order() -> None:
    assert list(ranked({"b": 2.0, "a": 1.0, "c": -3.0})) == ["c", "a", "b"]
    assert ranked({"a": 1.0, "b": 1.01}) == {} == ranked({"a": 0.0, "b": 0.0})


def test_a_seed_takes_one_of_the_versions_that_can_be_made() -> None:
    def even(n: int) -> Version | None:
        return Version(str(n)) if n % 2 == 0 else None

    assert [one.right for seed in range(4) if (one := one_of(seed, range(5), even))] == ["0", "2", "4", "0"]
    assert [one.right for seed in range(4) if (one := first_of(seed, range(5), even))] == ["0", "2", "2", "4"]
    assert one_of(1, [1, 3], even) is None is first_of(1, [1, 3], even)
