"""Sections further down a page: folded until a reader or a link opens them."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import boards, elements
from tests.app.conftest import Open
from tests.kinds import kind_of
from ui.chapters import contents
from ui.sections import section
from ui.sections import section_list as drawn
from ui.settings.chapters import BESIDE, CHAPTERS, MAP
from ui.settings.composed import composed
from ui.settings.fields import Folding, Settings, formerly, whole
from ui.text import load

FOLDING = [chapter for chapter in CHAPTERS if issubclass(kind_of(chapter), Folding)]


def sections(app: AppTest) -> dict[str, bool]:
    """Each section's name, and whether it is open."""
    found = {
        box.proto.id.rpartition("-")[2].split(".")[1]: box for box in app.expander if box.proto.id.endswith(".section")
    }
    return {name: app.session_state[f"{app.session_state['kept']['chapter']}.{name}.section"] for name in found}


# The section that a link of 1.0 shows open; a newcomer's page begins with it folded.
OPEN = {"heads": {"opened"}}


@pytest.mark.parametrize("chapter", FOLDING)
def test_who_opens_a_chapter_finds_its_sections_folded_and_nothing_of_them_computed(
    open_link: Open, chapter: str
) -> None:
    folded, whole = open_link(chapter, open="", notes="1"), open_link(chapter)
    assert sections(folded).keys() == sections(whole).keys() != set()
    assert {name for name, shown in sections(folded).items() if shown} == OPEN.get(chapter, set())
    assert not any(sections(open_link(chapter, open="", model="")).values())
    assert all(sections(whole).values())
    assert len(list(elements(folded.main))) + len(sections(folded)) < len(list(elements(whole.main)))


def test_a_link_opens_the_section_whose_setting_it_carries(open_link: Open) -> None:
    app = open_link("masks", open="", fill_with="billion", triu_cell="k0.1.1")
    assert {name for name, shown in sections(app).items() if shown} == {"fill", "triu"}
    assert {"masks.fill", "masks.triu"} <= set(boards(app))


def test_a_link_may_close_the_section_whose_setting_it_carries(open_link: Open) -> None:
    app = open_link("masks", open="-fill,axis", fill_with="billion")
    assert {name for name, shown in sections(app).items() if shown} == {"axis"}


@pytest.mark.parametrize("said", ["nothing,-,,--fill,<script>", "all,-all", "-", "," * 400, "FILL"])
def test_names_of_no_section_open_none(open_link: Open, said: str) -> None:
    app = open_link("masks", open=said)
    assert not app.exception
    assert set(sections(app).values()) == {"all" in said.split(",")}


@pytest.mark.parametrize("chapter", [MAP, *CHAPTERS, *BESIDE])
def test_a_chapter_has_the_settings_of_its_sections_and_no_others(chapter: str) -> None:
    """And no two sections own the same."""
    owned = [name for one in contents(chapter).every for name in one.settings.kinds()]
    assert sorted(owned) == sorted(kind_of(chapter).kinds().keys() - {"open"})


def test_two_sections_cannot_call_a_setting_alike() -> None:
    class One(Settings):
        size: int = whole(3, 1, 8)

    class Other(Settings):
        length: int = formerly("size", whole(3, 1, 8))

    class Again(One):
        pass

    assert composed("Both", [One, Again]).kinds().keys() == {"size"}
    with pytest.raises(ValueError, match="size is a setting of Other and One"):
        composed("Both", [One, Other])


def test_a_section_that_reads_of_others_what_it_does_not_declare_fails(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm = replace(next(one for one in contents("scaling").every if one.name == "warm"), reads=())
    undeclared = tuple(warm if one.name == "warm" else one for one in contents("scaling").sections)
    assert not open_link("scaling", open="warm").exception
    monkeypatch.setattr("ui.chapters.scaling.CONTENTS", replace(contents("scaling"), sections=undeclared))
    assert open_link("scaling", open="warm").exception


def test_what_a_control_changes_runs_the_sections_that_show_it_alone() -> None:
    follow = contents("scaling").follow
    assert follow["scores"] == ("steps", "warm")
    assert follow["seed"] == ("size", "self")
    assert follow["factor"] == ("steps",)
    assert follow["d_k"] == ("size",)
    assert follow["frame.src"] == ("story", "steps", "warm")
    assert follow["width"] == ("self",)


def test_a_heading_shown_alone_has_its_sections_below_it(open_link: Open) -> None:
    app = open_link("masks", open="axis", only="traps")
    assert sections(app) == {name: name == "axis" for name in ("reading", "triu", "convention", "axis", "slice", "own")}
    assert boards(app) == ["masks.axis"]


@pytest.mark.parametrize("chapter", [MAP, *CHAPTERS])
def test_every_section_can_be_named_when_it_stands_alone(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, chapter: str
) -> None:
    listed: list[section.Section] = []
    monkeypatch.setattr(drawn, "sections", lambda _, *some, first: listed.extend(section.flat(some)))
    assert open_link(chapter).title[0].value  # what a lead stands under
    assert listed
    named = [one for one in listed if one.look not in ("story", "lead")]
    assert [one.name for one in named if f"{one.name}.title" not in load(one.words or chapter)] == []
