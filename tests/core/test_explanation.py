"""What an `Explanation` shows in a notebook: figures that need nothing but themselves."""

import re
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from tests.core.build import BATCH, HEADS, SRC_VOCAB, TGT_VOCAB, N, S, T, small_batch, small_model
from transformer_core import Explanation, explain
from transformer_core.external.heatmap import HUE, Heatmap, HeatmapMatrix
from transformer_core.tasks.vocabulary import Vocabulary

PAIRS = small_batch(torch.Generator().manual_seed(0))
WORDS = ["<pad>", "<s>", *(f"w{token}" for token in range(2, SRC_VOCAB))]
ANSWERS = Vocabulary.of_words([f"字{token}" for token in range(3, TGT_VOCAB)])
CELL = re.compile(r'fill-opacity="([\d.]+)"><title>(.*?) → (.*?): (.*?)</title>')


@pytest.fixture(scope="module")
def explanation() -> Explanation:
    return explain(small_model(), PAIRS.src, PAIRS.tgt, source_names=WORDS, target_names=ANSWERS)


def pictures(html: str) -> list[ElementTree.Element]:
    """The drawings of a figure, if it is well formed."""
    return list(ElementTree.fromstring(html).iter("svg"))


def test_all_heads_of_a_layer_are_one_picture_with_the_tokens_on_both_axes(explanation: Explanation) -> None:
    html = explanation.weights("decoder", layer=1)._repr_html_()
    drawn = pictures(html)
    assert [svg.get("aria-label") for svg in drawn] == [
        f"decoder.layers.1.src_attn.weights, head {head}" for head in range(HEADS)
    ]
    labels = [*explanation.tokens("decoder"), *explanation.tokens("encoder")]
    for svg in drawn:
        assert [text.text for text in svg.iter("text")] == labels
    assert labels[:T] == ANSWERS.names_of(PAIRS.tgt[0].tolist())
    assert labels[T:] == [WORDS[token] for token in PAIRS.src[0].tolist()]


def test_every_cell_shows_its_weight_in_its_place(explanation: Explanation) -> None:
    html = explanation.weights("decoder", 1, 2, sequence=1)._repr_html_()
    assert len(pictures(html)) == 1
    cells = [
        (float(shade), unescape(row), unescape(column), float(said)) for shade, row, column, said in CELL.findall(html)
    ]
    expected = explanation.trace["decoder.layers.1.src_attn.weights"][1, 2]
    np.testing.assert_allclose([cell[3] for cell in cells], expected.flatten(), rtol=1e-2)
    np.testing.assert_allclose([cell[0] for cell in cells], expected.flatten(), atol=5.1e-4)
    rows, columns = explanation.tokens("decoder", 1), explanation.tokens("encoder", 1)
    assert [cell[1:3] for cell in cells] == [(row, column) for row in rows for column in columns]


def test_what_a_mask_blocks_is_hatched(explanation: Explanation) -> None:
    html = explanation.weights("decoder", 0, 0, attention="self_attn", sequence=1)._repr_html_()
    (svg,) = pictures(html)
    (hatch,) = [path.get("d") for path in svg.iter("path")]
    padded = int((PAIRS.tgt[1] == 0).sum())
    kept = sum(min(query + 1, T - padded) for query in range(T))
    assert hatch.count("M") == T * T - kept
    (free,) = pictures(explanation.weights("encoder", 0, 0, sequence=1)._repr_html_())
    assert [path.get("d") for path in free.iter("path")] == [""]  # the longest source has no padding


def test_the_explanation_itself_is_the_attention_to_the_source_in_the_last_layer(explanation: Explanation) -> None:
    assert explanation._repr_html_() == explanation.weights("decoder", N - 1)._repr_html_()
    assert explanation.log_probs.shape == (len(PAIRS.tgt), T, TGT_VOCAB)


def test_the_alignment_is_the_mean_of_the_heads_with_a_row_for_each_next_token(explanation: Explanation) -> None:
    figure = explanation.alignment(1, sequence=1)
    ((name, matrix),) = figure.matrices.items()
    weights = explanation.trace["decoder.layers.1.src_attn.weights"][1]
    np.testing.assert_allclose(matrix.values, weights.mean(0), atol=1e-6)
    np.testing.assert_allclose(matrix.values.sum(-1), np.ones(T), atol=1e-6)
    assert figure.columns == explanation.tokens("encoder", 1)
    following = [*PAIRS.tgt[1, 1:].tolist(), int(explanation.log_probs[1, -1].argmax())]
    assert figure.rows == ANSWERS.names_of(following)
    assert (name, len(pictures(figure._repr_html_()))) == ("mean of all heads", 1)
    padded = (PAIRS.src[0] == 0).numpy()
    assert (explanation.alignment(0).matrices[name].blocked == padded).all()
    with pytest.raises(ValueError, match="no layer of the decoder 2"):
        explanation.alignment(2)


def test_in_a_prompt_an_explanation_is_one_line(explanation: Explanation) -> None:
    values = len(explanation.trace)
    assert repr(explanation) == f"Explanation({values} values; encoder ({BATCH}, {S}), decoder ({BATCH}, {T}))"
    assert repr(explanation.weights("encoder", 0, 3)) == "Heatmap(encoder.layers.0.self_attn.weights: head 3)"


def test_names_are_escaped() -> None:
    names = {token: f"<b onclick='x'>&{token}" for token in range(max(SRC_VOCAB, TGT_VOCAB))}
    html = explain(small_model(), PAIRS.src, PAIRS.tgt, source_names=names, target_names=names)._repr_html_()
    assert "<b" not in html
    title = next(pictures(html)[0].iter("title")).text
    assert f"{names[int(PAIRS.tgt[0, 0])]} → {names[int(PAIRS.src[0, 0])]}" in str(title)
    quoted = Heatmap("x", {'a"b': HeatmapMatrix(np.ones((1, 1)), np.zeros((1, 1)))}, ["r"], ["c"])._repr_html_()
    assert pictures(quoted)[0].get("aria-label") == 'x, a"b'


def test_text_has_the_colour_of_the_page_and_no_cell_one_of_its_own(explanation: Explanation) -> None:
    (svg,) = pictures(explanation.weights("encoder", 0, 0)._repr_html_())
    assert svg.get("fill") == "currentColor"
    assert {group.get("fill") for group in svg.iter("g")} == {HUE}
    assert not [text.attrib for text in svg.iter("text") if "fill" in text.attrib]


def test_without_names_tokens_are_numbers() -> None:
    found = explain(small_model(), PAIRS.src, PAIRS.tgt)
    assert found.tokens("decoder", 2) == [str(token) for token in PAIRS.tgt[2].tolist()]


def test_what_is_not_there_is_said(explanation: Explanation) -> None:
    with pytest.raises(ValueError, match=r"no layer of the decoder 2: they are counted from 0 to 1"):
        explanation.weights("decoder", 2)
    with pytest.raises(ValueError, match=r"no head -1"):
        explanation.weights("decoder", 0, -1)
    with pytest.raises(ValueError, match=r"no sequence 3"):
        explanation.weights("decoder", 0, sequence=3)
    with pytest.raises(ValueError, match=r"the encoder has no src_attn"):
        explanation.weights("encoder", 0, attention="src_attn")
    with pytest.raises(ValueError, match=r'a stack is "encoder" or "decoder"'):
        explanation.weights("generator", 0)
    few = explain(small_model(), PAIRS.src, PAIRS.tgt, source_names=WORDS[:2])
    with pytest.raises(ValueError, match=r"no name for token \d"):
        few.tokens("encoder")
    names = ["x"] * 300
    with pytest.raises(ValueError, match="90000 cells are too many for one picture"):
        Heatmap("x", {"head 0": HeatmapMatrix(np.zeros((300, 300)), np.zeros((300, 300)))}, names, names)
