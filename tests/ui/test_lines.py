"""Weights as lines."""

import re

import numpy as np

from ui.figures.lines import Reference, lines

WEIGHTS = np.array([[0.75, 0.25, 0.0], [0.0, 0.001, 0.999]])


def drawing(query: int | None = None, key: int | None = None) -> str:
    return lines(WEIGHTS, ["a", "<b>"], ["x", "y", "z"], heads=("Q", "K"), query=query, key=key, alt="weights")


def test_every_weight_that_can_be_seen_is_a_line_as_opaque_as_it_is_large() -> None:
    drawn = re.findall(r'<line data-query="(\d)" data-key="(\d)".*?stroke-opacity="([\d.]+)"', drawing())
    assert drawn == [("0", "0", "0.750"), ("0", "1", "0.250"), ("1", "2", "0.999")]


def test_the_chosen_query_lies_on_top_and_has_its_weights_printed() -> None:
    picture = drawing(query=0, key=1)
    assert re.findall(r'<line data-query="(\d)"', picture) == ["1", "0", "0"]
    assert re.findall(r">(\d\.\d{3})<", picture) == ["0.750", "0.250", "0.000"]


def test_labels_cannot_become_markup() -> None:
    assert "<b>" not in drawing()
    assert "&lt;b&gt;" in drawing()


REFERENCE = Reference(np.array([[True, True, False], [False, False, False]]), ["✗", ""], [False, False])


def compared(keys_first: bool = False) -> str:
    return lines(
        WEIGHTS, ["a", "flowers → every"], ["x", "y", "z"], heads=("Q", "K"), query=None, key=None,
        alt="weights", reference=REFERENCE, keys_first=keys_first,
    )  # fmt: skip


def test_gold_links_lie_below_the_weights_and_each_query_says_how_it_compares() -> None:
    drawn = re.findall(r'<line (?:class="(reference)" )?data-query="(\d)" data-key="(\d)"', compared())
    assert drawn == [("reference", "0", "0"), ("reference", "0", "1"), ("", "0", "0"), ("", "0", "1"), ("", "1", "2")]
    assert compared().count("✗") == 2  # drawn, and said to who does not see it


def test_keys_may_come_first() -> None:
    for keys_first in (False, True):
        ends = re.findall(r'x1="([\d.]+)" y1="[\d.]+" x2="([\d.]+)"', compared(keys_first))
        assert {float(query) > float(key) for query, key in ends} == {keys_first}


def test_a_long_name_has_the_room_that_it_needs() -> None:
    boxes = re.findall(r'<rect x="([\d.-]+)" y="[\d.]+" width="([\d.]+)"', compared())
    width = float(re.findall(r'viewBox="0 0 ([\d.]+)', compared())[0])
    assert all(0 < float(x) and float(x) + float(wide) < width for x, wide in boxes)
    assert float(boxes[0][1]) > len("flowers → every") * 7


def test_a_long_heading_has_the_room_that_it_needs() -> None:
    heading = "a heading of many words"
    picture = lines(
        WEIGHTS, ["a", "b"], ["x", "y", "z"], heads=(heading, "K"), query=None, key=None, alt="weights",
        keys_first=True,
    )  # fmt: skip
    (begins,) = re.findall(rf'<text x="([\d.]+)"[^>]*>{heading}', picture)
    width = float(re.findall(r'viewBox="0 0 ([\d.]+)', picture)[0])
    assert float(begins) + len(heading) * 7.6 < width
