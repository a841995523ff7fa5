"""A search drawn as a tree."""

import re
import xml.etree.ElementTree as ET

from ui.chapters.ways.figures.tree import Twig, log_prob, tree
from ui.theme import css

TWIGS = [
    Twig(0, -1, 0, "⟨s⟩", 0.0, "won", ""),
    Twig(1, 0, 1, "a", -0.5, "kept", "a: −(0.500) = −0.500"),
    Twig(2, 0, 1, "b", -0.7, "won", "b: −(0.700) = −0.700"),
    Twig(3, 0, 1, "<c>", -0.6, "pruned", ""),
    Twig(4, 2, 2, "⟨/s⟩", -0.8, "won", ""),
]


def places(svg: str) -> dict[int, tuple[float, float]]:
    """Left and top of the box of each node."""
    found = re.findall(r'data-at="(\d+)" data-parent.*?<rect x="([\d.]+)" y="([\d.]+)"', svg)
    return {int(at): (float(x), float(y)) for at, x, y in found}


def test_a_turn_is_a_column_and_what_stayed_stands_above_what_did_not() -> None:
    svg = tree(TWIGS, "a search")
    at = places(svg)
    assert at[1][0] == at[2][0] == at[3][0]
    assert at[0][0] < at[1][0] < at[4][0]
    assert at[1][1] < at[2][1] < at[3][1]
    assert {at[0][1], at[1][1], at[4][1]} == {at[1][1]}


def test_the_winner_has_the_thick_edges_and_what_did_not_stay_the_dashed_ones() -> None:
    root = ET.fromstring(tree(TWIGS, "a search"))
    edges = {path.get("data-at"): path for path in root.iter("path")}
    assert {at: edge.get("stroke-width") for at, edge in edges.items()} == {"1": "1.2", "2": "3", "3": "1", "4": "3"}
    assert [at for at, edge in edges.items() if edge.get("stroke-dasharray")] == ["3"]
    assert {edge.get("stroke") for edge in edges.values()} == {css("decoder"), css("masked")}


def test_every_node_says_how_its_score_adds_up_and_names_are_no_markup() -> None:
    root = ET.fromstring(tree(TWIGS, "a <search>", chosen=2))
    nodes = [group for group in root.iter("g") if group.get("class") == "token"]
    assert [node.get("data-sum") for node in nodes] == [twig.sum for twig in TWIGS]
    assert [node.find("text").text for node in nodes] == [twig.name for twig in TWIGS]
    assert [node.get("data-at") for node in nodes if node.find("rect").get("stroke") == css("chosen")] == ["2"]


def test_a_longer_name_has_a_wider_column() -> None:
    wide = [*TWIGS[:2], Twig(2, 0, 1, "a rather long name", -0.7, "won", ""), *TWIGS[3:]]
    assert places(tree(wide, ""))[4][0] > places(tree(TWIGS, ""))[4][0]


def test_a_log_probability_has_its_sign_unless_it_is_nothing() -> None:
    assert [log_prob(value, 2) for value in (0.0, -0.0, -0.001, -0.005001, -12.3456)] == [
        "0.00",
        "0.00",
        "0.00",
        "−0.01",
        "−12.35",
    ]
