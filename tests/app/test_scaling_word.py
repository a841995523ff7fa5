"""The scores of a word in the model at hand, with which a newcomer's chapter on scaling begins."""

import numpy as np
import pytest

from tests.app.boards import boards, matrices, panel, written
from tests.app.conftest import Open, in_turn, menu_link
from ui.inputs.sequence import EXAMPLES, parse
from ui.model.recorded import forward
from ui.model.shipped import shipped
from ui.sections.sequence_fields import LONGEST
from ui.text import LANGUAGES, Words

STEPS = "scaling.steps"


def self_attention(kind: str, src: str, head: int, value: str) -> tuple[list[str], np.ndarray]:
    """The words of a sentence, and what each of them has for each other in the encoder's first layer."""
    model = shipped(kind)
    words = model.config.vocabularies[0]
    ids = parse(src, words, LONGEST)
    found = forward(model.model, ids, (1,))[1][f"encoder.layers.0.self_attn.{value}"][0, head]
    return words.labels(ids), found.numpy()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_newcomer_meets_the_scores_of_a_word_and_what_its_head_makes_of_them(open_link: Open, lang: str) -> None:
    app = open_link("scaling", model="", open="", lang=lang)
    model, src, flowers, head = {
        "en": ("spanish", EXAMPLES["translate en-es"], "flowers", 0),
        "zh": ("translate", EXAMPLES["translate zh-en"], "花", 2),
    }[lang]
    words, scores = self_attention(model, src, head, "scores")
    row = words.index(flowers)
    assert panel(app, STEPS, "x")["labels"]["row"] == words
    np.testing.assert_allclose(matrices(app, STEPS)["x"][:, 0], scores[row], atol=1e-5)
    weights = self_attention(model, src, head, "weights")[1]
    np.testing.assert_allclose(matrices(app, STEPS)["shares"][:, 1], weights[row], atol=1e-5)
    assert Words("scaling", lang)("steps.model") in written(app)


def test_the_menu_leads_a_newcomer_to_the_same_and_a_reader_of_numbers_to_typed_ones(open_link: Open) -> None:
    newcomers, copiers = (
        menu_link(open_link("attention", open="", model=model), "scaling") for model in ("", "trained")
    )
    assert newcomers.items() >= {"which_scores": "model", "model": "spanish", "word": "5"}.items()
    assert "which_scores" not in copiers


def test_typed_numbers_are_one_click_away_and_stay_for_links_of_before(open_link: Open) -> None:
    app = open_link("scaling", model="", open="warm", which_scores="model")
    assert len(matrices(app, STEPS)["x"]) == 10
    app.button_group(key="scaling:which_scores").set_value("typed").run()
    assert len(matrices(app, STEPS)["x"]) == 5
    assert matrices(app, "scaling.warm")["temperatures"].shape[1] == 5
    assert len(matrices(open_link("scaling", model="translate", open=""), STEPS)["x"]) == 5


def test_another_word_another_head_and_another_sentence_give_other_scores_all_down_the_page(open_link: Open) -> None:
    app = open_link("scaling", model="translate", which_scores="model", open="warm")

    def follows(src: str, row: int, head: int) -> None:
        words, scores = self_attention("translate", src, head, "scores")
        np.testing.assert_allclose(matrices(app, STEPS)["x"][:, 0], scores[row], atol=1e-5)
        assert panel(app, "scaling.warm", "temperatures")["labels"]["column"] == words

    follows(EXAMPLES["translate en-zh"], 0, 0)
    app.selectbox(key="scaling:word").set_value(4).run()
    app.button_group(key="scaling:head").set_value(2).run()
    follows(EXAMPLES["translate en-zh"], 4, 2)
    app.text_input(key="frame:src").set_value("cats sleep").run()
    follows("cats sleep", 3, 2)  # there is no word 4
    app.text_input(key="frame:src").set_value("two white cats sleep").run()
    follows("two white cats sleep", 4, 2)


def test_of_a_model_without_the_scale_it_is_said_that_its_scores_are_not_divided(open_link: Open) -> None:
    app = open_link(
        "scaling", model="run", run="scale:false,steps:1,d_model:16,seed:3", which_scores="model", lang="en"
    )
    assert Words("scaling", "en")("steps.unscaled") in written(app)
    assert Words("scaling", "en")("steps.model") not in written(app)


def test_paddings_are_no_keys(open_link: Open) -> None:
    """The encoder's mask leaves them out of the softmax."""
    app = open_link("scaling", which_scores="model", src="1 4 0 2 0", word="2", open="")
    tokens, weights = self_attention("trained", "1 4 0 2 0", 0, "weights")
    np.testing.assert_allclose(matrices(app, STEPS)["shares"][:, 1], weights[3, [0, 1, 3]], atol=1e-5)
    assert panel(app, STEPS, "x")["labels"]["row"] == [tokens[at] for at in (0, 1, 3)]


@in_turn("src", ["", "two whit cats", "cat " * 41, "<b>x</b>", "🐈"])
def test_what_is_no_sentence_gets_a_sentence_and_every_figure_stays(open_link: Open, src: str, lang: str) -> None:
    app = open_link("scaling", model="translate", which_scores="model", src=src, lang=lang, spread="8")
    assert not app.exception
    assert len(app.warning) == 1
    assert boards(app) == [
        "scaling.steps",
        "scaling.few",
        "scaling.first_scores",
        "scaling.warm",
        "scaling.self",
        "scaling.notes",
    ]
    assert Words("scaling", lang)("steps.model") in written(app)


@pytest.mark.parametrize("src", ["cat", "cat " * 40, "cat cat cat"])
def test_the_shortest_and_the_longest_sentence_and_one_of_equal_words_are_drawn(open_link: Open, src: str) -> None:
    app = open_link("scaling", model="translate", which_scores="model", src=src, word="63", open="warm")
    assert not app.exception
    assert not app.warning
    assert len(matrices(app, STEPS)["x"]) == len(src.split()) + 2
