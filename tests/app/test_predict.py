"""Questions: whatever the reply, the reason and the figure appear, and stay."""

from itertools import pairwise

import pytest

from tests.app.answers import ASKING, Question, on_page, questions, right, wrong
from tests.app.boards import boards
from tests.app.conftest import Open
from ui.sections.question import Choice
from ui.text import LANGUAGES, Words, load

ON_PAGE = [chapter for chapter in ASKING if on_page(chapter)]
EVERY = [(chapter, question) for chapter in ASKING for question in questions(chapter)]


@pytest.mark.parametrize(("chapter", "question"), EVERY, ids=lambda part: getattr(part, "name", part))
def test_a_question_has_one_right_answer_and_a_reason_for_every_other(chapter: str, question: Question) -> None:
    texts = load(chapter)
    assert {f"{question.name}.question", f"{question.name}.right", *wrong(question).values()} <= texts.keys()
    explained = {key for key in texts if f"{key}.".startswith(f"{question.name}.wrong.")}
    depends = {f"{question.name}.wrong.{question.right}"}  # where another model's answer is another one
    assert explained - depends == set(wrong(question).values())
    if isinstance(question, Choice):
        assert question.right in question.options
        assert {f"{question.name}.option.{option}" for option in question.options} <= texts.keys()
    else:  # no two mistakes lead to the same number, and none to the right one
        values = sorted([question.right, *question.slips.values()])
        assert all(high - low > 2 * question.tolerance for low, high in pairwise(values))


@pytest.mark.parametrize("chapter", ON_PAGE)
def test_a_wrong_reply_is_explained_by_its_mistake(open_link: Open, chapter: str) -> None:
    asked = {question.name: [*wrong(question).items()] for question in on_page(chapter)}
    for at in range(max(map(len, asked.values()))):
        slips = {name: replies[at % len(replies)] for name, replies in asked.items()}
        app = open_link(chapter, open="", lang="zh", **{name: said for name, (said, _) in slips.items()})
        assert {box.value for box in app.error} == {Words(chapter, "zh")(key) for _, key in slips.values()}


@pytest.mark.parametrize("chapter", ON_PAGE)
def test_a_right_reply_is_told_so(open_link: Open, chapter: str) -> None:
    replies = right(chapter, *(question.name for question in on_page(chapter)))
    app = open_link(chapter, open="", lang="en", **replies)
    assert not app.error
    for name in replies:
        assert any(Words(chapter, "en")(f"{name}.right") in box.value for box in app.success)


@pytest.mark.parametrize("reply", ["zero", "small", "learned"])
def test_after_a_reply_the_figure_it_speaks_of_is_there(open_link: Open, reply: str) -> None:
    assert "tokens.zero" not in boards(open_link("tokens"))
    assert "tokens.zero" in boards(open_link("tokens", learned=reply))


def test_a_wrong_reply_after_the_right_one_hides_nothing(open_link: Open) -> None:
    app = open_link("tokens", lang="en", learned="zero")
    for reply, errors in (("learned", 1), (None, 0)):
        app.button_group(key="tokens:learned").set_value(reply).run()
        assert len(app.error) == errors
        assert "tokens.zero" in boards(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_was_said_first_stays_beside_the_answer(open_link: Open, lang: str) -> None:
    said = [Words("tokens", lang)("learned.option.learned"), "77"]
    first = [Words("shell", lang)("predict.first", reply=reply) for reply in said]
    app = open_link("tokens", lang=lang, learned="learned")
    app.button_group(key="tokens:learned").set_value("zero").run()
    assert [first[0] in box.value for box in app.success].count(True) == 1
    app = open_link("heads", lang=lang, size="77")
    app.text_input(key="heads:size").set_value(right("heads", "size")["size"]).run()
    assert [first[1] in box.value for box in app.success].count(True) == 1
    app = open_link("tokens", lang=lang, **right("tokens"))
    assert not any(first[0] in box.value for box in app.success)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_link_carries_what_was_said_first_from_the_second_reply_on(open_link: Open, lang: str) -> None:
    app = open_link("tokens", lang="en", learned="learned")
    assert "learned_at_first" not in app.query_params
    app.button_group(key="tokens:learned").set_value("zero").run()
    assert app.query_params["learned_at_first"] == "learned"
    app = open_link("tokens", lang=lang, learned="zero", learned_at_first="learned")
    first = Words("shell", lang)("predict.first", reply=Words("tokens", lang)("learned.option.learned"))
    assert [first in box.value for box in app.success].count(True) == 1
    app.button_group(key="tokens:learned").set_value("small").run()
    app.button_group(key="tokens:learned").set_value("zero").run()
    assert [first in box.value for box in app.success].count(True) == 1
    app.button_group(key="tokens:learned").set_value("learned").run()
    assert "learned_at_first" not in app.query_params, "it is the only one again"


@pytest.mark.parametrize("first", ["everything", "", "<b>x</b>", "zero", "[a](//b.c)", "x" * 5000])
def test_a_first_reply_that_is_none_or_the_last_one_is_dropped(open_link: Open, first: str) -> None:
    app = open_link("tokens", lang="en", learned="zero", learned_at_first=first)
    assert "learned_at_first" not in app.query_params
    assert [Words("tokens", "en")("learned.right") in box.value for box in app.success].count(True) == 1
    assert not any(Words("shell", "en")("predict.first", reply="")[:-1] in box.value for box in app.success)


@pytest.mark.parametrize(
    ("first", "told"), [("77", True), ("1,5", True), ("1e999", False), ("1/0", False), ("a", False)]
)
def test_a_first_number_is_told_if_it_is_one(open_link: Open, first: str, told: bool) -> None:
    app = open_link("heads", lang="en", **right("heads", "size"), size_at_first=first)
    sentence = Words("shell", "en")("predict.first", reply=first)
    assert any(sentence in box.value for box in app.success) == told == ("size_at_first" in app.query_params)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_answer_that_is_shown_has_its_reason(open_link: Open, lang: str) -> None:
    say = Words("attention", lang)
    app = open_link("attention", lang=lang)
    app.toggle(key="attention.sums.show").set_value(True).run()
    app.toggle(key="attention.kept.show").set_value(True).run()
    told = [box.value for box in app.info]
    for name, answer in (("sums", say("sums.option.rows")), ("kept", "1.2")):
        assert any(f"**{answer}**" in text and say(f"{name}.right") in text for text in told)


def test_an_answer_that_was_shown_once_stays(open_link: Open) -> None:
    app = open_link("heads", lang="en")
    assert "heads.concat" not in boards(app)
    for shown in (True, False):
        app.toggle(key="heads.size.show").set_value(shown).run()
        assert "heads.concat" in boards(app)


def test_a_reply_is_kept_when_a_preset_is_loaded(open_link: Open) -> None:
    app = open_link("walkthrough", lang="en", src="1 4 2")
    app.text_input(key="walkthrough:ask_shape").set_value("100").run()
    app.button_group(key="walkthrough:ask_mask").set_value("itself").run()
    (preset,) = [button for button in app.button if button.label == Words("walkthrough", "en")("preset")]
    preset.click().run()
    assert app.query_params["model"] == "notes"
    assert len(app.success) == 2


@pytest.mark.usefixtures("few_sequences")
def test_a_question_about_the_model_is_asked_anew_about_another_one(open_link: Open) -> None:
    app = open_link("positions", lang="en", beyond="most")
    assert "positions.beyond" in boards(app)
    app.selectbox(key="frame:model").set_value("fresh").run()
    assert app.button_group(key="positions:beyond").value is None
    assert Words("shell", "en")("predict.anew") in [box.value for box in app.info]
    assert "positions.beyond" not in boards(app)
