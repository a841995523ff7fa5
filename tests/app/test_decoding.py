"""The decoding chapter: every turn is the model's own."""

from tests.app.conftest import Open


def test_the_shipped_model_copies_the_notes_sequence(open_link: Open) -> None:
    app = open_link("decoding")
    assert any("1 3 2 5 4 6 7 8 9 10" in text.value and "9 of 9" in text.value for text in app.markdown)


def test_the_turn_is_limited_by_the_source(open_link: Open) -> None:
    app = open_link("decoding", src="1 4 2", turn="40")
    assert app.slider[0].max == 2
    assert app.slider[0].value == 2


def test_a_probability_is_written_out_as_a_softmax(open_link: Open) -> None:
    app = open_link("decoding", cell="probabilities.0.3", turn="1")
    assert any("p(3)" in block.body and "e<sup>" in block.body for block in app.get("html"))


def test_a_lone_start_symbol_is_explained(open_link: Open) -> None:
    app = open_link("decoding", src="1")
    assert not app.exception
    assert app.warning
