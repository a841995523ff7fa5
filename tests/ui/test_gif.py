"""A story as a GIF: what our encoder writes, another program reads."""

import io
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image

from tests.javascript import Ask, asking
from ui.theme import MODES, Mode, canvas

WIDTH, HEIGHT = 61, 43


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    with asking() as answers:
        yield answers


def hexed(color: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(color.removeprefix("#")))


def test_every_picture_is_read_back_with_its_time(ask: Ask) -> None:
    """Noise has no row of pixels twice: the codes grow to their longest, and begin again."""
    random = np.random.default_rng(0)
    palette = random.integers(0, 256, (255, 3))
    noise = random.integers(0, 255, (HEIGHT, WIDTH))
    moved = noise.copy()
    moved[5:9, 40:52] = 7
    still, plain = moved.copy(), np.zeros_like(noise)
    shown = [(noise, 0), (moved, 120), (still, 300), (plain, 700)]
    told = [(picture.ravel().tolist(), at) for picture, at in shown]
    written = ask("gif", WIDTH, HEIGHT, palette.tolist(), told, 1000)
    with Image.open(io.BytesIO(bytes(written))) as read:
        assert (read.size, getattr(read, "n_frames", 1)) == ((WIDTH, HEIGHT), 3), "what stays as it is needs no picture"
        for at, (picture, milliseconds) in enumerate([(noise, 120), (moved, 580), (plain, 300)]):
            read.seek(at)
            assert read.info["duration"] == milliseconds
            np.testing.assert_array_equal(np.asarray(read.convert("RGB")), palette[picture])


@pytest.mark.parametrize("mode", MODES)
def test_the_colours_of_a_stage_are_in_its_palette_and_the_others_are_near(ask: Ask, mode: Mode) -> None:
    colors = canvas(mode)
    named = [hexed(color) for name, color in colors.items() if name != "scales"]
    between = [tuple(np.add(one, hexed(colors["background"])) // 2) for one in named]
    answer = ask("matched", colors, [[int(part) for part in one] for one in named + between])
    assert len(answer["palette"]) <= 255
    exact, near = answer["found"][: len(named)], answer["found"][len(named) :]
    assert np.abs(np.subtract(exact, named)).max() <= 3
    assert np.abs(np.subtract(near, between)).max() <= 24
