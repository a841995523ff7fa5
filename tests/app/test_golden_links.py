"""Links are an interface: what a link of a release has shown, it shows for ever, to the digits shown.

A setting that is renamed keeps its old name (`formerly`, in ui/settings/fields.py), and so does whatever else a link
names. What only the code names may change: the key of a figure, with a line in RENAMED; the key of a panel or the words
on a line, freely. tests/golden/links.py says how to add a link. A file of numbers is never mended to fit the page.
"""

import tomllib

import numpy as np
import pytest

from tests.app.conftest import Open
from tests.app.test_section import FOLDING, sections
from tests.golden.links import LINKS
from tests.golden.releases import agree, digest, links_of, missing, number_of, recorded, releases, written
from tests.golden.shown import CHOSEN, Figure, follow

RENAMED = {  # "chapter.figure" of a release: what it is called now
    "why_attention.steps": "why_attention.waiting_0",
    "why_attention.paths": "why_attention.waiting_1",
    "scaling.factor_entropy": "scaling.curves_0",
    "scaling.factor_norm": "scaling.curves_1",
    "scaling.histogram_plain": "scaling.histogram_0",
    "scaling.histogram_scaled": "scaling.histogram_1",
    "scaling.size_variance": "scaling.sizes_0",
    "scaling.size_entropy": "scaling.sizes_1",
    "scaling.size_jacobian_norm": "scaling.sizes_2",
}

# Rounding errors, as powers of ten.
ERRORS = {f"positions.forms / {way}: y" for way in ("exp and log, float32", "power, float32", "exp and log, float64")}

# They have words alone, the numbers of another section, or figures that wait for the reader: for a run, a file, a
# measurement on the reader's machine.
WITHOUT_NUMBERS = {
    "scaling": {"run"},
    "positions": {"learned_table", "surface"},
    "layers": {"train"},
    "heads": {"ablation"},
    "loss": {"misread", "random"},
    "training": {"guessing", "own", "again", "rows", "switches"},
    "ways": {"reading"},
    "why_attention": {"measured", "rivals"},
    "practice": {"labsheet"},
    "answer_cost": {"work"},
}

EVERY = {release: links_of(release) for release in releases()}


@pytest.mark.parametrize("chapter", list(dict.fromkeys(chapter for of in EVERY.values() for chapter in of)))
def test_every_link_shows_what_it_showed_when_its_releases_were_made(chapter: str) -> None:
    """A link that several releases have recorded is followed once."""
    found: dict[str, dict[str, Figure]] = {}
    lost = {}
    for release, of in EVERY.items():
        for link, was in of.get(chapter, {}).items():
            if link not in found:
                found[link] = follow(chapter, link)
            lost[release, link] = missing(was, found[link], RENAMED, ERRORS)
    assert {at: names for at, names in lost.items() if names} == {}


@pytest.mark.parametrize("chapter", LINKS)
def test_the_newest_release_has_a_link_to_every_section(open_link: Open, chapter: str) -> None:
    links = links_of(releases()[-1])[chapter]
    assert links.keys() >= set(LINKS[chapter])
    if chapter in FOLDING:
        named = {part.removeprefix("open=") for link in links for part in link.split("&") if part.startswith("open=")}
        here = sections(open_link(chapter, open="", notes="1")).keys() - WITHOUT_NUMBERS.get(chapter, set())
        assert here <= named  # what stands open today may have folded then


WEIGHTS = np.random.default_rng(0).standard_normal((7, 7))
PAGE: dict[str, Figure] = {
    "masks.fill": {"masked": np.where(np.eye(7), WEIGHTS, -1e9), "weights": WEIGHTS, CHOSEN: np.array([2, 1, 7, 7])},
    "masks.curve": {"loss: x": np.arange(30.0), "loss: y": np.append(np.linspace(3, 0, 29), np.nan)},
}
WAS = recorded(PAGE, {})


def test_what_is_recorded_is_read_back_from_the_file() -> None:
    assert missing(tomllib.loads(written("masks", "open=fill", WAS))["masks"]["open=fill"], PAGE, {}) == []


def test_the_last_bits_of_another_processor_are_no_difference() -> None:
    other = {key: {name: values * (1 + 1e-6) + 1e-7 for name, values in of.items()} for key, of in PAGE.items()}
    assert missing(WAS, other, {}) == []


@pytest.mark.parametrize("now", [WEIGHTS.T, WEIGHTS[::-1], WEIGHTS * 1.01, WEIGHTS[:6], WEIGHTS + 0.01 * np.eye(7)])
def test_other_numbers_are_a_difference(now: np.ndarray) -> None:
    assert not agree(digest(WEIGHTS), now)


def test_a_part_of_a_figure_may_change_its_name_and_no_more() -> None:
    other = {key: {f"{name}!": values for name, values in of.items() if name != CHOSEN} for key, of in PAGE.items()}
    assert missing(WAS, other, {}) == [f"masks.fill / {CHOSEN}"]
    other["masks.curve"].pop("loss: y!")
    assert missing(WAS, other, {}) == [f"masks.fill / {CHOSEN}", "masks.curve / loss: y"]


def test_a_figure_that_has_another_key_now_is_found_under_it() -> None:
    other = {"masks.filled": PAGE["masks.fill"], "masks.curve": PAGE["masks.curve"]}
    assert len(missing(WAS, other, {})) == 3
    assert missing(WAS, other, {"masks.fill": "masks.filled"}) == []


def test_of_rounding_errors_the_size_is_kept_and_no_more() -> None:
    errors = np.random.default_rng(1).uniform(-8, -6, 40)
    was = {"a / b": digest(errors)}
    for shown, lost in ((errors[::-1], []), (np.where(errors > -6.2, np.nan, errors), []), (errors + 2, ["a / b"])):
        assert missing(was, {"a": {"b": shown}}, {}, {"a / b"}) == lost
        assert missing(was, {"a": {"b": shown}}, {}) == ["a / b"]


def test_releases_are_in_the_order_of_their_numbers() -> None:
    assert sorted(["1.10", "1.9", "0.2"], key=number_of) == ["0.2", "1.9", "1.10"]
