"""The large view is found in the corner of every figure, and its tools lie on nothing that is to be read."""

import pytest
from playwright.sync_api import FloatRect, Locator, expect

from tests.browser.driver import settle
from ui.text import Words


def box(of: Locator) -> FloatRect:
    found = of.bounding_box()
    assert found is not None
    return found


def apart(a: FloatRect, b: FloatRect) -> bool:
    return (
        a["x"] + a["width"] <= b["x"]
        or b["x"] + b["width"] <= a["x"]
        or a["y"] + a["height"] <= b["y"]
        or b["y"] + b["height"] <= a["y"]
    )


@pytest.mark.parametrize(
    ("path", "figure", "width", "dark"),
    [
        ("/masks?lang=zh", "masks-look_ahead", 390, False),  # words above its last columns
        ("/attention?kind=decoder&stage=masked", "attention-stages", 1280, True),  # a scale beside it
        ("/loss?only=rate", "loss-rate", 1280, False),  # names of curves above it
    ],
)
def test_a_figure_has_its_large_view_in_its_corner(open_page, path: str, figure: str, width: int, dark: bool) -> None:
    page = open_page(path, width=width, dark=dark)
    frame = page.locator(f".st-key-figure-{figure}")
    name = Words("shell", "zh" if "zh" in path else "en")("large_view")
    button = frame.get_by_role("button", name=name)
    corner, around = box(button), box(frame)
    assert around["x"] + around["width"] - corner["x"] - corner["width"] == pytest.approx(0, abs=1)
    assert abs(corner["y"] - around["y"]) <= corner["height"]
    assert min(corner["width"], corner["height"]) >= 24  # as large as a finger or a pointer needs it: WCAG 2.2, 2.5.8

    words = button.get_by_text(name)
    assert box(words)["width"] <= 1  # for who hears it alone
    button.hover()
    expect(words).to_be_in_viewport(ratio=1)
    assert box(words)["width"] > corner["width"]
    assert apart(box(words), corner)

    button.click()
    dialog = page.get_by_role("dialog")
    bar = dialog.locator(".modebar-group").first
    bar.wait_for()
    settle(page)
    tools = [box(group) for group in dialog.locator(".modebar-group").all()]
    words = dialog.locator(".js-plotly-plot .main-svg text").all()
    assert len(words) > 5
    assert [word.text_content() for word in words for tool in tools if not apart(box(word), tool)] == []
