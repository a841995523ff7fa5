"""QR codes: what an independent reader makes of our drawings."""

import re

import numpy as np
import pytest

from tests.scanned import picture, scanned
from ui.classroom.qr import LONGEST, QUIET, drawing


@pytest.mark.parametrize("text", ["x", "HTTP://A.EXAMPLE/9", "http://127.0.0.1/?src=两只白猫睡觉", "é", "7" * LONGEST])
def test_a_link_is_read_as_it_was_written(text: str) -> None:
    svg = drawing(text, "some")
    found = scanned(svg)
    assert (found.text, found.ec_level) == (text, "M")
    size = int(re.findall(r'viewBox="0 0 (\d+)', svg)[0]) - 2 * QUIET
    assert size <= 97, "version 20: a phone in the last row tells no finer modules apart"


def test_a_code_is_read_with_a_corner_of_it_painted_over() -> None:
    text = "http://127.0.0.1/heads?src=" + "+".join(map(str, range(99)))
    svg = str(drawing(text, "some"))
    strokes = re.findall(r"M\d+ \d+h\d+v1h-\d+z", svg)
    last = max(int(stroke[1:].split(" ")[0]) for stroke in strokes)
    lost = [one for one in strokes if min(map(int, re.findall(r"\d+", one)[:2])) > last - last // 4]
    assert len(lost) > 50
    for stroke in lost:
        svg = svg.replace(stroke, "")
    assert scanned(svg).text == text


def test_a_drawing_is_black_on_white_with_a_quiet_margin_and_its_words_are_escaped() -> None:
    svg = drawing("x", 'to "x" <b>')
    assert 'aria-label="to &quot;x&quot; &lt;b&gt;"' in svg
    painted = picture(svg)
    dots = len(painted) // (21 + 2 * QUIET)
    assert QUIET == 4
    assert set(np.unique(painted)) == {0, 255}
    inner = painted[4 * dots : -4 * dots, 4 * dots : -4 * dots]
    assert (painted == 0).sum() == (inner == 0).sum()
    assert re.findall(r"#|var\(|currentColor", svg) == []  # no colour of a theme
