"""Words and numbers side by side: which model somebody meets, and what is typed for which."""

import itertools
import re
from random import Random

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import panel
from tests.app.conftest import Open, in_turn, menu_link
from transformer_core.tasks import Translation
from transformer_core.tasks.grammar import CHINESE, ENGLISH, Grammar, english_chinese, values_of
from ui.inputs.sequence import EXAMPLES
from ui.model import current_model as at_hand_module
from ui.model.shipped import EVERY, FILES, SHIPPED, shipped
from ui.settings.chapters import CHAPTERS, MAP, OF_ENGLISH, STORIES, TRANSLATOR, beginning
from ui.settings.frame import Frame
from ui.text import LANGUAGES, Words, is_han

SENTENCE = EXAMPLES["translate en-zh"]


OWN_ALPHABET = {"en": (OF_ENGLISH, EXAMPLES["translate en-es"]), "zh": (TRANSLATOR, EXAMPLES["translate zh-en"])}


def frame_of(app: AppTest) -> Frame:
    frame: Frame = app.session_state["settings"]["frame"]
    return frame


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("chapter", [MAP, *CHAPTERS])
def test_who_comes_without_a_link_meets_a_translator_with_a_sentence_in_his_own_alphabet(
    open_link: Open, chapter: str, lang: str
) -> None:
    app = open_link(chapter, model="", open="", lang=lang)
    assert not app.exception
    frame, (model, example) = frame_of(app), OWN_ALPHABET[lang]
    own = beginning(chapter, model, chinese=lang == "zh")
    assert (frame.model, frame.src, frame.tgt) == (model, own.get("src", example), "")  # where a chapter needs one
    again = frame_of(open_link(chapter, **{"open": "", **app.query_params}))  # as a reload has it
    assert (again.model, again.src) == (model, frame.src)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_menus_link_of_a_newcomer_stays_as_it_is_so_that_one_press_of_back_leads_back(
    open_link: Open, lang: str
) -> None:
    here = open_link(MAP, model="", open="", lang=lang)
    for chapter in CHAPTERS:
        if chapter != "training":  # which says what it is going to learn
            link = menu_link(here, chapter)
            assert set(link) <= set(open_link(chapter, **{"open": "", **link}).query_params), chapter


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("link", "model"),
    [
        ({"room": "ABCD"}, TRANSLATOR),  # a class, whose students read in several languages
        ({"follow": "0"}, TRANSLATOR),
        ({"present": "1"}, TRANSLATOR),
        ({"notes": "1"}, TRANSLATOR),
        ({"size": "7"}, "trained"),
        ({"src": "两只白色的猫睡觉"}, "trained"),
        ({"model": "translate", "src": "两只白色的猫睡觉"}, TRANSLATOR),
    ],
)
def test_a_link_of_an_old_release_means_the_model_that_it_meant_there(
    open_link: Open, link: dict[str, str], model: str, lang: str
) -> None:
    app = open_link("masks", **{"model": "", "open": "", "lang": lang} | link)
    assert not app.exception
    assert frame_of(app).model == model
    assert frame_of(app).src == link.get("src", frame_of(app).src)


@pytest.mark.parametrize("chapter", [MAP, *STORIES])
def test_a_link_of_release_1_0_with_chinese_words_is_read_by_who_reads_english(open_link: Open, chapter: str) -> None:
    app = open_link(chapter, model="translate", src="我每天买两朵红色的花", open="", lang="en")
    assert not app.exception
    assert not app.warning
    assert (frame_of(app).model, frame_of(app).src) == (TRANSLATOR, "我每天买两朵红色的花")


def test_who_meets_one_alphabet_and_changes_the_language_meets_the_other(open_link: Open) -> None:
    app = open_link("scaling", model="", open="", lang="en")
    for lang in ("zh", "en"):
        (button,) = [button for button in app.button if button.label == LANGUAGES[lang]]
        button.click().run()
        assert not app.exception
        assert (frame_of(app).model, frame_of(app).src) == OWN_ALPHABET[lang]
        met = open_link("scaling", model="", open="", lang=lang)
        assert app.session_state["settings"]["scaling"] == met.session_state["settings"]["scaling"]


@pytest.mark.parametrize(("link", "model"), [({"room": "ABCD"}, TRANSLATOR), ({"model": "trained"}, "trained")])
def test_who_has_come_to_a_model_by_a_link_keeps_it_in_another_language(
    open_link: Open, link: dict[str, str], model: str
) -> None:
    app = open_link("masks", **{"model": "", "open": "", "lang": "en"} | link)
    (button,) = [button for button in app.button if button.label == LANGUAGES["zh"]]
    button.click().run()
    assert frame_of(app).model == model


def test_a_link_that_names_the_translator_alone_means_its_english_sentence_in_any_language(open_link: Open) -> None:
    app = open_link("masks", model="translate", open="", lang="zh")
    assert app.session_state["settings"]["frame"].src == SENTENCE


def test_a_chinese_reader_who_takes_the_translator_begins_with_a_chinese_sentence(open_link: Open) -> None:
    for lang, sentence in (("zh", EXAMPLES["translate zh-en"]), ("en", SENTENCE)):
        app = open_link("attention", model="trained", open="", lang=lang)
        app.selectbox(key="frame:model").set_value("translate").run()
        assert app.text_input(key="frame:src").value == sentence


@pytest.mark.parametrize("lang", LANGUAGES)
def test_another_sentence_is_of_the_language_of_the_one_that_stands_there(open_link: Open, lang: str) -> None:
    for sentence in (SENTENCE, EXAMPLES["translate zh-en"], "買兩", ""):
        app = open_link("attention", model="translate", open="", src=sentence, lang=lang)
        if not sentence:
            app.text_input(key="frame:src").set_value("").run()
        for _ in range(4):
            app.button(key="another").click().run()
            taken = str(app.text_input(key="frame:src").value)
            assert is_han(taken) == (is_han(sentence) if sentence else lang == "zh")


def test_traditional_characters_are_read(open_link: Open) -> None:
    app = open_link("attention", model="translate", open="", src="我每天買兩朵紅色的花", lang="zh")
    assert Words("shell", "zh")("framed", read="⟨s⟩ 我 每天 买 两 朵 红色 的 花 ⟨/s⟩") in [c.value for c in app.caption]


def test_a_link_that_names_no_model_means_the_one_that_copies(open_link: Open) -> None:
    app = open_link("masks", model="", open="", size="7")
    assert app.session_state["settings"]["frame"].model == "trained"


def test_the_model_that_copies_is_still_there_after_a_reload(open_link: Open) -> None:
    app = open_link("masks", model="", open="")
    app.selectbox(key="frame:model").set_value("trained").run()
    link = dict(app.query_params)
    assert link == {"scene": "1"}
    assert open_link("masks", open="", **link).session_state["settings"]["frame"].model == "trained"


def test_another_model_reads_what_was_last_typed_for_its_words(open_link: Open) -> None:
    app = open_link("attention", model="translate", open="")

    def typed() -> str:
        return str(app.text_input(key="frame:src").value)

    app.text_input(key="frame:src").set_value("two white cats sleep").run()
    app.selectbox(key="frame:model").set_value("trained").run()
    assert typed() == Frame().src
    app.text_input(key="frame:src").set_value("1 4 4 2").run()
    app.selectbox(key="frame:model").set_value("fresh_translate").run()
    assert typed() == "two white cats sleep"
    app.selectbox(key="frame:model").set_value("fresh").run()
    assert typed() == "1 4 4 2"
    assert not app.exception


@in_turn(
    ("src", "key", "values"),
    [
        ("Two WHITE cats, sleep!", "", {}),
        ("两只白色的猫睡觉", "", {}),
        ("", "sequence.no_words", {}),
        ("two whit cats", "sequence.unknown_near", {"word": "` whit `", "nearest": "` white `"}),
        ("123456", "sequence.unknown_word", {"word": "` 123456 `"}),
        ("cat " * 41, "sequence.long", {"length": 41, "longest": 40}),
    ],
)
def test_what_is_typed_in_words_is_read_or_answered_with_a_sentence(
    open_link: Open, lang: str, src: str, key: str, values: dict[str, object]
) -> None:
    app = open_link("attention", model="translate", open="", lang=lang, src=src)
    assert not app.exception
    said = [warning.value for warning in app.warning]
    if not key:
        assert said == []
        return
    (sentences,) = said
    refused, still = sentences.split("\n\n")
    assert refused == Words("shell", lang)(key, **{"count": 138} | values)
    before, after = Words("shell", lang)("unread.still", read="@").split("@")
    assert still.startswith(before)
    assert still.endswith(after)


@pytest.mark.parametrize(("model", "word"), [("translate", "cat"), ("trained", "3"), ("translate", "猫")])
def test_a_link_with_a_sentence_without_end_is_told_so_and_not_answered_with_another(
    open_link: Open, model: str, word: str
) -> None:
    between = "" if word == "猫" else " "
    app = open_link("decoding", model=model, src=between.join([word] * 4000), open="", lang="en")
    assert not app.exception
    (said,) = [warning.value for warning in app.warning]
    assert "the limit is 40" in said
    assert app.text_input(key="frame:src").value.startswith(between.join([word] * 40))


def test_a_sentence_outside_the_grammar_is_translated_and_said_to_be_one(open_link: Open) -> None:
    outside = Words("shell", "en")("outside", english=11, other=15, language="Chinese")
    inside, beyond = (
        [text.value for text in open_link("decoding", model="translate", lang="en", src=src).caption]
        for src in ("two white cats sleep", "cats white two sleep")
    )
    assert outside in beyond
    assert outside not in inside


def test_the_description_of_the_models_says_who_meets_which() -> None:
    table = (SHIPPED / "README.md").read_text(encoding="utf-8")
    met = dict(re.findall(r"^\| `([\w.]+)` \| `model=\w+` \| ([^|]*?) \|", table, re.MULTILINE))
    named = dict(re.findall(r"^\| `([\w.]+)` \| `model=(\w+)`", table, re.MULTILINE))
    assert named == {file: kind for kind, file in EVERY.items()}
    assert met[FILES[TRANSLATOR]] == "readers of Chinese who come without a link, and classes, on every page"
    assert met[FILES[OF_ENGLISH]] == "all other readers who come without a link, on every page"
    assert met[FILES[Frame.default().model]] == "links that set something and name no model"


@pytest.mark.parametrize(("side", "least"), [(ENGLISH, 12), (CHINESE, 16)])
def test_a_sentence_by_the_rules_that_is_longer_than_any_trained_on_is_outside_too(
    open_link: Open, side: int, least: int
) -> None:
    values = values_of("zh")
    without_end = Grammar(values | {"longest": {"english": 99, "chinese": 99}})
    drawn = (without_end.draw(Random(seed)).words for seed in itertools.count())
    words = next(words for words in drawn if len(words[side]) == least and len(words[1 - side]) < 14)
    src = " ".join(words[side])
    assert without_end.read(words[side], side)
    assert not english_chinese().read(words[side], side)
    app = open_link("attention", model="translate", lang="zh", src=src)
    assert not app.exception
    assert Words("shell", "zh")("outside", english=11, other=15, language="中文") in [
        text.value for text in app.caption
    ]


def test_another_sentence_is_one_that_no_run_is_trained_on(open_link: Open) -> None:
    app = open_link("attention", model="translate", open="")
    task, before = Translation("both"), app.text_input(key="frame:src").value
    app.button(key="another").click().run()
    src = app.text_input(key="frame:src").value
    assert src != before
    held_out = [task.source.text(row) for row in task.held_out(200).src.tolist()]
    assert src in held_out
    assert not app.warning


def test_a_link_with_words_that_the_model_lacks_says_which(open_link: Open) -> None:
    app = open_link("heads", model="trained", src="two white cats", lang="en")
    assert not app.exception
    assert ["two" in warning.value for warning in app.warning] == [True]


@in_turn(
    ("chapter", "link", "board", "axes"),
    [
        ("tokens", {}, "tokens.lookup", {"src": "column"}),
        ("positions", {"open": "sum"}, "positions.sum", {"sum": "row", "cos_sum": "column"}),
        ("masks", {"open": "rows"}, "masks.rows", {"columns_weights": "row", "rows_weights": "column"}),
        ("masks", {}, "masks.look_ahead", {"mask": "row"}),
        ("layers", {"open": "sum,network"}, "layers.norm", {"x": "row"}),
        ("layers", {"open": "sum,network"}, "layers.sum", {"sum": "row"}),
        ("layers", {"open": "sum,network"}, "layers.network", {"hidden": "row"}),
    ],
)
def test_a_newcomer_meets_names_where_tokens_are_labelled(
    open_link: Open, chapter: str, link: dict[str, str], board: str, axes: dict[str, str], lang: str
) -> None:
    app = open_link(chapter, model="translate", lang=lang, **{"open": "", **link})
    names = set(shipped("translate").config.vocabularies[0].every)
    for key, axis in axes.items():
        labels = panel(app, board, key)["labels"][axis]
        assert labels
        assert names.issuperset(labels)


def test_while_a_run_of_words_is_awaited_its_own_example_is_read(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at_hand_module, "RUN_PATIENCE", 0.0)
    run = 'task:"translate",direction:"zh-en",d_model:16,h:2,steps:3,seed:8'
    app = open_link("attention", model="run", run=run, open="", lang="en")
    assert app.text_input(key="frame:src").value == EXAMPLES["translate zh-en"]
    assert not app.exception
