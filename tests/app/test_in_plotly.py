"""A page whose matrices and curves Plotly draws, where the link or the switch in the menu says so."""

import json
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import elements, matrices, told
from tests.app.conftest import Open
from ui.settings.chapters import CHAPTERS


def drawn(app: AppTest) -> list[Any]:
    return [json.loads(one.proto.spec) for one in elements(app.main) if one.type == "plotly_chart"]


def is_ours(element: Any) -> bool:
    """A board of matrices on our canvas, or curves of ECharts."""
    return "panels" in told(element) or bool(element.type == "echarts_chart")


@pytest.mark.parametrize("chapter", [one for one in CHAPTERS if one not in ("training", "gpt")])
def test_every_matrix_and_curve_of_a_page_is_drawn_by_plotly(open_link: Open, chapter: str) -> None:
    ours = [one for one in elements(open_link(chapter, lang="zh", model="translate").main) if is_ours(one)]
    app = open_link(chapter, lang="zh", model="translate", draw="plotly")
    assert not app.exception
    assert len(drawn(app)) >= len(ours) > 0
    assert not any(map(is_ours, elements(app.main)))
    assert app.query_params["draw"] == "plotly"


def test_the_numbers_are_those_of_our_canvas_and_the_switch_leads_back(open_link: Open) -> None:
    app = open_link("masks", lang="en", model="translate")
    mask = matrices(app, "masks.look_ahead")["mask"]
    app.toggle(key="menu.plotly").set_value(True).run()
    heatmap = drawn(app)[0]["data"][0]
    np.testing.assert_array_equal(np.array(heatmap["z"], dtype=float), mask)
    app.toggle(key="menu.plotly").set_value(False).run()
    assert not drawn(app)
    assert "draw" not in app.query_params
