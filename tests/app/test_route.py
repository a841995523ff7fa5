"""The route through the lecture notes: each step opens what it names, and what is printed there stands beside ours."""

import re
from dataclasses import replace
from itertools import cycle
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import Open
from ui.chapters import contents
from ui.chapters.route import steps
from ui.chapters.route.code import OURS, ours
from ui.chapters.route.numbers import COMPUTATIONS, agrees, computed
from ui.frame.menu import title
from ui.frame.menu_links import document_title
from ui.settings.chapters import ROUTE
from ui.settings.route import DOCUMENTS, PARTS, STEPS, RouteStep, steps_of
from ui.text import LANGUAGES, Words, load

EVERY = [pytest.param(step, id=step.name) for step in STEPS]
# What the documents print and their own code does not give: a rounded exponent, and what random targets begin with.
WRONG = {"longest", "guessing"}


def follow(open_link: Open, step: RouteStep, lang: str) -> AppTest:
    return open_link(step.chapter, **{"open": "", **dict(parse_qsl(urlsplit(step.link(lang)).query))})


@pytest.mark.parametrize(("step", "lang"), [pytest.param(*one, id=one[0].name) for one in zip(STEPS, cycle(LANGUAGES))])
def test_each_step_opens_its_section(open_link: Open, step: RouteStep, lang: str) -> None:
    app = follow(open_link, step, lang)
    assert not app.exception
    assert [warning.value for warning in app.warning] == []
    assert app.title[0].value == title(step.chapter, lang)
    if step.title:
        assert Words(step.chapter, lang)(step.title) in [heading.value for heading in app.header]
    assert {name: app.query_params.get(name) for name in step.settings if name != "model"} == {
        name: said for name, said in step.settings.items() if name != "model"
    }  # nothing is misspelt, out of range, or the default said once more


def progress(app: AppTest) -> str:
    (bar,) = app.get("progress")
    return str(bar.proto.text)


def test_a_step_is_about_a_section_of_its_chapter() -> None:
    for step in STEPS:
        (section,) = (one for one in contents(step.chapter).every if one.name == step.section)
        assert ("open" in step.settings) == (section.look == "folded"), step.name
        assert step.settings.get("open", step.section) == step.section
    assert {step.of for step in STEPS} == set(PARTS)


@pytest.mark.parametrize("printed", [pytest.param(p, id=p.ours) for step in STEPS for p in step.printed])
def test_what_the_documents_print_is_computed_here(printed) -> None:
    assert agrees(printed.theirs, computed(printed.ours)) == (printed.ours not in WRONG)


@pytest.mark.parametrize("theirs", ["0.2187 0.0976", "2 × 4", "8.33e-05", "1 × 8 × 10 × 64", ""])
def test_numbers_that_differ_are_told_apart(theirs: str) -> None:
    assert not agrees(theirs, "0.2189 0.0976")
    assert not agrees(theirs, "1 × 8 × 10 × 65")
    assert agrees(theirs, theirs)


@pytest.mark.parametrize("code", [pytest.param(c, id=c.ours) for step in STEPS for c in step.code])
def test_ours_makes_the_shapes_of_their_example(code) -> None:
    own = ours(code.ours)
    assert (own.given, own.result) == (code.given, code.result)


def test_no_computation_is_left_over() -> None:
    assert {printed.ours for step in STEPS for printed in step.printed} == set(COMPUTATIONS)
    assert {code.ours for step in STEPS for code in step.code} == set(OURS)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_has_all_steps_of_a_document_with_links_and_corrections(open_link: Open, lang: str) -> None:
    say = Words(ROUTE, lang)
    for part in PARTS:
        app = open_link(ROUTE, open=part, lang=lang)
        assert not app.exception
        written = "\n".join(block.value for block in app.main.markdown)
        listed = steps_of(part)
        assert [box.label for box in app.checkbox] == [f"**{step.at(lang)}**" for step in listed]
        assert re.findall(r"\]\(([^)]+)\)", written) == [step.link(lang) for step in listed]
        for step in listed:
            if step.corrected:
                assert say("correction", text=step.correction(lang)) in written
            assert all(computed(printed.ours) in written for printed in step.printed)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_tick_is_counted_and_kept_in_the_tab(open_link: Open, lang: str) -> None:
    say, part = Words(ROUTE, lang), DOCUMENTS[1]
    app = open_link(ROUTE, open=part, lang=lang)
    assert progress(app) == say("progress", done=0, all=len(STEPS))
    app.checkbox[0].check().run()
    assert not app.exception
    app.checkbox[1].check().run()
    assert progress(app) == say("progress", done=2, all=len(STEPS))
    counted = say("of_document", title=document_title(part, lang), done=2, all=len(steps_of(part)))
    assert any(counted in block.value for block in app.markdown)
    app.checkbox[0].uncheck().run()
    assert progress(app) == say("progress", done=1, all=len(STEPS))
    assert [box.value for box in app.checkbox] == [False, True, False]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_their_code_stands_beside_ours(open_link: Open, lang: str) -> None:
    app = open_link(ROUTE, open="code", lang=lang)
    assert not app.exception
    written = "\n".join(block.value for block in app.main.markdown).replace("\u00a0", " ")
    for step in STEPS:
        for code in step.code:
            own = ours(code.ours)
            theirs = f"`{code.signature}` | {code.given} → {code.result}"
            assert f"| {theirs} | `{own.signature}` | {own.given} → {own.result} |" in written


@pytest.mark.parametrize("gone", [{"chapter": "gone"}, {"section": "gone"}])
def test_a_step_whose_experiment_is_not_there_says_so(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, gone: dict[str, Any]
) -> None:
    lost, *others = steps_of("first_look")
    lost = replace(lost, **gone)
    monkeypatch.setattr(steps, "steps_of", lambda part: (lost, *others))
    app = open_link(ROUTE, open="first_look", lang="en")
    assert not app.exception
    written = "\n".join(block.value for block in app.main.markdown)
    assert Words(ROUTE, "en")("away", what=f"{lost.chapter}: {lost.section}") in written
    assert written.count("](") == len(others)


@pytest.mark.parametrize("model", ["own", "run", "nonsense"])
def test_a_step_whose_model_is_not_there_opens_with_a_shipped_one(open_link: Open, model: str) -> None:
    step = replace(steps_of("forward_pass")[3], query="model=" + model + "&place=8")
    app = follow(open_link, step, "en")
    assert not app.exception
    assert app.title[0].value == title(step.chapter, "en")


def test_every_document_has_its_title_and_what_it_holds() -> None:
    texts = load(ROUTE)
    assert len({texts[f"{part}.title"]["zh"] for part in DOCUMENTS}) == 5
    assert all(texts[f"{part}.text"] for part in PARTS)
