"""Pairs of the reader's own: given to the chapter on training, learned, shown by every chapter, and in no link."""

import re
from itertools import cycle
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import Open, come_back
from tests.app.test_own_model import in_menu, sit_down
from tests.app.test_training import press, resting, trained, until
from tests.app.test_training_tasks import choose
from transformer_core.tasks.own_pairs import FEWEST, MOST_BYTES
from transformer_core.tasks.pair_examples import EXAMPLES, example
from transformer_core.tasks.pair_lines import read_pairs
from transformer_core.training.checkpoint import Checkpoint, to_bytes
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model
from transformer_core.training.probing import watched_of
from transformer_core.training.state_dict import load_any
from ui import own_pairs
from ui import session as session_module
from ui.chapters.training import offer
from ui.chapters.training.pairs import FIELD
from ui.chapters.training.recipe import PAIRS
from ui.model.run_link import run_text
from ui.run_limits import OWN_PAIRS
from ui.settings.chapters import CHAPTERS, MAP, STORIES
from ui.text import LANGUAGES, Words
from ui.training_service.runs import all_runs

SMALL: dict[str, Any] = {"d_model": 8, "h": 2, "batch": 4, "steps": 20, "N": 1}
LINES = "\n".join(f"{number}\t{'+' * (number % 7)}{number % 10}=" for number in range(2 * FEWEST))
PEOPLE = "\n".join(f"ספר {number} 👍🏽\t{'*' * (number % 3)} $x_{number}" for number in range(2 * FEWEST))


def config_of_lines(lines: str) -> TrainConfig:
    return TrainConfig.of_task(PAIRS, pairs=read_pairs(lines).pairs.text, **SMALL)


def give(app: AppTest, lines: str) -> AppTest:
    app.text_area(key=FIELD).set_value(lines).run()
    assert not app.exception
    return app


def shown(app: AppTest) -> str:
    return " ".join(block.value for block in app.markdown)


def small(app: AppTest) -> AppTest:
    """The run of the page, smaller than its recipe."""
    for name, value in SMALL.items():
        app.number_input(key=f"training:{name}").set_value(value)
    return app.run()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_pairs_the_page_says_how_to_come_by_some(open_link: Open, lang: str) -> None:
    app = choose(open_link("training", open="", lang=lang), "task", PAIRS)
    say = Words("training", lang)
    assert say("refused.pairs_empty") in [warning.value for warning in app.warning]
    unused = open_link("training", open="decode", task=PAIRS, lang=lang)
    assert [info.value for info in unused.info] == [say("decode.nothing")]
    assert not [html.body for html in unused.get("html") if 'class="tokens"' in html.body]
    labels = [button.label for button in app.button]
    assert all(say(f"pairs.example.{name}") in labels for name in EXAMPLES)
    assert say("start") not in labels
    assert trained() == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_example_stands_in_the_field_and_is_told_of_and_brings_its_recipe(open_link: Open, lang: str) -> None:
    app, say = open_link("training", open="", task=PAIRS, lang=lang), Words("training", lang)
    (button,) = [button for button in app.button if button.label == say("pairs.example.roman")]
    button.click().run()
    assert not app.exception
    assert app.text_area(key=FIELD).value == example("roman")
    pairs = read_pairs(example("roman")).pairs
    told = shown(app)
    for count in (f"{pairs.count:,}", f"{pairs.trained:,}", f"{pairs.unseen:,}"):
        assert f"**{count}" in told
    assert say("pairs.by.digits", count=10) in told
    assert say("pairs.by.letters", count=7) in told
    recipe = TrainConfig.of_task(PAIRS, pairs=pairs.text)
    settings = app.session_state["settings"]["training"]
    assert (settings.own_pairs, settings.steps, settings.rate) == (pairs.digest, recipe.steps, recipe.rate)
    assert app.query_params["own_pairs"] == pairs.digest
    assert sum(map(len, app.query_params.values())) < 200
    assert [button for button in app.button if button.label == say("start") and not button.disabled]
    body = " ".join(html.proto.body for html in app.get("html"))
    for source in watched_of(recipe):
        assert pairs.source.text(source) in body.replace(" ", "")


def test_a_run_on_own_pairs_is_the_model_at_hand_and_saved_with_them(open_link: Open) -> None:
    app = small(give(open_link("training", open="", task=PAIRS, lang="en"), PEOPLE))
    until(press(app, "start"), resting)
    (record,) = trained()
    config = config_of_lines(PEOPLE)
    assert record.snapshot.config == config
    assert record.snapshot.state == "done"
    told = shown(app)
    assert "This run at step 20" in told
    assert "which token stands for which" in told
    frame = app.session_state["settings"]["frame"]
    assert (frame.model, frame.run) == ("run", run_text(config))
    assert "ספר" not in run_text(config)
    for chapter in ("attention", "heads", "decoding"):
        app.switch_page(f"pages/{chapter}.py").run()
        assert not app.exception
        assert "seed 0" in in_menu(app)
    saved = load_any(offer._file(all_runs, config, 20, record.snapshot.history))
    assert isinstance(saved, Checkpoint)
    assert saved.config == config


def test_what_stood_in_the_field_is_there_when_the_reader_comes_back(open_link: Open) -> None:
    app = give(open_link("training", open="", task=PAIRS, lang="en"), LINES)
    app.switch_page("pages/loss.py").run()
    assert not come_back(app, "training").exception
    assert app.text_area(key=FIELD).value == LINES
    assert app.query_params["own_pairs"] == read_pairs(LINES).pairs.digest


@pytest.mark.parametrize("lang", LANGUAGES)
def test_another_tab_says_that_the_pairs_are_not_in_the_link(open_link: Open, lang: str) -> None:
    app = open_link("training", open="", task=PAIRS, own_pairs="0123456789ab", lang=lang)
    assert not app.exception
    assert Words("training", lang)("refused.pairs_elsewhere") in [warning.value for warning in app.warning]
    run = run_text(config_of_lines(LINES))
    for link in ({"model": "run", "run": run}, {"model": "trained", "compare": "run", "other": run}):
        app = open_link("attention", lang=lang, **link)
        assert not app.exception
        key = "compare_missing.pairs" if "compare" in link else "model_missing.pairs"
        assert Words("shell", lang)(key) in [warning.value for warning in app.sidebar.warning]


BAD = {
    "one_column": "cat\ndog",
    "none_left": "\n".join("cat," if number % 2 else ",Katze" for number in range(FEWEST)),
    "json": '[["cat"], ["dog"]]',
    "duplicates": "cat\tKatze\n" * 20,
    "one_target": "\n".join(f"{number}\tyes" for number in range(FEWEST)),
    "few": "1\tI\n2\tII",
    "quotes": '"a,b\nc,d',
    "binary": "PK\x03\x04\tb\n" * 20,
}


@pytest.mark.parametrize(("reason", "lang"), [*zip(BAD, cycle(LANGUAGES))])
def test_lines_that_are_no_pairs_get_a_sentence_and_stay_in_the_field(open_link: Open, reason: str, lang: str) -> None:
    app = give(open_link("training", open="", task=PAIRS, lang=lang), LINES)
    give(app, BAD[reason])
    (error,) = app.error
    beginning = Words("training", lang)._text(f"pairs.refused.{reason}").split("{{")[0]
    assert error.value.startswith(beginning)
    assert "{{" not in error.value
    assert app.text_area(key=FIELD).value == BAD[reason]
    assert app.session_state["settings"]["training"].own_pairs == ""
    give(app, LINES)
    assert not app.error
    assert app.session_state["settings"]["training"].own_pairs == read_pairs(LINES).pairs.digest


def test_a_file_of_pairs_is_read_and_one_that_has_none_leaves_what_stood_there(open_link: Open) -> None:
    app, say = open_link("training", open="", task=PAIRS, lang="en"), Words("training", "en")
    app.file_uploader[0].set_value(("my.csv", LINES.replace("\t", ",").encode("utf-16"), "text/csv")).run()
    assert not app.exception
    assert app.text_area(key=FIELD).value == LINES.replace("\t", ",")
    digest = read_pairs(LINES).pairs.digest
    assert app.session_state["settings"]["training"].own_pairs == digest
    for content, reason in ((b"\0\1\2", "binary"), ("é".encode("latin-1"), "encoding"), (b" \n", "empty")):
        app.file_uploader[0].set_value(("other.csv", content, "text/csv")).run()
        assert [error.value for error in app.error] == [say(f"pairs.refused.{reason}")]
        assert app.session_state["settings"]["training"].own_pairs == digest
    app.file_uploader[0].set_value(("large.csv", "学\t习\n".encode() * (OWN_PAIRS.text // 7), "text/csv")).run()
    assert app.error[0].value.startswith("The text has more than ` 8 `\u00a0MB")


EXPORT = "no\ten\tnr\tfr\n" + "\n".join(
    f"{1000 + number}\t{number} red\t{9000 - number}\t{'*' * (number % 3)}{number % 10}" for number in range(2 * FEWEST)
)


def previewed(app: AppTest) -> str:
    return " ".join(html.proto.body for html in app.get("html") if 'class="pairs-look"' in html.proto.body)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_preview_says_how_lines_are_read_and_lets_one_choose(open_link: Open, lang: str) -> None:
    app, say = open_link("training", open="", task=PAIRS, lang=lang), Words("training", lang)
    give(app, EXPORT + "\n7\t\t8\tblue\n9\tblue\n")
    settings = app.session_state["settings"]["training"]
    found = read_pairs(EXPORT)
    assert settings.own_pairs == found.pairs.digest
    told = say("pairs.look.read", lines=2 * FEWEST + 2, width=4, form=say("pairs.look.form.tab"))
    assert told in shown(app)
    heads = [say(f"pairs.look.{name}") for name in ("as", "aside", "source", "aside", "target")]
    assert re.findall(r'<th [^>]*scope="col"[^>]*>(.*?)</th>', previewed(app)) == heads
    assert say("pairs.look.header") in previewed(app)
    (left,) = [box.value for box in app.info if say("pairs.look.why.columns", count=1, lines=23) in box.value]
    assert say("pairs.look.left_out", count=2, lines=2 * FEWEST + 2) in left
    assert say("pairs.look.why.empty_cell", count=1, lines=22) in left
    app.selectbox(key="training:source_column").set_value(4).run()
    choose(app, "header", "pair")
    other = read_pairs(EXPORT, columns=(4, 2), header=False)
    assert app.session_state["settings"]["training"].own_pairs == other.pairs.digest != found.pairs.digest
    assert (app.query_params["source_column"], app.query_params["header"]) == ("4", "pair")
    give(app, LINES)
    assert "source_column" not in app.query_params
    assert app.session_state["settings"]["training"].own_pairs == read_pairs(LINES).pairs.digest
    assert say("pairs.look.all") in shown(app)


def test_a_link_may_say_how_a_file_is_to_be_read(open_link: Open) -> None:
    app = open_link("training", open="", task=PAIRS, lang="en", source_column="4", target_column="2", header="pair")
    give(app, EXPORT)
    digest = read_pairs(EXPORT, columns=(4, 2), header=False).pairs.digest
    assert app.session_state["settings"]["training"].own_pairs == digest
    app = open_link("training", open="", task=PAIRS, lang="en", source_column="4", target_column="4")
    give(app, EXPORT)
    assert [error.value for error in app.error] == [
        Words("training", "en")("pairs.refused.no_column", source=4, target=4, count=4)
    ]
    assert not previewed(app)


def test_of_a_large_file_a_sample_is_learned_whose_seed_is_said(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = OWN_PAIRS._replace(pairs=100)
    monkeypatch.setattr("ui.chapters.training.pairs.OWN_PAIRS", few)
    app, say = open_link("training", open="", task=PAIRS, lang="en"), Words("training", "en")
    text = "\n".join(f"{number},{number + 1}" for number in range(few.pairs + 7))
    app.file_uploader[0].set_value(("many.csv", text.encode("utf-16"), "text/csv")).run()
    assert not app.exception
    assert say("pairs.look.sample", seed=0) in shown(app)
    assert say("pairs.look.encoded", encoding="UTF-16") in re.sub("<[^>]+>", "", shown(app))
    digest = read_pairs(text, limits=few).pairs.digest
    assert app.session_state["settings"]["training"].own_pairs == digest
    app.number_input(key="training:sample").set_value(3).run()
    assert say("pairs.look.sample", seed=3) in shown(app)
    assert app.session_state["settings"]["training"].own_pairs == read_pairs(text, seed=3, limits=few).pairs.digest


def test_where_all_readers_pairs_take_the_room_a_sentence_says_so(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_pairs, "ROOM", 100)
    app = give(open_link("training", open="", task=PAIRS, lang="en"), LINES)
    assert [error.value for error in app.error] == [Words("training", "en")("pairs.refused.pairs_room", limit=0)]
    large = "\n".join(f"{number}\t{number}{'.' * 250}" for number in range(OWN_PAIRS.pairs + 1)).encode()
    app.file_uploader[0].set_value(("large.tsv", large, "text/plain")).run()
    assert not app.exception
    (mine,) = session_module._sessions.values()
    assert len(large) > MOST_BYTES
    assert mine.own_pairs.lines == ""


def test_how_lines_are_cut_can_be_chosen(open_link: Open) -> None:
    app = give(open_link("training", open="", task=PAIRS, lang="en", split="letters"), PEOPLE)
    assert app.session_state["settings"]["training"].own_pairs == read_pairs(PEOPLE, "letters").pairs.digest
    choose(app, "split", "words")
    assert app.session_state["settings"]["training"].own_pairs == read_pairs(PEOPLE, "words").pairs.digest


@pytest.mark.parametrize(
    ("chapter", "lines", "lang"),
    [(chapter, *read) for chapter, read in zip([MAP, *CHAPTERS], cycle(((PEOPLE, "en"), (LINES, "zh"))))],
)
def test_every_chapter_works_on_the_model_of_own_pairs(open_link: Open, chapter: str, lines: str, lang: str) -> None:
    config = config_of_lines(lines)
    sit_down(open_link, to_bytes(fresh_model(config), config, 20), "pairs.safetensors")
    app = open_link(chapter, model="own", lang=lang)
    assert not app.exception
    assert "pairs.safetensors" in in_menu(app)
    if chapter in STORIES:
        assert not open_link(chapter, model="own", lang=lang, scene="1").exception


def test_a_word_that_the_model_does_not_know_gets_a_sentence_and_a_source_that_no_line_has(open_link: Open) -> None:
    config, shell = config_of_lines(PEOPLE), Words("shell", "en")
    sit_down(open_link, to_bytes(fresh_model(config), config, 20), "pairs.safetensors")
    app = open_link("attention", model="own", src="ספר 3 cat", lang="en")
    assert not app.exception
    assert any("but not ` cat `" in warning.value for warning in app.warning)
    app = open_link("attention", model="own", src="3 3 ספר", lang="en")
    assert not app.warning
    assert shell("outside_pairs") in [caption.value for caption in app.caption]
    assert shell("pairs_unknown") in [block.value for block in app.markdown]  # and nobody is asked where to look


def test_the_file_of_a_run_brings_its_pairs_along(open_link: Open) -> None:
    config = config_of_lines(LINES)
    app = open_link("training", open="own", lang="en")
    app.file_uploader[0].set_value(
        ("run.safetensors", to_bytes(fresh_model(config), config, 20), "application/octet-stream")
    ).run()
    assert not app.exception
    assert not app.error
    (mine,) = session_module._sessions.values()
    assert list(mine.own_pairs.texts.values()) == [config.pairs]
    app = open_link("training", open="", model="own", lang="en")
    assert app.session_state["settings"]["training"].own_pairs == read_pairs(LINES).pairs.digest
    assert app.text_area(key=FIELD).value == config.pairs
    assert not app.warning
