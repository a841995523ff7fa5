"""Where the model looked as it wrote: lines of the decoding loop, up to the turn that is shown."""

import numpy as np
import pytest

from tests.app import boards
from tests.app.conftest import Open, in_turn
from ui.model.recorded import forward
from ui.model.shipped import shipped as shipped_model
from ui.text import Words

LINES = "decoding.aligned"
CATS = {"model": "translate", "src": "two white cats sleep", "lang": "en"}  # 两 只 白色 的 猫 睡觉


@pytest.mark.parametrize(("turn", "expected"), [(2, 2), (7, 5)])
def test_the_words_written_so_far_are_joined_to_those_they_stand_for(open_link: Open, turn: int, expected: int) -> None:
    app = open_link("decoding", turn=str(turn), **CATS)
    assert not app.exception
    assert (
        boards.bands(boards.drawing(app, LINES)) == [(0, 1), (1, 3), (2, 2), (4, 3), (5, 4)][:expected]
    )  # 的 and the end stand for no word


@pytest.mark.parametrize("head", [0, 3])
def test_the_weights_of_the_loop_are_those_of_the_whole_answer_at_once(open_link: Open, head: int) -> None:
    shipped = shipped_model("translate")
    source, _ = shipped.config.vocabularies
    src = source.sequence(source.read(CATS["src"]))
    answer = shipped.config.answer(src)
    assert answer
    _, trace = forward(shipped.model, tuple(src), tuple(answer[:4]))
    app = open_link("decoding", turn="4", align_head=str(head), **CATS)
    (*_, code) = boards.snippets(app, "decoding.turn", "decoding.aligned")
    program: dict[str, np.ndarray] = {}
    exec(code, program)
    np.testing.assert_allclose(program["shown"], trace["decoder.layers.0.src_attn.weights"][0, head], atol=1e-5)


def test_the_token_just_written_is_chosen_until_the_reader_chooses_another(open_link: Open) -> None:
    app = open_link("decoding", turn="3", **CATS)
    assert "At step 3, when the model chose **白色**" in boards.written(app)
    app = open_link("decoding", turn="3", align_cell="aligned.0.2", **CATS)
    assert "At step 1, when the model chose **两**, this head gave **white**" in boards.written(app)


@in_turn(
    "query",
    [
        {"begun": "一 只"},
        {"model": "fresh_translate"},
        {"src": "flowers buy two"},
        {"model": "fresh", "src": "1 3 2 5"},
    ],
)
def test_what_is_not_the_answer_has_lines_and_no_gold(open_link: Open, lang: str, query: dict[str, str]) -> None:
    app = open_link("decoding", turn="3", **(CATS | {"lang": lang} | query))
    assert not app.exception
    assert boards.bands(boards.drawing(app, LINES)) == []
    assert Words("decoding", lang)("alignment.unknown") in boards.written(app)


def test_the_lines_of_a_copy_lead_to_the_next_digit(open_link: Open) -> None:
    app = open_link("decoding", src="1 4 2 7", turn="3")
    assert boards.bands(boards.drawing(app, LINES)) == [(0, 1), (1, 2), (2, 3)]


def test_with_a_longer_source_all_sections_are_at_the_turn_that_there_is_room_for_again(open_link: Open) -> None:
    app = open_link("decoding", src="1 4 2", turn="4", open="")
    assert boards.matrices(app, "decoding.turn")["mask"].shape == (2, 2)
    app.text_input(key="frame:src").set_value("1 4 2 7 8 9").run()
    assert app.slider(key="decoding:turn").value == 4
    assert boards.matrices(app, "decoding.turn")["mask"].shape == (4, 4)
    assert boards.drawing(app, LINES).count('data-side="query"') == 4


@pytest.mark.parametrize(
    "query", [{"src": ""}, {"src": "x"}, {"src": "1"}, {"align_cell": "aligned.77.77", "align_head": "63"}]
)
def test_no_link_breaks_the_lines(open_link: Open, query: dict[str, str]) -> None:
    assert not open_link("decoding", **query).exception
