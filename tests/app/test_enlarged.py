"""The large view: a figure opens large, with every matrix of it to choose from, a camera and a table."""

import json

import pytest

from tests.app.conftest import Open
from ui.text import LANGUAGES, Words


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_board_opens_large_and_every_matrix_of_it_can_be_chosen(open_link: Open, lang: str) -> None:
    app = open_link("attention", open="", stage="masked", lang=lang)
    assert not app.get("plotly_chart")
    app.button(key="attention.stages.enlarge").click().run()
    (chart,) = app.get("plotly_chart")
    spec = json.loads(chart.proto.spec)
    assert spec["data"][0]["type"] == "heatmap"
    assert chart.proto.alt == Words("attention", lang)("alt.masked")
    (matrix,) = [box for box in app.selectbox if box.label == Words("shell", lang)("matrix_shown")]
    assert len(matrix.options) == 3
    assert app.get("download_button")
    assert not app.exception


def test_curves_open_large_and_say_what_they_are(open_link: Open) -> None:
    app = open_link("loss", open="rate", lang="en")
    app.button(key="loss.rate.enlarge").click().run()
    (chart,) = app.get("plotly_chart")
    assert chart.proto.alt == Words("loss", "en")("rate_alt")
    assert not app.exception
