"""Small pictures: a byte per number, and as few as fit in one short message."""

import json

import numpy as np
import pytest

from ui.chapters.map.figures.figure_one import Scale, arrows, blocks, furthest, thumbnail
from ui.chapters.map.figures.playing import Spoken, Threads, TokenRow, message


def test_zero_is_the_middle_of_a_signed_scale_and_its_ends_are_equally_far() -> None:
    picture = thumbnail(np.array([[-2.0, 0.0, 1.0]]), "signed")
    assert picture.values.tolist() == [[[0, 127, 190]]]
    assert picture.high == 2.0


@pytest.mark.parametrize("scale", ["signed", "probability", "magnitude"])
def test_a_number_is_read_from_its_byte_to_half_a_step(scale: Scale) -> None:
    values = np.random.default_rng(0).random((5, 7))
    picture = thumbnail(values, scale)
    zero, steps = (127, 127) if scale == "signed" else (0, 255)
    read = (picture.values[0].astype(float) - zero) / steps * picture.high
    assert np.abs(read - values).max() <= 0.5 / steps * picture.high + 1e-12


def test_nothing_but_zeros_has_a_picture() -> None:
    assert (thumbnail(np.zeros((2, 3)), "signed").values == 127).all()


def test_of_neighbours_the_one_furthest_from_zero_is_kept_with_its_sign() -> None:
    assert furthest(np.array([[1.0, -3.0, 2.0, 0.0, -1.0]]), 2).tolist() == [[-3.0, 2.0, -1.0]]


def test_the_largest_forward_pass_that_can_be_typed_is_a_short_message() -> None:
    tokens, sizes = 41, {"d_model": 512, "d_ff": 2048, "h": 16, "N": 6}
    at = dict.fromkeys(("tgt_embed.0.output", "tgt_embed.1.output", "generator.logits"), 0)
    drawn = blocks(sizes, 1000, 1000, tokens, tokens, at)
    shapes = [tuple(map(int, block.pictured.split(" × ")[1:])) for block in drawn]
    pictures = [thumbnail(np.ones(shape), block.scale) for shape, block in zip(shapes, drawn)]
    rows = np.full((tokens, tokens), 0.123)
    threads = {key: Threads(rows, [(40, 40)] * tokens) for key in ("encoder", "cross")}
    line, spoken = (
        TokenRow(["elephants"] * tokens, [""] * tokens),
        Spoken(["x" * 100] * tokens, [("", "", "")], [""], {}),
    )
    sent = message("", drawn, pictures, [("", "")], (line, line, line), threads, spoken)
    assert len(json.dumps(sent)) < 120_000


def test_every_block_is_reached_and_left_by_an_arrow() -> None:
    at = dict.fromkeys(("tgt_embed.0.output", "tgt_embed.1.output", "generator.logits"), 0)
    drawn = blocks({"d_model": 8, "d_ff": 16, "h": 2, "N": 2}, 9, 9, 3, 4, at)
    ways = arrows(drawn, 3, 4)
    assert {way.end for way in ways} == {way.start for way in ways} == {None, *range(len(drawn))}
    (memory,) = [way for way in ways if way.kind == "memory"]
    assert [block.key for index, block in enumerate(drawn) if index == memory.end] == ["cross"]
    assert memory.carries == "1 × 3 × 8"
