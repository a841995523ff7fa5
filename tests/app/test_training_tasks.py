"""The tasks of the training chapter: each with its recipe, what is watched of its runs, and what is said of them."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import unexplained, written
from tests.app.conftest import Open
from tests.app.test_training import look_back, press, resting, trained, until
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import EMPTY
from transformer_core.training.probing import probe_of, watched_of
from ui.chapters.training.recipe import PAIRS, TASKS, Recipe, config_of
from ui.chapters.training.values import best_aligned, even_share, learned_at, reference_of
from ui.chapters.training.words import of_words
from ui.text import LANGUAGES, Words

TINY = {"d_model": "8", "h": "2", "batch": "4", "steps": "20"}


def test_a_word_may_stand_for_several_of_the_source_and_for_none() -> None:
    maps = np.full((1, 2, 3, 4), 0.25, np.float16)
    maps[0, 1] = np.array([[0, 0.5, 0, 0.5], [1, 0, 0, 0], [0, 0, 0.5, 0.5]])
    reference = np.array([[0, 1, 0, 1], [0, 0, 0, 0], [0, 0, 1, 0]], bool)
    assert best_aligned(maps, reference) == (0, 1, 0.75)
    assert even_share(reference) == 0.375


def test_what_the_words_of_the_probe_stand_for_is_what_the_grammar_says() -> None:
    config = TrainConfig.of_task("translate")
    source, target = config.vocabularies
    read, answer = probe_of(config), config.answer(probe_of(config))
    assert answer is not None
    pairs = {
        (target.names[token], *(source.names[read[place]] for place in np.flatnonzero(row)))
        for token, row in zip(answer[1:], reference_of(config), strict=True)
    }
    assert {("两", "two"), ("本", "books"), ("书", "books"), ("今天", "today"), ("的",), ("⟨/s⟩",)} <= pairs


def test_a_kind_counts_as_learned_from_the_first_step_with_nine_tenths_right() -> None:
    history = EMPTY._replace(step=np.arange(5), right_order=np.array([0, np.nan, 0.89, 0.9, 0.5]))
    assert [learned_at(history, "order", at) for at in range(5)] == [None, None, None, 3, 3]


def test_a_link_to_a_task_is_a_link_to_its_recipe_and_says_what_differs() -> None:
    for task in set(TASKS) - {PAIRS}:
        settings = Recipe.from_query({"task": task})
        assert config_of(settings) == TrainConfig.of_task(task)
        assert settings.to_query() == {"task": task}
    copies = TrainConfig().batch
    settings = Recipe.from_query({"task": "translate", "direction": "both", "batch": str(copies)})
    assert config_of(settings) == TrainConfig.of_task("translate", "both", batch=copies)
    assert settings.to_query() == {"task": "translate", "direction": "both", "batch": str(copies)}
    assert Recipe.from_query({"task": "translate", "batch": "0"}) == Recipe.from_query({"task": "translate"})


@pytest.mark.parametrize(
    ("model", "task"),
    [("trained", "copy"), ("notes", "copy"), ("translate", "translate"), ("fresh_translate", "translate")],
)
def test_the_chapter_begins_with_what_the_model_at_hand_does(open_link: Open, model: str, task: str) -> None:
    app = open_link("training", open="", model=model)
    assert config_of(app.session_state["settings"]["training"]) == TrainConfig.of_task(task)
    assert app.query_params["task"] == task
    assert not app.warning


@pytest.mark.parametrize(("lang", "direction"), [("en", "en-es"), ("zh", "en-zh")])
def test_a_newcomer_trains_what_he_has_met_and_may_choose_another_language_or_to_copy_for_good(
    open_link: Open, lang: str, direction: str
) -> None:
    app = open_link("training", open="", model="", lang=lang)
    assert config_of(app.session_state["settings"]["training"]) == TrainConfig.of_task("translate", direction)
    for other in ("en-es", "es-en", "both-es", "en-zh", "both"):
        choose(app, "direction", other)
        assert config_of(app.session_state["settings"]["training"]) == TrainConfig.of_task("translate", other)
    choose(app, "task", "copy")
    assert config_of(app.session_state["settings"]["training"]) == TrainConfig()
    again = open_link("training", open="", **app.query_params)
    assert config_of(again.session_state["settings"]["training"]) == TrainConfig()


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("direction", "key", "other"), [("en-es", "spanish", "words"), ("zh-en", "words", "spanish")])
def test_what_is_said_of_the_words_is_so_of_the_language_that_is_learned(
    open_link: Open, lang: str, direction: str, key: str, other: str
) -> None:
    app, say = open_link("training", task="translate", direction=direction, lang=lang), Words("training", lang)
    *_, ours = say(f"name_{key}").split("\n\n")
    *_, theirs = say(f"name_{other}").split("\n\n")
    assert unexplained(ours).split("**")[3] in written(app)
    assert theirs.split("**")[0] not in written(app)
    config = TrainConfig.of_task("translate", direction)
    assert (of_words(config, "why"), of_words(config, "name")) == (f"why_{key}", f"name_{key}")


def test_a_link_that_says_a_direction_keeps_it_beside_any_model(open_link: Open) -> None:
    app = open_link("training", open="", model="spanish", direction="zh-en")
    assert config_of(app.session_state["settings"]["training"]) == TrainConfig.of_task("translate", "zh-en")


def choose(app: AppTest, name: str, option: str) -> AppTest:
    (control,) = [group for group in app.get("button_group") if group.key == f"training:{name}"]
    control.set_value(option).run()
    assert not app.exception
    return app


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_task_brings_its_recipe_and_hides_what_follows_from_it(open_link: Open, lang: str) -> None:
    app = open_link("training", batch="7", lang=lang, notes="1")
    assert not [group for group in app.get("button_group") if group.key == "training:direction"]
    for task in ("reverse", "translate"):
        choose(app, "task", task)
        assert config_of(app.session_state["settings"]["training"]) == TrainConfig.of_task(task)
    choose(app, "direction", "both")
    assert config_of(app.session_state["settings"]["training"]) == TrainConfig.of_task("translate", "both")
    press_in(app, lang, "preset.notes")
    assert config_of(app.session_state["settings"]["training"]) == TrainConfig.notes()


def press_in(app: AppTest, lang: str, key: str) -> None:
    (button,) = [button for button in app.button if button.label == Words("training", lang)(key)]
    button.click().run()
    assert not app.exception


@pytest.mark.parametrize("task", ["translate", "sort"])
def test_what_is_watched_is_corrected_at_every_step_that_is_looked_at(open_link: Open, task: str) -> None:
    app = until(press(open_link("training", open="", lang="en", task=task, **TINY), "start"), resting)
    (record,) = trained()
    history, config = record.snapshot.history, record.snapshot.config
    for at in (20, 0, 10):
        look_back(app, at)
        (body,) = [
            html.body for html in app.get("html") if 'class="corrected"' in html.body and "<style" not in html.body
        ]
        chosen = history.choices[list(history.probe_step).index(at)]
        wrong = right = 0
        for source, row in zip(watched_of(config), chosen, strict=True):
            target = config.answer(source)
            assert target is not None
            wrong += sum(token != answer for token, answer in zip(row, target[1:]))
            right += sum(token == answer for token, answer in zip(row, target[1:]))
            assert config.vocabularies[0].text(source) in body
        assert (body.count("<s>"), body.count("token right")) == (wrong, right)
    told = " ".join(text.value for text in app.markdown)
    assert "diagonal" not in told
    assert "This run at step 10:" in told


def test_a_sequence_for_another_task_gives_way_to_an_example(open_link: Open) -> None:
    for link in ({"model": "translate", "task": "copy"}, {"model": "trained", "task": "translate"}):
        app = open_link("training", lang="en", **link)
        assert not app.warning
        assert any("an example stands in for it" in text.value for text in app.markdown)
        assert any("after step 0 gets" in text.value for text in app.markdown)
    app = open_link("training", lang="en", model="translate", task="translate", src="we drink tea")
    assert any(field.value == "we drink tea" for field in app.text_input)
    assert not any("an example stands in" in text.value for text in app.markdown)
