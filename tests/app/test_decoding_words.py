"""The decoding chapter with words: names, the likeliest of many tokens, an output that the reader begins."""

from typing import Any

import numpy as np
import pytest
import torch

from tests.app import boards
from tests.app.conftest import Open, in_turn
from tests.app.test_decoding import written
from transformer_core import greedy_decode, greedy_steps, padding_mask
from ui.figures.board import Few
from ui.model.shipped import shipped as shipped_model
from ui.text import Words

FLOWERS = "I buy two red flowers every day"


def tokens(text: str) -> list[int]:
    return shipped_model("translate").config.vocabularies[1].read(text)


def steps(begun: list[int] | None = None, src: str = FLOWERS) -> list[Any]:
    """The loop of the core, with nothing of the page."""
    shipped = shipped_model("translate")
    source, _ = shipped.config.vocabularies
    sources = torch.tensor([source.sequence(source.read(src))])
    room = shipped.config.words.longest[1]
    return list(greedy_steps(shipped.model, sources, padding_mask(sources), room, prefix=begun or []))


def test_the_finished_translation_stands_as_one_writes_it(open_link: Open) -> None:
    app = open_link("decoding", model="translate", src=FLOWERS, lang="en")
    assert Words("decoding", "en")("result_right", output="我每天买两朵红色的花") in boards.written(app)


def test_of_a_long_vocabulary_the_likeliest_stand_sorted_beside_the_sum_of_all_others(open_link: Open) -> None:
    app = open_link("decoding", model="fresh_translate", src=FLOWERS, turn="2")
    panel = boards.panel(app, "decoding.turn", "probabilities")
    names = shipped_model("translate").config.vocabularies[1].names
    (shown,) = boards.matrices(app, "decoding.turn")["probabilities"]
    assert len(shown) == 9
    assert sorted(shown[:-1], reverse=True) == list(shown[:-1])
    assert shown.sum() == pytest.approx(1)
    assert shown[-1] > 0.5  # untrained, it has no favourites: the others are many
    assert set(panel["labels"]["column"][:-1]) <= set(names)


def test_few_keeps_what_is_always_shown_in_its_place() -> None:
    few = Few.largest(np.array([0.1, 0.4, 0.2, 0.3]), 2, always=[0])
    assert few.shown == (1, 3, 0)
    assert few.others == (2,)
    assert few.of(np.array([[1.0, 2.0, 4.0, 8.0], [0.0, 0.0, 1.0, 0.0]])).tolist() == [[2, 8, 1, 4], [0, 0, 0, 1]]
    assert few.names("abcd", "rest") == ["b", "d", "a", "rest"]
    assert Few.every(3).of(np.eye(3)).tolist() == np.eye(3).tolist()


def test_the_output_goes_on_from_the_words_that_the_reader_puts_in_front(open_link: Open) -> None:
    begun = tokens("我们 每天 喝")
    loop = steps(begun)
    app = open_link("decoding", model="translate", src=FLOWERS, begun="我们每天喝", turn="4", lang="en")
    assert not app.exception
    assert written(app).count("✎") == 3
    assert "✗" not in written(app)  # a sentence that the reader has begun is not the answer's
    shown = boards.panel(app, "decoding.turn", "probabilities")["labels"]["column"]
    names = shipped_model("translate").config.vocabularies[1].names
    assert shown[0] == names[int(loop[3].choice)]
    said = boards.written(app)
    assert "With the start **我们每天喝**" in said
    assert "By itself the model writes **我每天买两朵红色的花**" in said
    program: dict[str, Any] = {}
    exec(boards.snippet(app, "decoding.turn"), program)
    np.testing.assert_allclose(program["shown"][3], loop[3].log_probs[0].exp(), atol=1e-6)


def test_at_the_readers_own_turn_the_model_says_what_it_thinks_of_the_word(open_link: Open) -> None:
    (word,) = tokens("喝")
    app = open_link("decoding", model="translate", src=FLOWERS, begun="我每天喝", turn="3", lang="en")
    probability = float(steps(tokens("我每天喝"))[2].log_probs[0, word].exp())
    assert 0 < probability < 5e-5  # it is not nothing, and so nothing is not what is written
    assert Words("decoding", "en")("chosen", turn=3, token="喝", share="<\xa00.01%") in boards.written(app)
    assert "喝 ✎" in boards.panel(app, "decoding.turn", "probabilities")["labels"]["column"]


def test_what_the_reader_begins_as_the_answer_does_is_held_against_the_answer(open_link: Open) -> None:
    app = open_link("decoding", model="translate", src=FLOWERS, begun="我 每天", turn="9", lang="en")
    assert "answer" in boards.written(app)
    assert written(app).count("✎") == 2


def test_the_model_has_its_own_words_back_at_a_press(open_link: Open) -> None:
    app = open_link("decoding", model="translate", src=FLOWERS, begun="我们")
    app.button(key="decoding.reset").click().run()
    assert app.text_input(key="decoding:prefix").value == ""
    assert "✎" not in written(app)
    assert not [button for button in app.button if button.key == "decoding.reset"]


@pytest.mark.parametrize(("model", "src"), [("translate", FLOWERS), ("trained", "1 3 2 5")])
def test_a_candidate_that_is_pressed_is_put_in_the_models_mouth(open_link: Open, model: str, src: str) -> None:
    app = open_link("decoding", model=model, src=src, turn="2")
    boards.does(app, "decoding.turn", "label", {"panel": "probabilities", "axis": "column", "index": 1})
    assert not app.exception
    begun = app.text_input(key="decoding:prefix").value.split()
    assert len(begun) == 2  # the token before it stays as it was written
    assert written(app).count("✎") == 2


@in_turn(
    ("model", "begun"),
    [
        ("translate", "elephant"),
        ("translate", "我 " * 30),
        ("translate", "!!!"),
        ("translate", "999"),
        ("trained", "我"),
        ("trained", "3 2 99"),
        ("trained", "3 " * 12),
    ],
)
def test_a_beginning_that_cannot_be_gets_a_sentence_and_the_model_goes_by_itself(
    open_link: Open, model: str, begun: str, lang: str
) -> None:
    app = open_link("decoding", model=model, begun=begun, turn="2", lang=lang)
    assert not app.exception
    assert len(app.warning) == 1
    assert "✎" not in written(app)


@pytest.mark.parametrize("begun", ["⟨/s⟩ 我", "⟨pad⟩ ⟨s⟩", "I BUY, two", "我每天买两朵红色的花"])
def test_symbols_capitals_and_words_of_the_other_language_can_be_put_there(open_link: Open, begun: str) -> None:
    app = open_link("decoding", model="translate", src=FLOWERS, begun=begun, turn="60", lang="en")
    assert not app.exception
    assert not app.warning
    assert "✎" in written(app)


def test_a_sentence_that_the_grammar_does_not_know_has_no_answer_to_be_right_or_wrong_by(open_link: Open) -> None:
    app = open_link("decoding", model="translate", src="flowers buy flowers two", turn="3", lang="en")
    assert not app.exception
    assert "there is no answer to compare with" in boards.written(app)
    assert "✗" not in written(app)
    assert 'class="token right' not in written(app)


def test_what_is_written_past_the_end_of_the_answer_is_struck(open_link: Open) -> None:
    room, answer = 12, len(tokens("我每天买两朵红色的花")) + 1  # with its ⟨/s⟩
    app = open_link("decoding", model="fresh_translate", src=FLOWERS, turn=str(room), lang="en")
    marked = [box for box in written(app).split("<span ") if Words("decoding", "en")("past") in box]
    assert len(marked) == room - answer
    assert all("<s>✗ " in box for box in marked)


def test_a_wrong_word_is_struck_and_the_answers_stands_beside_it(open_link: Open) -> None:
    app = open_link("decoding", model="fresh_translate", src=FLOWERS, turn="1", lang="en")
    (choice,) = (int(step.choice) for step in steps()[:1])
    assert f'<span class="right">{shipped_model("translate").config.vocabularies[1].names[choice]}</span>' in written(
        app
    )
    assert "<s>✗ " in written(app)
    assert "the answer is **我每天买两朵红色的花**" in boards.written(app)


def test_begun_with_padding_the_translator_is_right_less_than_half_the_time() -> None:
    shipped = shipped_model("translate")
    assert shipped.config.words is not None
    pairs = shipped.config.words.held_out(100)
    until = shipped.config.vocabularies[1].until_end
    right = []
    for start in (0, 1):
        output = greedy_decode(shipped.model, pairs.src, padding_mask(pairs.src), pairs.tgt.size(1), start)
        answers = zip(output.tolist(), pairs.tgt.tolist())
        right.append(sum(until(ours[1:]) == until(theirs[1:]) for ours, theirs in answers))
    assert right[0] < 60
    assert right[1] == 100
