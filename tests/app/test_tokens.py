"""The chapter on tokens: what is on screen is what the tables hold."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from tests.app.answers import right
from tests.app.boards import boards, matrices, panel, written
from tests.app.conftest import Open, in_turn
from transformer_core import Embeddings, position_code
from transformer_core.training.checkpoint import load
from ui.figures.number import number
from ui.model.shipped import SHIPPED
from ui.text import LANGUAGES, Typed, Words

ANSWERED = right("tokens")


FIGURES = ["lookup", "equal", "padding", "four", "zero", "printed_table", "printed_rows"]


def fresh_table(d_model: int, vocab: int, seed: int, padding_idx: int | None = None) -> torch.Tensor:
    torch.manual_seed(seed)
    return torch.nn.Embedding(vocab, d_model, padding_idx=padding_idx).weight.detach()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_section_is_there_once_the_questions_are_answered(open_link: Open, lang: str) -> None:
    app = open_link("tokens", lang=lang, **ANSWERED)
    assert not app.exception
    assert boards(app) == [f"tokens.{figure}" for figure in FIGURES]
    assert len(app.get("echarts_chart")) == 1
    assert len(app.success) == 5


def test_before_the_questions_are_answered_only_what_tells_no_answer_is_shown(open_link: Open) -> None:
    app = open_link("tokens")
    assert boards(app) == ["tokens.lookup", "tokens.four", "tokens.printed_table"]
    assert not app.get("echarts_chart")


def test_a_typed_sequence_is_padded_and_looked_up_in_the_trained_table(open_link: Open) -> None:
    app = open_link("tokens", src="1 7 7 4", width="6", first="3")
    assert panel(app, "tokens.lookup", "vectors")["made"]
    shown = matrices(app, "tokens.lookup")
    table = (
        load(SHIPPED / "copy.safetensors")
        .model.get_submodule("src_embed.0.lut")
        .get_parameter("weight")
        .detach()
        .numpy()
    )
    ids = [1, 7, 7, 4, 0, 0]
    assert shown["src"].tolist() == [ids]
    np.testing.assert_array_equal(shown["table"], table[:, 3:27])
    np.testing.assert_allclose(shown["vectors"], 8 * table[ids, 3:27], rtol=1e-6)  # √64


def test_without_the_factor_the_vectors_are_rows_of_the_table_and_the_scale_stays(open_link: Open) -> None:
    plain, scaled = (open_link("tokens", example="five", factor=factor) for factor in "01")
    shown = matrices(plain, "tokens.lookup")
    np.testing.assert_array_equal(shown["vectors"], shown["table"][[4, 5, 8, 8, 1]])
    np.testing.assert_array_equal(matrices(scaled, "tokens.lookup")["vectors"], 4 * shown["vectors"])
    assert panel(plain, "tokens.lookup", "vectors")["ends"] == panel(scaled, "tokens.lookup", "vectors")["ends"]


def test_the_notes_batch_is_the_preset_of_the_lengths(open_link: Open) -> None:
    shown = matrices(open_link("tokens", example="lengths"), "tokens.lookup")
    assert ((shown["src"] > 0).sum(1).tolist(), (shown["tgt"] > 0).sum(1).tolist()) == ([2, 4], [4, 3])
    assert shown["src"].shape == shown["tgt"].shape == (2, 5)
    assert (shown["table"].shape, shown["vectors"].shape) == ((8, 16), (5, 16))
    for ids in (shown["src"], shown["tgt"]):
        assert ((ids[:, :-1] > 0) >= (ids[:, 1:] > 0)).all()  # paddings stand on the right
    np.testing.assert_array_equal(shown["table"], fresh_table(16, 8, seed=0))


def test_the_target_side_has_a_table_of_its_own(open_link: Open) -> None:
    app = open_link("tokens", example="lengths", side="tgt", row="1", tgt_lengths="3 1 2")
    shown = matrices(app, "tokens.lookup")
    np.testing.assert_array_equal(shown["table"], fresh_table(16, 8, seed=1))
    np.testing.assert_array_equal(shown["vectors"], 4 * shown["table"][shown["tgt"][1].astype(int)])
    assert panel(app, "tokens.lookup", "vectors")["meaning"] == "decoder"


@in_turn(
    ("link", "key"),
    [
        ({"src_lengths": "2 9"}, "too_narrow"),
        ({"src_lengths": ""}, "numbers.empty"),
        ({"tgt_lengths": "2 x"}, "numbers.letters"),
        ({"tgt_lengths": "0 2"}, "numbers.range"),
        ({"tgt_lengths": "1 1 1 1 1 1 1"}, "numbers.many"),
    ],
)
def test_lengths_that_make_no_batch_get_a_sentence(open_link: Open, link: dict[str, str], key: str, lang: str) -> None:
    app = open_link("tokens", lang=lang, example="lengths", **link)
    blanks = {"longest": 9, "width": 5, "word": Typed("x" if "letters" in key else "0"), "low": 1, "high": 20}
    assert [box.value for box in app.warning] == [Words("tokens", lang)(key, count=7, most=6, **blanks)]
    assert not app.exception


def test_a_sequence_wider_than_the_row_gets_a_sentence_and_the_rest_of_the_page_stays(open_link: Open) -> None:
    app = open_link("tokens", src="1 2 3 4", width="3", **ANSWERED)
    assert len(app.warning) == 1
    assert boards(app) == [f"tokens.{figure}" for figure in FIGURES[1:]]


def test_equal_tokens_differ_by_exactly_zero_until_the_code_is_added(open_link: Open) -> None:
    without, added = (
        matrices(open_link("tokens", repeated="3 8 3 8 8", positions=on, **ANSWERED), "tokens.equal") for on in "01"
    )
    tokens = np.array([3, 8, 3, 8, 8])
    assert ((without["differences"] == 0) == (tokens[:, None] == tokens)).all()
    assert ((added["differences"] == 0) == np.eye(5, dtype=bool)).all()
    np.testing.assert_allclose(added["x"] - without["x"], position_code(5, 16), atol=1e-6)


def test_padding_puts_the_first_pair_on_the_last_dimension(open_link: Open) -> None:
    link = {"left": "1", "right": "2", "top": "3", "bottom": "0"}
    app = open_link("tokens", **link, **ANSWERED)
    shown = matrices(app, "tokens.padding")
    expected = F.pad(torch.tensor(shown["before"]), (1, 2, 3, 0))
    np.testing.assert_array_equal(shown["after"], expected)
    assert panel(app, "tokens.padding", "after")["padded"] == {"row": [0, 1, 2], "column": [0, 4, 5]}


@pytest.mark.parametrize(("zero_row", "padding_idx"), [("1", 0), ("0", None)])
def test_the_padding_row_gets_a_gradient_only_without_padding_idx(
    open_link: Open, zero_row: str, padding_idx: int | None
) -> None:
    shown = matrices(open_link("tokens", zero_row=zero_row, **ANSWERED), "tokens.zero")
    torch.manual_seed(0)
    embeddings = Embeddings(3, 10, padding_idx)
    (embeddings(torch.tensor([[0, 2, 0, 5]])).square().sum() / 2).backward()
    gradient = embeddings.lut.weight.grad
    assert gradient is not None
    np.testing.assert_array_equal(shown["gradient"], gradient)
    assert shown["gradient"][0].any() == (padding_idx is None)
    assert shown["table"][0].any() == (padding_idx is None)


def test_the_xavier_table_is_a_tenth_of_the_code_and_the_factor_makes_up_for_it(open_link: Open) -> None:
    app = open_link("tokens", **ANSWERED)
    torch.manual_seed(0)
    table = torch.nn.init.xavier_uniform_(torch.nn.Embedding(11, 512).weight)
    raw, code = table.abs().mean().item(), position_code(10, 512).abs().mean().item()
    assert code / raw == pytest.approx(10, abs=1)
    said = " ".join(block.value for block in app.markdown)
    assert f"is {number(raw, 2)}, and {number(raw * 512**0.5, 2)} after the factor" in said


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_word_that_stands_twice_has_one_vector_until_the_code_is_added(open_link: Open, lang: str) -> None:
    link = {"open": "equal_rows", "model": "translate", "lang": lang, "equal": "none"}
    for positions in "01":
        app = open_link("tokens", positions=positions, **link)
        difference = matrices(app, "tokens.equal")["differences"]
        assert panel(app, "tokens.equal", "differences")["labels"] == {
            axis: ["this", "cat", "likes", "this", "doctor"] for axis in ("row", "column")
        }
        assert (difference[0, 3] == 0) == (positions == "0")
    app = open_link("tokens", repeated="one cat", **link)
    assert not app.exception
    assert len(app.warning) == 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_printed_row_is_in_the_printed_table(open_link: Open, lang: str) -> None:
    app = open_link("tokens", open="printed", lang=lang)
    assert "tokens.printed_table" in boards(app)
    assert "tokens.printed_rows" not in boards(app), "before there is a reply"
    app = open_link("tokens", open="printed", printed="-0.4144", lang=lang)
    assert [box.value for box in app.error] == [Words("tokens", lang)("printed.wrong.given_there")]
    given = matrices(app, "tokens.printed_table")
    table, ids = given["weights"], given["printed_ids"].astype(int)
    shown = matrices(app, "tokens.printed_rows")
    np.testing.assert_array_equal(shown["looked"], table[ids.ravel()])
    assert (table[3, 0], shown["given"][0, 0]) == pytest.approx((1.8526, -0.4144))
    apart = np.abs(shown["given"][:, None] - table[None]).max(-1)
    assert apart.min() > 1.5
    paddings = shown["given"][ids.ravel() == 0]
    assert len(paddings) == 4
    assert np.ptp(paddings, axis=0).max() == 0
    assert Words("tokens", lang)("printed.text", nearest=f"{apart.min():.3g}", paddings=4) in written(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_padding_idx_means_is_set_right(open_link: Open, lang: str) -> None:
    assert Words("tokens", lang)("zero.notes") in written(open_link("tokens", open="zero", learned="zero", lang=lang))
