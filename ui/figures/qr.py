"""A QR code: a text in, its square of dark and light modules out, and a drawing of it (ISO/IEC 18004).

Byte mode at error correction level M, which reads with 15 % of the codewords damaged, in the smallest of the versions 1
to 40 that holds the text. The steps are the standard's: the text as codewords, Reed–Solomon codewords after each block
of them, both interleaved, laid out in columns of two around the fixed patterns, and the one of eight masks under which
the square has least that looks like a pattern.
"""

from collections.abc import Iterator
from functools import cache

import numpy as np

from ui.figures.markup import Markup, element

QUIET = 4  # modules of light around the square, by which a reader finds it
LARGEST = 40  # version; version v is 17 + 4v modules wide
# Of each version at level M: the correcting codewords of a block, and the number of blocks (table 9).
CORRECTING = (
    *(10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26),
    *(26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28),
)
BLOCKS = (
    *(1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16),
    *(17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49),
)
LEVEL = 0b00  # M, in the format information
BYTES, UTF8 = 0b0100, (0b0111, 26)  # mode indicators; the second with the number of the encoding (ECI)
FILLING = (0xEC, 0x11)  # codewords after the end of the text, in turns
FIELD = 0x11D  # x⁸ + x⁴ + x³ + x² + 1, over which bytes are multiplied
FINDER = np.array([[max(abs(row), abs(col)) not in (2, 4) for col in range(-4, 5)] for row in range(-4, 5)])
ALIGNMENT = np.array([[max(abs(row), abs(col)) != 1 for col in range(-2, 3)] for row in range(-2, 3)])


def qr(text: str) -> np.ndarray:
    """(size, size) bool, dark modules True, without the light margin around it.

    ValueError if the text is longer than 2,331 bytes of UTF-8 (2,329 where it is not ASCII alone).
    """
    version, data = _codewords(text)
    fixed, dark = _patterns(version)
    bits = np.unpackbits(_interleaved(version, data))
    places = tuple(np.array([place for place in _walk(len(fixed)) if not fixed[place]]).T)
    laid = np.zeros(len(places[0]), bool)
    laid[: len(bits)] = bits  # the few modules left over stay light
    squares = []
    for number, mask in enumerate(_masks(*np.mgrid[: len(fixed), : len(fixed)])):
        square = dark.copy()
        square[places] = laid ^ mask[places]
        _put_format(square, number)
        squares.append(square)
    return min(squares, key=penalty)


def drawing(modules: np.ndarray, alt: str) -> Markup:
    """The square as SVG, one unit per module, with its margin. Black on white in any theme: so it is read."""
    size = len(modules) + 2 * QUIET
    lines = [
        f"M{start + QUIET} {row + QUIET}h{end - start}v1h{start - end}z"
        for row, line in enumerate(modules)
        for start, end in np.flatnonzero(np.diff(np.pad(line, 1).astype(np.int8))).reshape(-1, 2)
    ]
    light = element("path", fill="white", d=f"M0 0h{size}v{size}h-{size}z")
    dark = element("path", fill="black", d="".join(lines))
    shape = {"viewBox": f"0 0 {size} {size}", "shape_rendering": "crispEdges"}
    return element("svg", light, dark, class_="qr", role="img", aria_label=alt, **shape)


def penalty(square: np.ndarray) -> int:
    """How much of a square looks like a pattern (section 7.8.3): a smaller number reads better."""
    points = 0
    for lines in (square, square.T):
        for line in lines:
            changes = np.flatnonzero(np.diff(line)) + 1
            runs = np.diff([0, *changes, len(line)])
            points += int((runs[runs >= 5] - 2).sum())
        windows = np.lib.stride_tricks.sliding_window_view(lines, 11, axis=1)
        finder = np.array([1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0], bool)
        points += 40 * sum(int((windows == like).all(-1).sum()) for like in (finder, finder[::-1]))
    corner = square[:-1, :-1]
    blocks = (corner == square[1:, :-1]) & (corner == square[:-1, 1:]) & (corner == square[1:, 1:])
    points += 3 * int(blocks.sum())
    return points + 10 * int(abs(100 * square.mean() - 50) // 5)


def format_bits(mask: int) -> int:
    """The 15 bits of the level and the mask, with the remainder that protects them (annex C)."""
    return _protected(LEVEL << 3 | mask, 10, 0b10100110111) ^ 0b101010000010010


def version_bits(version: int) -> int:
    """The 18 bits that a version from 7 on says of itself (annex D)."""
    return _protected(version, 12, 0b1111100100101)


def correction(data: np.ndarray, count: int) -> np.ndarray:
    """The `count` codewords that Reed–Solomon puts after the codewords of a block: the remainder of its polynomial."""
    generator, remainder = _generator(count), np.zeros(count, np.uint8)
    for codeword in data:
        factor = codeword ^ remainder[0]
        remainder = np.append(remainder[1:], np.uint8(0)) ^ _times(generator, int(factor))
    return remainder


def _codewords(text: str) -> tuple[int, np.ndarray]:
    """The smallest version with room for the text, and its data codewords."""
    content = text.encode()
    heading = "" if text.isascii() else f"{UTF8[0]:04b}{UTF8[1]:08b}"
    for version in range(1, LARGEST + 1):
        room = 8 * (_all_codewords(version) - CORRECTING[version - 1] * BLOCKS[version - 1])
        start = f"{heading}{BYTES:04b}{len(content):0{8 if version < 10 else 16}b}"
        if len(start) + 8 * len(content) <= room:
            break
    else:
        raise ValueError(f"{len(content)} bytes are more than a QR code holds")
    bits = start + "".join(f"{byte:08b}" for byte in content)
    bits += "0" * min(4, room - len(bits))
    bits += "0" * (-len(bits) % 8)
    written = [int(bits[at : at + 8], 2) for at in range(0, len(bits), 8)]
    filling = [FILLING[at % 2] for at in range(room // 8 - len(written))]
    return version, np.array([*written, *filling], np.uint8)


def _interleaved(version: int, data: np.ndarray) -> np.ndarray:
    """All codewords in their order in the square: the first of each block, the second of each; then those that correct.

    The last blocks are a codeword longer where the data does not divide evenly.
    """
    count = BLOCKS[version - 1]
    short, longer = divmod(len(data), count)
    ends = np.cumsum([short] * (count - longer) + [short + 1] * longer)
    blocks = np.split(data, ends[:-1])
    corrections = np.array([correction(block, CORRECTING[version - 1]) for block in blocks])
    columns = [block[at] for at in range(short + 1) for block in blocks if at < len(block)]
    return np.concatenate([np.array(columns, np.uint8), corrections.T.ravel()])


def _patterns(version: int) -> tuple[np.ndarray, np.ndarray]:
    """Which modules no text takes, and the dark ones among them; those of the format are kept free."""
    size = 17 + 4 * version
    fixed, dark = np.zeros((2, size, size), bool)

    def put(row: int, col: int, pattern: np.ndarray) -> None:
        """A pattern with its middle there, as far as it lies within the square."""
        half = len(pattern) // 2
        rows = slice(max(row - half, 0), row + half + 1)
        cols = slice(max(col - half, 0), col + half + 1)
        part = pattern[max(half - row, 0) :, max(half - col, 0) :][: size - rows.start, : size - cols.start]
        fixed[rows, cols], dark[rows, cols] = True, part

    fixed[6], fixed[:, 6] = True, True
    dark[6, ::2], dark[::2, 6] = True, True  # timing
    for row, col in ((3, 3), (3, size - 4), (size - 4, 3)):
        put(row, col, FINDER)
    middles = _alignment(version)
    for row in middles:
        for col in middles:
            if (row, col) not in ((6, 6), (6, size - 7), (size - 7, 6)):  # where the finders stand
                put(row, col, ALIGNMENT)
    fixed[:9, 8], fixed[8, :9], fixed[8, -8:], fixed[-8:, 8] = True, True, True, True  # the format
    if version >= 7:
        bits = np.array([version_bits(version) >> bit & 1 for bit in range(18)], bool).reshape(6, 3)
        for square, part in ((fixed, np.ones_like(bits)), (dark, bits)):
            square[:6, -11:-8], square[-11:-8, :6] = part, part.T
    return fixed, dark


def _put_format(square: np.ndarray, mask: int) -> None:
    """Twice: around the upper left finder, and along the edges of the others. With it the one module always dark."""
    bits = [bool(format_bits(mask) >> bit & 1) for bit in range(15)]
    square[[0, 1, 2, 3, 4, 5, 7, 8, 8], [8, 8, 8, 8, 8, 8, 8, 8, 7]] = bits[:9]
    square[8, :6] = bits[:8:-1]
    square[8, -8:] = bits[7::-1]
    square[-7:, 8] = bits[8:]
    square[-8, 8] = True


def _alignment(version: int) -> list[int]:
    """The rows, and columns, in which alignment patterns stand (annex E): even steps back from the last."""
    if version == 1:
        return []
    last, count = 10 + 4 * version, version // 7 + 2
    step = 26 if version == 32 else 2 * -(-(last - 6) // (2 * (count - 1)))  # an even number, one rounded by hand
    return [6, *range(last - step * (count - 2), last + 1, step)]


def _walk(size: int) -> Iterator[tuple[int, int]]:
    """The order in which modules are filled: columns of two from the right, up and down, past the timing pattern."""
    rights = [*range(size - 1, 6, -2), 5, 3, 1]
    for turn, right in enumerate(rights):
        for row in range(size) if turn % 2 else reversed(range(size)):
            yield row, right
            yield row, right - 1


def _masks(rows: np.ndarray, cols: np.ndarray) -> list[np.ndarray]:
    """The eight masks (table 10): where they hold, a module of the text is turned."""
    product = rows * cols
    held = (
        rows + cols, rows, cols, rows + cols, rows // 2 + cols // 3,
        product % 2 + product % 3, product % 2 + product % 3, (rows + cols) % 2 + product % 3,
    )  # fmt: skip
    return [value % modulus == 0 for value, modulus in zip(held, (2, 2, 3, 3, 2, 6, 2, 2))]


def _all_codewords(version: int) -> int:
    """Of the text and its correction: as many bytes as the modules of the square that no pattern takes."""
    return int((~_patterns(version)[0]).sum()) // 8


def _protected(value: int, count: int, generator: int) -> int:
    """A few bits, and `count` more: the remainder of their polynomial (BCH)."""
    remainder = value << count
    while remainder.bit_length() > count:
        remainder ^= generator << (remainder.bit_length() - generator.bit_length())
    return value << count | remainder


@cache
def _powers() -> tuple[np.ndarray, np.ndarray]:
    """2 to the power of 0…509, over the field, and the logarithm of each byte but 0."""
    power, powers, logs = 1, np.zeros(510, np.uint8), np.zeros(256, np.intp)
    for exponent in range(255):
        powers[exponent] = powers[exponent + 255] = power
        logs[power] = exponent
        power = power << 1 ^ (FIELD if power & 0x80 else 0)
    return powers, logs


def _times(values: np.ndarray, factor: int) -> np.ndarray:
    powers, logs = _powers()
    product: np.ndarray = np.where((values > 0) & (factor > 0), powers[logs[values] + logs[factor]], 0).astype(np.uint8)
    return product


@cache
def _generator(count: int) -> np.ndarray:
    """The polynomial with the roots 2⁰ … 2^(count − 1), its highest power, whose factor is 1, left out."""
    polynomial = np.ones(1, np.uint8)
    for root in range(count):
        polynomial = np.append(polynomial, np.uint8(0)) ^ np.append(
            np.uint8(0), _times(polynomial, int(_powers()[0][root]))
        )
    return polynomial[1:]
