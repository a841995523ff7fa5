"""The chapter on masks: what its figures show, what it says of input without sense, what made its matrices."""

import numpy as np
import pytest
import torch

from tests.app.answers import right
from tests.app.boards import boards, chosen, matrices, panel, written
from tests.app.conftest import Open, in_turn
from ui.chapters.masks.padding import batch, clicked, numbers, toggled
from ui.text import LANGUAGES, Typed, Words

EN = Words("masks", "en")
ANSWERED = right("masks", "blank", "future")


def test_the_idea_is_asked_before_the_counting_and_its_reason_comes_after_the_reply(open_link: Open) -> None:
    def asked_and_told(**given: str) -> tuple[list[bool], bool]:
        app = open_link("masks", open="", lang="en", **given)
        texts = [block.value for block in app.markdown]
        there = [any(EN(f"{name}.question") in text for text in texts) for name in ("unhidden", "pairs")]
        return there, any(EN("look_ahead.why") in text for text in texts)

    assert asked_and_told() == ([True, False], False)
    for reply in ("copies", "slow"):
        assert asked_and_told(unhidden=reply) == ([True, True], True)
    assert asked_and_told(pairs="36") == ([True, True], False)  # a link of before, with its reply


@pytest.mark.parametrize("size", [1, 7, 64])
def test_the_look_ahead_mask_has_the_size_that_was_set(open_link: Open, size: int) -> None:
    app = open_link("masks", open="", size=str(size))
    assert np.array_equal(matrices(app, "masks.look_ahead")["mask"], np.tril(np.ones((size, size))))
    app.slider(key="masks:size").set_value(5).run()
    assert matrices(app, "masks.look_ahead")["mask"].shape == (5, 5)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_cell_that_a_smaller_matrix_has_no_place_for_moves_to_its_edge_and_a_sentence_says_so(
    open_link: Open, lang: str
) -> None:
    app = open_link("masks", open="", lang=lang, size="8", ahead_cell="mask.7.3")
    sentence = Words("shell", lang)("matrix.moved", row=7, column=3)
    assert sentence not in [caption.value for caption in app.caption]
    app.slider(key="masks:size").set_value(5).run()
    assert sentence in [caption.value for caption in app.caption]
    assert chosen(app, "masks.look_ahead") == ["mask", 4, 3]


def test_both_masks_are_the_padding_row_and_the_look_ahead_square_together(open_link: Open) -> None:
    shown = matrices(open_link("masks", open="", lengths="2 3 6", width="6", which="1"), "masks.both")
    assert np.count_nonzero(shown["tokens"], axis=1).tolist() == [2, 3, 6]
    assert shown["padding"].tolist() == [[1, 1, 1, 0, 0, 0]]
    assert np.array_equal(shown["both"], shown["padding"] * shown["ahead"])


def test_the_titles_say_the_shapes_before_and_after_the_broadcast(open_link: Open) -> None:
    before = open_link("masks", open="", lengths="2 3 6", width="6")
    after = open_link("masks", open="", lengths="2 3 6", width="6", stretched="1")
    for app, padding, ahead in ((before, "(3, 1, 6)", "(1, 6, 6)"), (after, "(3, 6, 6)", "(3, 6, 6)")):
        titles = [panel(app, "masks.both", key)["title"] for key in ("padding", "ahead", "both")]
        assert [title[title.index("(") :] for title in titles] == [padding, ahead, "(3, 6, 6)"]
    assert matrices(after, "masks.both")["padding"].shape == (6, 6)
    made = [panel(app, "masks.both", "both")["made"] for app in (before, after)]
    assert made[0] != made[1], "all rows of the padding are alike, so no number says which one it is made of"


def test_a_token_that_was_clicked_is_a_padding_until_it_is_clicked_again(open_link: Open) -> None:
    shown = matrices(open_link("masks", open="", lengths="2 4", which="1", padded="1.2"), "masks.both")
    assert shown["padding"].tolist() == [[1, 1, 0, 1, 0]]
    assert shown["both"][3].tolist() == [1, 1, 0, 1, 0]
    assert toggled("1.2", 0, 3) == "0.3 1.2"
    assert toggled(toggled("", 1, 2), 1, 2) == ""


def test_what_is_no_clicked_token_is_passed_over() -> None:
    assert clicked("1.2 a.b 3 -1.0 9999.1 ².³ 0.0") == {(1, 2), (0, 0)}
    tokens = batch(numbers(2, 5, 0), (2, 4), frozenset({(1, 2), (7, 0), (0, 99)}))
    assert (tokens != 0).int().tolist() == [[1, 1, 0, 0, 0], [1, 1, 0, 1, 0]]


def test_a_token_stays_itself_while_its_sequence_grows() -> None:
    short, long = (batch(numbers(2, 6, 3), lengths, frozenset()) for lengths in ((2, 1), (2, 5)))
    assert torch.equal(short[:, 0], long[:, 0])
    assert long.max() <= 7


@in_turn(
    ("lengths", "problem", "blanks"),
    [
        ("", "empty", {}),
        ("two four", "letters", {"word": Typed("two")}),
        ("2 NaN", "letters", {"word": Typed("NaN")}),
        ("2 9", "range", {"word": Typed(9)}),
        ("-1", "range", {"word": Typed(-1)}),
        ("1 1 1 1 1", "many", {"count": 5}),
    ],
)
def test_lengths_that_make_no_batch_get_a_sentence_and_the_rest_goes_on(
    open_link: Open, lengths: str, problem: str, blanks: dict[str, object], lang: str
) -> None:
    app = open_link("masks", lengths=lengths, lang=lang, **ANSWERED)
    say = Words("masks", lang)
    assert not app.exception
    limits = {"low": 0, "high": 5, "most": 4}
    sentences = [say(f"lengths_problem.{problem}", **blanks, **limits), say("needs_lengths")]  # where typed and missed
    assert [warning.value for warning in app.warning] == sentences
    assert {"masks.look_ahead", "masks.fill", "masks.causality", "masks.axis"} <= set(boards(app))
    assert "masks.both" not in boards(app)


def test_the_tokens_drawn_stay_within_a_small_vocabulary() -> None:
    assert set(batch(numbers(2, 12, 0, vocab=4), (12, 9), frozenset()).flatten().tolist()) == {0, 1, 2, 3}


def test_a_sequence_of_nothing_but_padding_is_named(open_link: Open) -> None:
    app = open_link("masks", open="", lengths="0 3", which="0")
    assert [info.value for info in app.info] == [EN("both.all_padding")]
    assert matrices(app, "masks.both")["both"].sum() == 0


# ---------------------------------------------------------------- rows, probes, traps


def test_blanked_queries_let_paddings_in_only_if_they_stand_first(open_link: Open) -> None:
    last = matrices(open_link("masks", open="rows", which="0"), "masks.rows")
    assert np.array_equal(last["columns_weights"][:2], last["rows_weights"][:2])
    first = matrices(open_link("masks", open="rows", which="0", front="1"), "masks.rows")
    assert (first["columns_weights"][3:, :3] == 0).all()
    assert (first["rows_weights"][3:, :3] > 0).all()


def test_the_causality_board_is_zero_above_the_diagonal_only_with_the_mask(open_link: Open) -> None:
    link = {"open": "probes", "src": "1 5 2 9 9 4"} | right("masks", "future")
    masked = matrices(open_link("masks", **link), "masks.causality")["difference"]
    opened = matrices(open_link("masks", ahead_on="0", **link), "masks.causality")["difference"]
    assert masked.shape == opened.shape == (5, 5)
    assert not np.triu(masked, 1).any()
    assert np.triu(opened, 1)[np.triu_indices(5, 1)].all()


def test_the_paddings_change_a_real_token_by_rounding_only_if_there_is_the_mask(open_link: Open) -> None:
    app = open_link("masks", open="probes", src="1 5 2 9", paddings="6")
    shown = matrices(app, "masks.drift")
    assert shown["with"].shape == shown["without"].shape == (4, 6)
    assert shown["with"].max() < 1e-5  # measured: 1e-6, where outputs reach 3
    assert shown["without"].min() > 1e-3
    ends = [panel(app, "masks.drift", name)["ends"] for name in ("with", "without")]
    assert ends == [[0, pytest.approx(float(shown["without"].max()))]] * 2  # on one scale rounding is pale


PROBES = {"masks.causality", "masks.drift"}


@pytest.mark.parametrize("src", ["", "hello", "1 99", "0 0", "1 " * 21])
def test_what_is_no_sequence_gets_a_sentence_and_every_figure_stays(open_link: Open, src: str) -> None:
    app = open_link("masks", src=src, **ANSWERED)
    assert not app.exception
    assert len(app.warning) == 1
    assert {"masks.fill", "masks.axis"} | PROBES <= set(boards(app))


def test_the_probes_ask_for_more_than_one_token(open_link: Open) -> None:
    app = open_link("masks", src="1", **ANSWERED)
    assert not app.exception
    assert app.warning
    assert not PROBES & set(boards(app))


def test_numpys_three_triangles_are_the_notes(open_link: Open) -> None:
    shown = matrices(open_link("masks", open="triu"), "masks.triu")
    assert shown["k-1"].tolist() == [[1, 2, 3], [4, 5, 6], [0, 8, 9], [0, 0, 12]]
    assert shown["k0"].tolist() == [[1, 2, 3], [0, 5, 6], [0, 0, 9], [0, 0, 0]]
    assert shown["k1"].tolist() == [[0, 2, 3], [0, 0, 6], [0, 0, 0], [0, 0, 0]]


def test_with_the_colours_of_the_caption_each_row_sees_only_the_future_and_with_its_axes_the_past_without_itself(
    open_link: Open,
) -> None:
    code, colors, picture = (
        matrices(open_link("masks", open="reading", read_as=reading), "masks.reading")["weights"]
        for reading in ("code", "colors", "picture")
    )
    assert not np.triu(code, 1).any()
    assert not np.tril(colors[:-1]).any()
    assert colors[-1].tolist() == pytest.approx([0.2] * 5)
    for j in range(1, 5):
        assert picture[j].tolist() == pytest.approx([1 / j] * j + [0] * (5 - j))  # target j sees 0…j-1
    assert picture[0].tolist() == pytest.approx([0.2] * 5)  # and target 0 nothing: softmax makes that everything


def test_the_two_conventions_are_each_others_inverse(open_link: Open) -> None:
    shown = matrices(open_link("masks", open="convention"), "masks.convention")
    for at, length in enumerate((2, 4)):
        assert shown[f"attend{at}"].sum() == length**2
        assert (shown[f"attend{at}"] + shown[f"blocked{at}"] == 1).all()


@pytest.mark.parametrize("size", [2, 3, 4])
def test_unsqueeze_0_gives_every_head_the_mask_of_the_sequence_with_its_number(open_link: Open, size: int) -> None:
    link = {"open": "axis", "batch": str(size), "heads": str(size)}
    wrong = matrices(open_link("masks", unsqueeze="0", **link), "masks.axis")
    right = matrices(open_link("masks", unsqueeze="1", **link), "masks.axis")
    for sequence, head in np.ndindex(size, size):
        assert np.array_equal(wrong[f"{sequence}.{head}"], right[f"{head}.{head}"])
        assert np.array_equal(right[f"{sequence}.{head}"], right[f"{sequence}.0"])


@pytest.mark.parametrize(("heads", "key"), [("2", "axis.refused"), ("1", "axis.single")])
def test_unsqueeze_0_is_refused_in_words_where_it_does_not_fit(open_link: Open, heads: str, key: str) -> None:
    app = open_link("masks", open="axis", batch="3", heads=heads)
    shapes = {"unsqueezed": "(1, 3, 4, 4)", "scores": f"(3, {heads}, 4, 4)"}
    assert [warning.value for warning in app.warning] == [EN(key, **shapes)]
    assert "masks.axis" not in boards(app)


@pytest.mark.parametrize(
    ("src", "sentence"),
    [
        ("1 3 2 5 4 6 7 8 9 10", "**36 格全部恰好为 0**"),
        ("1 7", "对角线上方没有格子"),
    ],
)
def test_how_many_cells_of_the_causality_probe_are_exactly_0_is_counted(
    open_link: Open, src: str, sentence: str
) -> None:
    app = open_link("masks", open="probes", src=src, lang="zh", **right("masks", "future"))
    assert any(sentence in block.value for block in app.markdown)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_printed_mask_is_that_of_a_narrower_batch_than_the_scores(open_link: Open, lang: str) -> None:
    assert "masks.printed" not in boards(open_link("masks", open="convention", lang=lang)), "before there is a reply"
    app = open_link("masks", open="convention", printed="scores", lang=lang)
    shown = matrices(app, "masks.printed")
    for at, length in enumerate((2, 4)):
        real = np.arange(4) < length
        assert np.array_equal(shown[f"printed{at}"], ~np.outer(real, real))
        assert shown[f"scores{at}"].shape == (5, 5)
    with pytest.raises(RuntimeError) as refusal:
        torch.zeros(2, 5, 5).masked_fill(torch.ones(2, 4, 4).bool(), 0)
    assert Words("masks", lang)("printed.text", refusal=refusal.value) in written(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_notes_mask_for_each_head_is_refused_with_both_shapes_and_taken_with_four_axes(
    open_link: Open, lang: str
) -> None:
    text = written(open_link("masks", open="axis", lang=lang))
    refusal = "a mask of shape (8, 1, 4, 4) does not broadcast to scores (2, 8, 4, 4)"
    assert Words("masks", lang)("axis.call", refusal=refusal, weight="0.25") in text


def test_the_last_queries_are_given_the_first_rows_where_the_mask_is_cut(open_link: Open) -> None:
    app = open_link("masks", open="slice", slice_size="5", slice_queries="2", lang="en")
    shown = matrices(app, "masks.slice")
    assert shown["cut"].tolist() == [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0]]
    assert shown["own"].tolist() == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]
    assert shown["cut_weights"][1].tolist() == [0.5, 0.5, 0, 0, 0]
    assert shown["own_weights"][1] == pytest.approx([0.2] * 5)
    assert "ValueError: a mask of shape (5, 5) does not broadcast to scores (2, 5)" in written(app)


def test_a_mask_that_fits_is_neither_cut_nor_refused(open_link: Open) -> None:
    app = open_link("masks", open="slice", slice_size="4", slice_queries="9", lang="en")
    shown = matrices(app, "masks.slice")
    assert np.array_equal(shown["cut_weights"], shown["own_weights"])
    assert "answers `shape (4, 1)`" in written(app)


def test_the_notes_own_batch_has_nothing_to_mask_and_one_with_paddings_has(open_link: Open) -> None:
    app = open_link("masks", open="own", lang="en")
    shown = matrices(app, "masks.own")
    assert shown["src"].shape == (1, 100)
    assert shown["src"].all()
    assert np.array_equal(shown["ours"], shown["notes"])
    assert shown["ours"].shape == (99, 99)
    app.slider(key="masks:own_paddings").set_value(20).run()
    shown = matrices(app, "masks.own")
    assert shown["src"].sum() == 80
    assert not shown["notes"][79:].any()
    assert shown["ours"][98].sum() == 79
    assert "**640** of 3200" in written(app)


MADE = "look_ahead.mask both.padding both.both reading.weights axis.0.1 slice.cut slice.own own.ours own.notes"


def test_every_mask_has_a_formula(open_link: Open) -> None:
    """Which tests/app/test_figures.py works out."""
    app = open_link("masks", **ANSWERED)
    for figure, _, key in (name.partition(".") for name in MADE.split()):
        assert panel(app, f"masks.{figure}", key)["made"], (figure, key)
