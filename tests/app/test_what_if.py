"""The bench on which a part of the model is changed: before and after, against models that are changed by hand."""

import re
from collections.abc import Callable

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

import ui.sections.show_figure
from tests.app.boards import bands, boards, chosen, drawing, matrices, unexplained
from tests.app.conftest import Open
from transformer_core import PAD, START, EncoderDecoder, greedy_decode, intervene, padding_mask, record, target_mask
from transformer_core.experiments.interventions import head_off, without_positions
from transformer_core.training.checkpoint import load
from transformer_core.training.evaluation import answered
from ui.chapters.shared.forced_prefix import OWN
from ui.components.drawings import Token
from ui.model.shipped import SHIPPED
from ui.settings.shared import KINDS
from ui.text import LANGUAGES, Words

LOGITS, BEFORE, AFTER = "heads.what_if_logits", "heads.what_if_looks_0", "heads.what_if_looks_1"
CROSS = "decoder.layers.0.src_attn"
SRC = "1 4 2 9 6"
OPEN = {"open": "what_if", "hurts": "decoder", "lang": "en"}
TOLERANCE = 1e-4  # of logits near 10 and of sums of 64 products


def without_head(kind: str, layer: int, head: int) -> EncoderDecoder:
    """The model that copies, with the columns of W_O at 0 that one head meets."""
    model = load(SHIPPED / "copy.safetensors").model.eval()
    where = {"encoder": "encoder.layers.{}.self_attn", "cross": "decoder.layers.{}.src_attn"}[kind].format(layer)
    with torch.no_grad():
        model.get_parameter(f"{where}.linears.3.weight")[:, head * 16 : (head + 1) * 16] = 0
    return model


def logits(model: EncoderDecoder, src: list[int], given: list[int]) -> np.ndarray:
    sources, targets = torch.tensor([src]), torch.tensor([given])
    with torch.no_grad():
        states = model(sources, targets, padding_mask(sources, PAD), target_mask(targets, PAD))
        found: np.ndarray = model.generator.proj(states)[0].numpy()
    return found


def rows(app: AppTest) -> list[str]:
    """The rows of tokens: what is read, written before, and after."""
    return [item.proto.body for item in app.main.get("html") if item.proto.body.startswith('<div class="tokens">')]


def tokens(app: AppTest) -> list[list[str]]:
    (body,) = rows(app)
    shown = [line for line in body.split("</div>") if line]
    return [re.findall(r'<span class="token">(.*?)</span>', unexplained(line)) for line in shown]


def marked(app: AppTest, figure: str) -> list[float]:
    """The weights of the chosen row, as they are printed beside the source."""
    return [float(weight) for weight in re.findall(r">(\d\.\d{3})<", drawing(app, figure))]


def chosen_row(app: AppTest, figure: str) -> int:
    """The output token that is outlined."""
    (row,) = re.findall(
        r'data-side="query" data-index="(\d+)"[^>]*><rect [^>]*stroke="[^"]*chosen', drawing(app, figure)
    )
    return int(row)


def lines_of(svg: str) -> dict[tuple[int, int], float]:
    """How opaque the line is from each output row to each source place."""
    found = re.findall(r'<line data-query="(\d+)" data-key="(\d+)".*?stroke-opacity="([\d.]+)"', svg)
    return {(int(row), int(place)): float(weight) for row, place, weight in found}


def names(app: AppTest, figure: str, side: str) -> list[str]:
    """The tokens of the output, "query", or of the source, "key"."""
    token = rf'data-side="{side}" data-index="\d+".*?<text [^>]*fill="currentColor"[^>]*>(.*?)</text>'
    return [str(name) for name in re.findall(token, unexplained(drawing(app, figure)))]


def told(app: AppTest) -> str:
    return unexplained(" ".join(item.value for item in app.markdown))


def test_nothing_is_changed_before_the_prediction(open_link: Open) -> None:
    assert LOGITS not in boards(open_link("heads", open="what_if"))
    assert {LOGITS, BEFORE, AFTER} <= set(boards(open_link("heads", open="what_if", hurts="cross")))


def test_of_the_model_that_translates_a_head_of_the_decoder_hurts_most() -> None:
    """What the question's answer and its wrong replies say, in numbers, with room."""
    checkpoint = load(SHIPPED / "translate.safetensors")
    model, task = checkpoint.model.eval(), checkpoint.config.words
    assert task is not None
    pairs = task.held_out(200)
    paths = dict(zip(KINDS, ("encoder.layers.0.self_attn", "decoder.layers.0.self_attn", "decoder.layers.0.src_attn")))
    lost: dict[str, list[int]] = {}
    for kind, path in paths.items():
        lost[kind] = []
        for head in range(4):
            with intervene(model, head_off(path, head)):
                lost[kind].append(200 - int(answered(model, pairs).sum()))
    assert max(lost["encoder"]) < 20
    assert 35 < max(lost["cross"]) < 57
    assert 57 < max(lost["decoder"]) < 80
    assert int(np.argmax(lost["decoder"])) == 3


@pytest.mark.parametrize(("kind", "layer", "head"), [("encoder", 0, 1), ("cross", 1, 2)])
def test_a_head_that_is_off_gives_the_logits_of_a_model_without_it(
    open_link: Open, kind: str, layer: int, head: int
) -> None:
    link = {"if_kind": kind, "if_layer": str(layer), "if_head": str(head)}
    app = open_link("heads", src=SRC, **link, **OPEN)
    src, given = [1, 4, 2, 9, 6], [1, 4, 2, 9]
    places = np.arange(4), np.array([4, 2, 9, 6])
    before, after = (
        logits(model, src, given)[places]
        for model in (load(SHIPPED / "copy.safetensors").model.eval(), without_head(kind, layer, head))
    )
    shown = matrices(app, LOGITS)
    np.testing.assert_allclose(shown["logits"], [before, after], atol=TOLERANCE)
    np.testing.assert_allclose(shown["delta"], [after - before], atol=2 * TOLERANCE)
    assert np.abs(shown["delta"]).max() > 10 * TOLERANCE


def test_the_sentence_is_decoded_anew_and_what_changed_is_marked(open_link: Open) -> None:
    app = open_link("heads", model="translate", if_how="positions", **OPEN)
    _, before, after = tokens(app)
    checkpoint = load(SHIPPED / "translate.safetensors")
    model, config = checkpoint.model.eval(), checkpoint.config
    assert config.words is not None
    src = torch.tensor([config.words.source.sequence(config.words.source.read("I buy two red flowers every day"))])
    with intervene(model, without_positions()):
        said = greedy_decode(
            model, src, padding_mask(src, PAD), config.words.longest[1], START, config.words.target.end
        )
    bare = [re.sub(r"</?[bs]>|≠ ", "", token) for token in after]
    assert bare == config.words.target.labels(said[0].tolist())
    kept = [token for token in before if "<s>" not in token]
    assert kept == [token for token in after if "<b>" not in token]
    assert len(kept) < len(before)


def test_the_models_own_weights_change_nothing(open_link: Open) -> None:
    app = open_link("heads", src=SRC, if_how="row", **OPEN)
    _, before, after = tokens(app)
    assert before == after
    assert np.abs(matrices(app, LOGITS)["delta"]).max() < TOLERANCE
    assert Words("heads", "en")("what_if.same") in told(app)


def test_a_row_by_hand_is_divided_by_its_sum_and_that_is_said(open_link: Open) -> None:
    link = {"if_how": "row", "if_head": "1", "if_query": "2"}
    app = open_link("heads", src=SRC, if_row="0 1 3 0 0", **link, **OPEN)
    assert marked(app, AFTER) == [0, 0.25, 0.75, 0, 0]
    assert names(app, AFTER, "query")[2].startswith(OWN)
    assert not any(name.startswith(OWN) for name in names(app, BEFORE, "query"))
    assert Words("heads", "en")("if_row.divided", sum="4") in [caption.value for caption in app.caption]
    whole = open_link("heads", src=SRC, if_row="0 0.25 0.75 0 0", **link, **OPEN)
    assert not any("4" in caption.value for caption in whole.caption if "adds up" in caption.value)
    assert drawing(whole, AFTER) == drawing(app, AFTER)


def test_a_row_of_the_decoder_is_about_the_keys_before_it(open_link: Open) -> None:
    link = {"if_how": "row", "if_kind": "decoder", "if_query": "1"}
    assert not open_link("heads", src=SRC, if_row="1 1", **link, **OPEN).warning
    (refused,) = open_link("heads", src=SRC, if_row="1 1 1", **link, **OPEN).warning
    assert refused.value == Words("heads", "en")("if_row_problem.count", keys=2, count=3)


def test_paddings_have_no_weight_in_a_row_by_hand(open_link: Open) -> None:
    app = open_link("heads", src="1 3 2 0 0", if_how="row", if_head="1", if_row="1 0 1", **OPEN)
    assert not app.warning
    assert marked(app, AFTER) == [0.5, 0, 0.5, 0, 0]


@pytest.mark.parametrize("bad", ["1 1", "0 1 x 0 0", "0 -1 3 0 0", "0 0 0 0 0", "0 nan 1 0 0", "0 9999 1 0 0"])
def test_bad_weights_are_refused_in_a_sentence_and_the_last_good_picture_stays(open_link: Open, bad: str) -> None:
    app = open_link("heads", src=SRC, if_how="row", if_query="2", if_row="0 1 3 0 0", **OPEN)
    good = drawing(app, AFTER)
    app.text_input(key="heads:if_row").set_value(bad).run()
    assert not app.exception
    assert len(app.warning) == 1
    assert drawing(app, AFTER) == good


def test_after_an_emptied_field_bad_weights_keep_the_models_own(open_link: Open) -> None:
    app = open_link("heads", src=SRC, if_how="row", if_query="2", if_row="0 1 3 0 0", **OPEN)
    app.text_input(key="heads:if_row").set_value("").run()
    own = drawing(app, AFTER)
    app.text_input(key="heads:if_row").set_value("rubbish").run()
    assert len(app.warning) == 1
    assert drawing(app, AFTER) == own
    assert not any("adds up" in caption.value for caption in app.caption)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_bad_weights_in_a_link_show_the_models_own(open_link: Open, lang: str) -> None:
    app = open_link("heads", src=SRC, if_how="row", if_row="rubbish", **OPEN | {"lang": lang})
    assert len(app.warning) == 1
    assert np.abs(matrices(app, LOGITS)["delta"]).max() < TOLERANCE


def test_swapped_words_are_read_in_their_new_order(open_link: Open) -> None:
    app = open_link("heads", src=SRC, if_how="swap", if_first="0", if_second="2", **OPEN)
    read, _, reads_now, after = tokens(app)
    assert read == names(app, BEFORE, "key") == ["⟨s⟩", "4", "2", "9", "6"]
    assert reads_now == names(app, AFTER, "key") == ["⟨s⟩", "9", "2", "4", "6"]
    assert [re.sub(r"</?b>|≠ ", "", token) for token in after] == reads_now


@pytest.mark.parametrize("src", ["3", "1"])
def test_a_source_with_too_little_in_it_gets_a_sentence(open_link: Open, src: str) -> None:
    app = open_link("heads", src=src, if_how="swap", **OPEN)
    assert not app.exception
    assert app.info


def test_exact_matches_are_counted_before_and_with_the_change(open_link: Open) -> None:
    say = Words("heads", "en")
    checkpoint = load(SHIPPED / "translate.safetensors")
    model, task = checkpoint.model.eval(), checkpoint.config.words
    assert task is not None
    pairs = task.held_out(200)
    before = int(answered(model, pairs).sum())
    with intervene(model, without_positions()):
        after = int(answered(model, pairs).sum())
    app = open_link("heads", model="translate", if_how="positions", **OPEN)
    assert say("what_if.exact", before=before, after=after, count=200) in told(app)
    assert say("what_if.one") in told(open_link("heads", src=SRC, if_how="row", **OPEN))


def test_another_readers_numbers_are_those_of_the_whole_model(open_link: Open) -> None:
    before = matrices(open_link("heads", open="", src=SRC), "heads.wall")
    open_link("heads", src=SRC, if_how="residual", if_place="2", **OPEN)
    after = matrices(open_link("heads", open="", src=SRC), "heads.wall")
    assert all(np.array_equal(value, after[name]) for name, value in before.items())


def test_a_link_carries_the_change_and_its_cell(open_link: Open) -> None:
    link = {"if_how": "residual", "if_place": "8", "if_cell": "logits.1.2", "if_look_word": "2"}
    app = open_link("heads", open="", hurts="decoder", src=SRC, **link)
    assert chosen(app, LOGITS) == ["logits", 1, 2]
    assert chosen_row(app, BEFORE) == chosen_row(app, AFTER) == 2


def test_the_lines_are_the_weights_that_the_model_has_with_the_change(open_link: Open) -> None:
    app = open_link("heads", src=SRC, if_head="1", if_look_word="1", **OPEN)
    model = load(SHIPPED / "copy.safetensors").model.eval()
    src, given = torch.tensor([[1, 4, 2, 9, 6]]), torch.tensor([[1, 4, 2, 9]])
    for figure, changes in ((BEFORE, {}), (AFTER, head_off(CROSS, 1))):
        with torch.no_grad(), intervene(model, changes), record(model) as trace:
            model(src, given, padding_mask(src, PAD), target_mask(given, PAD))
        np.testing.assert_allclose(marked(app, figure), trace[f"{CROSS}.weights"][0, 1, 1], atol=1e-3)


def test_what_stands_for_what_is_drawn_on_the_side_that_writes_the_answer(open_link: Open) -> None:
    say = Words("heads", "en")
    wrong = open_link("heads", model="translate", if_how="positions", **OPEN)
    assert bands(drawing(wrong, BEFORE))
    assert bands(drawing(wrong, AFTER)) == []
    assert say("what_if.no_bands_after") in told(wrong)
    right = open_link("heads", model="translate", if_how="row", **OPEN)
    assert bands(drawing(right, BEFORE)) == bands(drawing(right, AFTER)) != []
    assert say("what_if.no_bands_after") not in told(right)
    unknown = open_link("heads", only="what_if", model="translate", src="cats white two sleep", if_how="swap", **OPEN)
    assert [box.value for box in unknown.info] == [say("alignment.unknown")]


def test_the_row_that_moves_most_is_marked_until_another_is_chosen(open_link: Open) -> None:
    link = {"model": "translate", "if_how": "positions"}
    app = open_link("heads", **link, **OPEN)
    most = int(np.abs(matrices(app, LOGITS)["delta"]).argmax())
    assert chosen_row(app, BEFORE) == most
    assert chosen_row(app, AFTER) == min(most, len(names(app, AFTER, "query")) - 1)
    assert chosen_row(open_link("heads", if_look_word="0", **link, **OPEN), AFTER) == 0
    last = open_link("heads", if_look_word="99", **link, **OPEN)
    assert chosen_row(last, AFTER) == len(names(last, AFTER, "query")) - 1


def test_a_change_that_changes_nothing_is_not_said_to_move_a_logit(open_link: Open) -> None:
    app = open_link("heads", src=SRC, if_how="row", **OPEN)
    assert Words("heads", "en")("what_if.still") in told(app)


@pytest.mark.parametrize(("side", "index"), [("query", 4), ("key", 1), ("query", 500), ("key", 500)])
def test_a_token_chosen_on_one_side_marks_its_row_on_both(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, side: str, index: int
) -> None:
    link = {"model": "translate", "if_how": "positions", "if_look_word": "0"}
    weights = lines_of(drawing(open_link("heads", **link, **OPEN), AFTER))

    def pressed(_: str, *, key: str, on_token: Callable[[Token], None]) -> None:
        if key == AFTER:
            on_token(Token(side, index))

    with monkeypatch.context() as reader:
        reader.setattr(ui.sections.show_figure, "lines", pressed)
        app = open_link("heads", **link, **OPEN)
    assert not app.exception
    looking = {query: weight for (query, place), weight in weights.items() if place == index}
    rows = {"query": 4 if index == 4 else 0, "key": max(looking, key=looking.__getitem__, default=0)}
    assert dict(app.query_params)["if_look_word"] == str(rows[side])
    again = open_link("heads", **dict(app.query_params))
    assert chosen_row(again, BEFORE) == chosen_row(again, AFTER) == rows[side]
