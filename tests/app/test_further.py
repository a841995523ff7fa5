"""Further than trained: rows that are moved, the law of rotary positions, and a figure of each part that changed."""

from urllib.parse import parse_qs

import numpy as np
import pytest

from tests.app.boards import elements, matrices, written
from tests.app.conftest import Open
from tests.app.telling import telling
from ui.chapters.further.parts import SWITCHES
from ui.chapters.further.values import KINDS, MOVED, moved_shares
from ui.text import LANGUAGES, Words


@pytest.mark.parametrize("pair", ["", "_es"])
def test_only_rotary_positions_keep_a_row_that_is_moved(pair: str) -> None:
    table = moved_shares(tuple(kind + pair for kind in KINDS.values()))
    assert table[:, 0].tolist() == list(MOVED)
    found = dict(zip(KINDS, table[:, 1:].T))
    assert min(shares[0] for shares in found.values()) > 0.9, "where it stood in training each translates it"
    assert found["rotary"].min() > 0.9
    assert found["learned"][1] < found["sinusoids"][1], "one place is too far for a table"
    assert found["sinusoids"][-1] < 0.6


@pytest.mark.parametrize(
    ("link", "waits"),
    [({"scene": "1"}, True), ({"scene": "1", "story_still": "learned"}, False), ({"scene": "2"}, False),
     ({"scene": "1", "only": "moved"}, False), ({}, False)],
)  # fmt: skip
def test_the_curves_wait_while_the_story_asks_for_them(open_link: Open, link: dict[str, str], waits: bool) -> None:
    app = open_link("further", open="", lang="en", **link)
    assert not app.exception
    assert (Words("further", "en")("moved.waits") in written(app)) == waits
    assert any(str(one.proto.id).endswith("further.moved") for one in app.get("echarts_chart")) != waits


def test_the_curves_are_there_once_the_answer_is_shown(open_link: Open) -> None:
    app = open_link("further", open="", lang="en", scene="1")
    app.toggle(key="further.story_still.show").set_value(True).run()
    assert any(str(one.proto.id).endswith("further.moved") for one in app.get("echarts_chart"))


@pytest.mark.parametrize(
    ("at_hand", "words"), [("spanish", "dos gatos blancos duermen"), ("trained", "两 只 白色 的 猫 睡觉")]
)
def test_the_story_moves_a_row_of_the_languages_of_the_model_at_hand(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, at_hand: str, words: str
) -> None:
    _, v, _ = telling("further", open_link, monkeypatch, model=at_hand)
    assert " ".join(v.names) == f"two white cats sleep = {words}"


@pytest.mark.parametrize("head", ["0", "3", "15"])
def test_rotated_products_depend_on_the_distance_alone(open_link: Open, head: str) -> None:
    shown = matrices(open_link("further", law_head=head), "further.distance")
    assert np.ptp(shown["rotary"], axis=0).max() < 1e-3 < 0.1 < np.ptp(shown["sinusoids"], axis=0).max()
    assert np.ptp(shown["rotary"], axis=1).max() > 0.1, "distances differ"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("part", SWITCHES)
def test_each_part_says_what_it_replaces_and_counts_itself(open_link: Open, part: str, lang: str) -> None:
    app = open_link("further", part=part, lang=lang)
    assert not app.exception
    said = Words("further", lang)(f"parts.{part}", now="", then="", kept="", was="").split("$")[0][:20]
    assert said.replace("*", "") in written(app).replace("*", "")
    counts = {"rms": "118,223", "tied": "109,391", "grouped": "110,223", "swiglu": "150,671"}
    assert counts.get(part, "118,543") in written(app)


def test_the_band_of_a_window_is_as_wide_as_it_says(open_link: Open) -> None:
    mask = matrices(open_link("further", part="window", part_window="4"), "further.window")["window"]
    assert mask.sum(1).tolist() == [1, 2, 3, *[4] * 9]


@pytest.mark.parametrize(
    ("link", "part"),
    [({"part_groups": "3", "part": "grouped"}, "grouped"), ({"part_window": "0", "part": "window"}, "window"),
     ({"part": "experts"}, "norms"), ({"part": "tied", "part_groups": "3", "part_window": "-1"}, "tied")],
)  # fmt: skip
def test_switches_that_cannot_be_are_their_defaults(open_link: Open, link: dict[str, str], part: str) -> None:
    app = open_link("further", **link)
    assert not app.exception
    assert matrices(app, f"further.{part}")


@pytest.mark.parametrize(("part", "setting", "value"), [
    ("rms", "row_direction", "both"), ("rms", "row_norm", "rms"),
    ("swiglu", "row_feed_forward", "swiglu"), ("tied", "row_tied", True),
    ("grouped", "row_groups", 2), ("window", "row_window", 3),
])  # fmt: skip
def test_each_part_leads_to_a_run_of_the_model_that_has_it(
    open_link: Open, part: str, setting: str, value: object
) -> None:
    shown = elements(open_link("further", open="parts", part=part).main)
    (said,) = (parse_qs(one.proto.query_string) for one in shown if setting in getattr(one.proto, "query_string", ""))
    app = open_link("training", **{name: values[0] for name, values in said.items()})
    assert not app.exception
    assert app.session_state[f"training:{setting}"] == value
