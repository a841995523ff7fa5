"""QR codes: numbers of the standard that can be looked up, and what an independent reader makes of our drawings."""

import re

import numpy as np
import pytest

from tests.scanned import picture, scanned
from ui.figures.qr import BLOCKS, CORRECTING, QUIET, correction, drawing, format_bits, penalty, qr, version_bits

# Table 7 of ISO/IEC 18004: the bytes that versions 1 to 40 hold at level M.
HELD = (
    *(14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666),
    *(711, 779, 857, 911, 997, 1059, 1125, 1190, 1264, 1370, 1452, 1538, 1628, 1722, 1809, 1911, 1989, 2099, 2213),
    2331,
)


def letters(count: int) -> str:
    """Different ones, in no order that a mask likes."""
    return "".join(chr(33 + (at * at * 31 + at * 7 + count) % 90) for at in range(count))


def mask_of(square: np.ndarray) -> int:
    """The mask that the format information beside the upper left finder names."""
    said = sum(int(bit) << at for at, bit in enumerate(square[[0, 1, 2, 3, 4, 5, 7, 8], 8])) | int(square[8, 7]) << 8
    return next(mask for mask in range(8) if format_bits(mask) & 0x1FF == said)


def test_the_standards_own_examples() -> None:
    assert format_bits(5) == 0b100000011001110  # annex C
    assert version_bits(7) == 0b000111110010010100  # annex D
    data = [0b00010000, 0b00100000, 0b00001100, 0b01010110, 0b01100001, 0b10000000, *[0b11101100, 0b00010001] * 5]
    corrected = "10100101 00100100 11010100 11000001 11101101 00110110 11000111 10000111 00101100 01010101"
    assert [f"{codeword:08b}" for codeword in correction(np.array(data, np.uint8), 10)] == corrected.split()  # annex I


@pytest.mark.parametrize("version", range(1, 41))
def test_every_version_is_read_when_it_is_full_and_one_byte_more_takes_the_next(version: int) -> None:
    full = letters(HELD[version - 1])
    square = qr(full)
    assert square.shape == (17 + 4 * version, 17 + 4 * version)
    found = scanned(drawing(square, "full"))
    assert (found.text, found.ec_level) == (full, "M")
    if version < 40:
        assert len(qr(full + "x")) == 17 + 4 * (version + 1)


@pytest.mark.parametrize("count", [1, 2, 13, 40, 77, 100, 133, 165, 199, 234, 268, 300, 347, 421])
def test_texts_of_any_length_are_read(count: int) -> None:
    assert scanned(drawing(qr(letters(count)), "some")).text == letters(count)


@pytest.mark.parametrize("text", ["é", "http://127.0.0.1/?src=两只白猫睡觉", "猫" * 99, "a·b", "𝛼 = softmax(q·k)"])
def test_letters_beyond_ascii_are_read_as_they_were_written(text: str) -> None:
    assert scanned(drawing(qr(text), "words")).text == text


def test_each_of_the_eight_masks_is_chosen_and_read() -> None:
    seen: dict[int, tuple[int, np.ndarray]] = {}
    for count in range(1, 61):
        square = qr(letters(count))
        seen.setdefault(mask_of(square), (count, square))
    assert set(seen) == set(range(8))
    for count, square in seen.values():
        assert scanned(drawing(square, "masked")).text == letters(count)


def test_a_code_is_read_with_a_corner_of_it_painted_over() -> None:
    """Level M mends up to 15 % of the codewords; here a tenth of the square is lost."""
    square = qr(letters(300))
    hurt = square.copy()
    hurt[-22:, -22:] = False
    assert (hurt != square).sum() > 200
    assert scanned(drawing(hurt, "hurt")).text == letters(300)


def test_the_points_of_a_square_that_looks_like_patterns() -> None:
    chess = np.indices((21, 21)).sum(0) % 2 == 0
    assert penalty(chess) == 0
    light = np.zeros((21, 21), bool)
    assert penalty(light) == 2 * 21 * (21 - 2) + 3 * 20 * 20 + 10 * 10
    finder = chess.copy()
    finder[10, 3:14] = [1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0]
    rows_alone = penalty(finder)
    finder[10, 3] = False
    assert rows_alone - penalty(finder) >= 40


def test_what_is_too_long_is_refused_with_its_length() -> None:
    assert len(qr(letters(2331))) == 177
    with pytest.raises(ValueError, match="2332 bytes"):
        qr(letters(2332))
    with pytest.raises(ValueError, match="2331 bytes"):
        qr("猫" * 777)


def test_a_drawing_is_black_on_white_with_a_quiet_margin_and_its_words_are_escaped() -> None:
    svg = drawing(qr("x"), 'to "x" <b>')
    assert 'aria-label="to &quot;x&quot; &lt;b&gt;"' in svg
    painted = picture(svg)
    dots = len(painted) // (21 + 2 * QUIET)
    assert QUIET == 4
    assert set(np.unique(painted)) == {0, 255}
    inner = painted[4 * dots : -4 * dots, 4 * dots : -4 * dots]
    assert (painted == 0).sum() == (inner == 0).sum()
    assert re.findall(r"#|var\(|currentColor", svg) == []  # no colour of a theme


def test_the_table_of_blocks_leaves_the_bytes_of_the_standard() -> None:
    for version, held in enumerate(HELD, 1):
        heading = 12 if version < 10 else 20
        codewords = {1: 26, 7: 196, 20: 1085, 40: 3706}.get(version)  # table 1
        if codewords:
            assert codewords - CORRECTING[version - 1] * BLOCKS[version - 1] == held + -(-heading // 8)
