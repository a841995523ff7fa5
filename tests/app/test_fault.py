"""A fault hidden in the model at hand: said on every chapter, found in the numbers, told by no link."""

import re
from itertools import cycle
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from tests.app.boards import press
from tests.app.conftest import Open
from transformer_core.exercises.faults.evidence import against, statements
from transformer_core.exercises.faults.which_fault import FAULTS, fault_of
from ui.chapters.practice.clues import clues_of
from ui.figures.evaluated import errors
from ui.figures.figure import Figure
from ui.figures.number import number
from ui.model.current_model import model_at_hand, seed_of, source_of
from ui.model.recorded import recorded
from ui.model.shipped import FILES, shipped
from ui.settings.chapters import CHAPTERS, MAP, TEACHERS
from ui.settings.frame import Frame
from ui.text import LANGUAGES, Words

SEEDS = {fault_of(seed).name: seed for seed in range(12, 0, -1)}
EVERY = pytest.mark.parametrize("name", FAULTS)
OF_EACH = pytest.mark.parametrize("model", FILES)
BY_TURNS = pytest.mark.parametrize(("name", "model"), [*zip(FAULTS, cycle(FILES))])
SHELL, SAY = Words("shell", "en"), Words("practice", "en")


def hiding(open_link: Open, name: str, chapter: str = "practice", **query: str) -> AppTest:
    app = open_link(chapter, **{"open": "fault" if chapter == "practice" else "", "fault": str(SEEDS[name])} | query)
    assert not app.exception
    return app


def said(app: AppTest, name: str) -> str:
    """In the link."""
    value = app.query_params.get(name, "")
    return value if isinstance(value, str) else value[0]


def named(app: AppTest, name: str) -> None:
    (pills,) = [one for one in app.get("button_group") if one.key == "practice:fault_named"]
    pills.set_value(name).run()
    assert not app.exception


def sentences(app: AppTest, *kinds: str) -> list[str]:
    return [one.value for kind in kinds or ("success", "error") for one in getattr(app, kind)]


def evidence_of(model: str, name: str) -> Any:
    return clues_of(model_at_hand(Frame(model=model, fault=str(SEEDS[name]))), "en")


@pytest.mark.parametrize(("chapter", "lang"), [*zip([MAP, *CHAPTERS, TEACHERS], cycle(LANGUAGES))])
def test_every_chapter_says_that_a_fault_is_hidden(open_link: Open, chapter: str, lang: str) -> None:
    app, say = hiding(open_link, "scale", chapter, lang=lang), Words("shell", lang)
    assert say("fault.banner", seed=SEEDS["scale"]) in sentences(app, "info")
    press(app, "fault.healthy")
    assert say("fault.banner", seed=SEEDS["scale"]) not in sentences(app, "info")
    assert "fault" not in app.query_params


@BY_TURNS
def test_the_right_name_is_found_with_its_number_beside_the_healthy_one(
    open_link: Open, shown: list[Figure], name: str, model: str
) -> None:
    app = hiding(open_link, name, model=model)
    assert "evidence" not in [one.name for one in shown]
    named(app, name)
    here, healthy = evidence_of(model, name).numbers(name)
    told = SAY("fault.statement", number=SAY(f"fault.number.{name}"), here=number(here, 3), healthy=number(healthy, 3))
    assert sentences(app) == [SHELL("predict.right", answer=SAY(f"fault_named.option.{name}"), reason=told)]
    (figure,) = [one for one in shown if one.name == "evidence"]
    computed: dict[str, Any] = {}
    exec(figure.program, computed)
    np.testing.assert_allclose(computed["shown"].numpy(), figure.data, atol=1e-6)


@OF_EACH
@EVERY
def test_the_evidence_tells_the_model_at_hand_from_the_healthy_one(name: str, model: str) -> None:
    clues = evidence_of(model, name)
    of = statements(clues.at_hand.config.d_model, clues.at_hand.config.h)
    for statement in of:
        here, healthy = clues.numbers(statement)
        assert of[statement].holds(healthy)
        assert of[statement].holds(here) == (statement not in FAULTS[name].breaks)


@EVERY
def test_a_wrong_name_is_answered_by_a_number_that_does_not_fit(open_link: Open, name: str) -> None:
    app = hiding(open_link, name, model="translate")
    for other in list(FAULTS)[: 3 if name != "shift" else None]:
        if other == name:
            continue
        named(app, other)
        why = against(other, name)
        assert why is not None
        here, healthy = evidence_of("translate", name).numbers(why.statement)
        told = SAY(
            "fault.statement",
            number=SAY(f"fault.number.{why.statement}"),
            here=number(here, 3),
            healthy=number(healthy, 3),
        )
        assert sentences(app) == [SAY("fault.not_this" if why.holds else "fault.not_all", told=told)]


def test_the_first_name_stays_beside_the_right_one(open_link: Open) -> None:
    app = hiding(open_link, "mask")
    named(app, "axis")
    named(app, "mask")
    assert SHELL("predict.first", reply=SAY("fault_named.option.axis")) in sentences(app)[0]
    assert said(app, "fault_first") == "axis"


def test_who_asks_is_told(open_link: Open) -> None:
    app = hiding(open_link, "gain")
    app.toggle(key="practice.fault_named.show").set_value(True).run()
    assert any(f"**{SAY('fault_named.option.gain')}**" in one for one in sentences(app, "info"))


@EVERY
def test_no_link_and_no_program_tells_the_name(open_link: Open, shown: list[Figure], name: str) -> None:
    app = hiding(open_link, name)
    link = " ".join(f"{key}={said(app, key)}" for key in app.query_params)
    assert name not in re.findall(r"[a-z_]+", link.replace("model=", "").replace("src=", ""))
    assert f"fault={SEEDS[name]}" in link.split()
    hiding(open_link, name, "tokens")
    programs = [figure.program for figure in shown if "hidden(" in figure.program]
    assert programs
    assert not [program for program in programs if FAULTS[name].spoil.__name__ in program or f'"{name}"' in program]


@EVERY
def test_hints_come_one_by_one_and_lead_to_the_step_that_differs(open_link: Open, name: str) -> None:
    app = hiding(open_link, name, model="translate")
    hint = SAY(f"fault.hint.{name}")
    for given in range(4):
        assert any(hint in block.value for block in app.markdown) == (given > 0)
        assert [one.key for one in app.button].count("practice.fault.hint") == (given < 3)
        if given < 3:
            press(app, "practice.fault.hint")
    chapter, step = evidence_of("translate", name).walk_to_it()
    ways = [dict(parse_qsl(one.proto.query_string)) for one in app.get("page_link") if one.proto.page == chapter]
    assert any(way.get("place") == str(step["place"]) for way in ways)


def test_another_fault_is_another_one_and_nothing_is_named_yet(open_link: Open) -> None:
    app = hiding(open_link, "scale")
    named(app, "axis")
    press(app, "practice.fault.hint")
    press(app, "practice.fault.hide")
    seed = SEEDS["scale"] + 1
    assert said(app, "fault") == str(seed)
    assert sentences(app) == []
    assert said(app, "src") == source_of(seed, shipped("trained").config, "en")
    assert any(one.key == "practice.fault.hint" and "1" in one.label for one in app.button)


@pytest.mark.parametrize("model", ["trained", "translate", "fresh", "fresh_translate"])
def test_a_fault_is_hidden_in_the_shipped_model_of_the_readers_words(open_link: Open, model: str) -> None:
    app = open_link("practice", open="fault", model=model)
    press(app, "practice.fault.hide")
    kind = "translate" if "translate" in model else "trained"
    assert said(app, "fault") == "1"
    assert said(app, "model") in ("", kind)
    assert SHELL("fault.banner", seed=1) in sentences(app, "info")


def test_a_link_for_others_does_not_say_what_was_asked_or_told(open_link: Open) -> None:
    app = hiding(open_link, "axis", fault_named="axis", fault_first="mask", fault_hints="2")
    (pills,) = [one for one in app.get("button_group") if one.key == "practice.evidence.caption"]
    pills.set_value("link").run()
    links = [one.value for one in app.code if "fault=" in one.value]
    assert links
    assert not [link for link in links if re.search("fault_(named|hints|first)", link)]


@pytest.mark.parametrize(
    "given", ["abc", "0", "-3", "1e999", "1,5", "3/4", "7.0", "12345678901", "٧", "x" * 20, "²", "1_0"]
)
def test_what_is_no_number_of_a_fault_is_told_and_nothing_is_lost(open_link: Open, given: str) -> None:
    app = open_link("practice", open="fault", fault=given, src="1 5 2 7 9 3")
    assert not app.exception
    assert any("ten digits" in one for one in sentences(app, "warning"))
    assert any(SAY("fault.refused") in one.value for one in app.markdown)
    assert said(app, "src") == "1 5 2 7 9 3"
    assert said(app, "fault") == given
    assert seed_of(given) == 0


def test_a_number_of_ten_digits_hides_a_fault(open_link: Open) -> None:
    app = open_link("practice", open="fault", fault=" 9999999999 ")
    assert SHELL("fault.banner", seed=9_999_999_999) in sentences(app, "info")
    press(app, "practice.fault.hide")
    assert said(app, "fault") == "1"


def test_a_typed_number_hides_its_fault_and_a_typed_word_is_refused(open_link: Open) -> None:
    app = open_link("practice", open="fault")
    for typed, seed in (("12", 12), ("twelve", 0), ("13", 13), ("", 0)):
        (field,) = [one for one in app.text_input if one.key == "practice.fault.number"]
        field.set_value(typed).run()
        assert not app.exception
        assert said(app, "fault") == typed
        assert (SHELL("fault.banner", seed=seed) in sentences(app, "info")) == (seed > 0)
        assert any(SAY("fault.refused") in one.value for one in app.markdown) == (typed == "twelve")
    assert said(app, "src") == source_of(13, shipped("trained").config, "en")


def test_a_fault_is_not_hidden_in_another_model(open_link: Open) -> None:
    app = open_link("attention", open="", fault="5", model="fresh")
    assert SHELL("fault.elsewhere", seed=5) in sentences(app, "warning")
    assert model_at_hand(Frame(model="fresh", fault="5")) == model_at_hand(Frame(model="fresh"))


def test_a_name_or_a_count_of_hints_that_is_none_is_taken_for_nothing(open_link: Open) -> None:
    app = open_link("practice", open="fault", fault="3", fault_named="everything", fault_first="x", fault_hints="99")
    assert not app.exception
    assert sentences(app) == []


@EVERY
def test_readers_of_the_healthy_model_never_meet_the_fault(name: str) -> None:
    src, given = (1, 5, 2, 7, 9, 3), (1, 5, 2, 7, 9)
    faulty, healthy = model_at_hand(Frame(fault=str(SEEDS[name]))), model_at_hand(Frame())
    spoilt, whole = recorded(faulty, src, given), recorded(healthy, src, given)
    fresh = recorded(healthy, (*src, 4), given)
    assert faulty != healthy
    assert faulty.healthy == healthy
    assert any(not torch.equal(value, spoilt[path]) for path, value in whole.items())
    assert torch.equal(fresh["tgt_embed.0.rows"], whole["tgt_embed.0.rows"])


@pytest.mark.parametrize("part", ["code", "snippet"])
def test_code_and_program_say_that_they_are_of_a_healthy_model(open_link: Open, part: str) -> None:
    for fault in ("3", ""):
        app = open_link("attention", open="", model="translate", kind="encoder", stage="scores", fault=fault)
        (pills,) = [one for one in app.get("button_group") if one.key == "attention.stages.caption"]
        pills.set_value(part).run()
        assert not app.exception
        assert (SHELL(f"fault.{part}") in [one.value for one in app.caption]) == bool(fault)


@OF_EACH
def test_the_model_at_hand_can_be_compared_with_the_healthy_one(open_link: Open, model: str) -> None:
    app = hiding(open_link, "gain", "layers", model=model, compare=model, delta="encoder.layers.0.sublayer.0.norm.a_2")
    said = [block.value for block in app.markdown]
    assert SHELL("difference.same") not in said
    assert any(SHELL("difference.found", largest="", mean="", row="", column="")[:12] in one for one in said)


@pytest.mark.parametrize(("name", "model"), [*zip(("scale", "mask", "axis"), cycle(FILES))])
def test_a_model_that_is_broken_alike_does_not_differ(open_link: Open, name: str, model: str) -> None:
    for how in ("scale", "mask", "axis"):
        app = hiding(open_link, name, "layers", model=model, compare=how, delta="decoder.output")
        assert (SHELL("difference.same") in [block.value for block in app.markdown]) == (how == name)


SHOWING = {  # beside the walk, where a formula does not give the numbers of this model
    "scale": ("attention", {"kind": "encoder", "stage": "scores"}),
    "mask": ("attention", {"kind": "decoder", "stage": "masked"}),
    "axis": ("attention", {"kind": "encoder", "stage": "weights"}),
    "dropout": ("attention", {"kind": "encoder", "stage": "output"}),
    "merge": ("heads", {"only": "merge", "size": "64"}),
    "root": ("tokens", {"only": "lookup"}),
    "positions": ("positions", {"only": "sum"}),
}
BY_ITS_OWN_NUMBERS = {"gain", "tied"}  # what the walk's formula reads is as wrong as what it gives


def warned_of(app: AppTest) -> bool:
    """Whether the page says that a formula does not give the numbers."""
    before = SHELL("fault.formula", panels="|").partition("|")[0]
    return any(one.startswith(before) for one in sentences(app, "warning"))


def misfits(open_link: Open, figures: list[Figure], name: str, model: str, chapter: str, query: Any) -> set[str]:
    """The panels whose formula does not give their numbers, of which the page says so; with no fault there are none."""
    figures.clear()
    app = hiding(open_link, name, chapter, model=model, **query)
    off = {key for one in figures if one.board for key, error in errors(one.board).items() if error > 1e-4}
    assert warned_of(app) == bool(off)
    figures.clear()
    healthy = open_link(chapter, open="", model=model, src=said(app, "src"), **query)
    assert not warned_of(healthy)
    assert any(one.board for one in figures)
    assert all(error < 1e-4 for one in figures if one.board for error in errors(one.board).values())
    return off


@pytest.mark.parametrize(("name", "model"), [*zip(SHOWING, cycle(FILES))])
def test_where_a_formula_does_not_give_the_numbers_the_page_says_so(
    open_link: Open, shown: list[Figure], name: str, model: str
) -> None:
    assert misfits(open_link, shown, name, model, *SHOWING[name])


@BY_TURNS
def test_the_walk_shows_the_first_number_that_differs(
    open_link: Open, shown: list[Figure], name: str, model: str
) -> None:
    where, query = evidence_of(model, name).walk_to_it()
    off = misfits(open_link, shown, name, model, where, {key: str(value) for key, value in query.items()})
    assert bool(off) == (name not in BY_ITS_OWN_NUMBERS)


@pytest.mark.parametrize(("at", "chapter"), [*enumerate([MAP, *CHAPTERS])])
def test_a_chapter_can_be_read_with_faults(open_link: Open, at: int, chapter: str) -> None:
    """Each with two of them, which follow those of the chapter before: so each is met by several chapters."""
    names = [*FAULTS]
    for step in range(2 * at, 2 * at + 2):
        hiding(open_link, names[step % len(names)], chapter, model=("trained", "translate")[step % 2])
