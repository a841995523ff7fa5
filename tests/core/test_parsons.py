"""Functions of the core as mixed-up lines: what is right, what each wrong line breaks, and what nobody may send."""

import ast
import inspect
import math
import random
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from transformer_core.attention import attention
from transformer_core.exercises.parsons import PUZZLES
from transformer_core.exercises.parsons.assembly import (
    DEEPEST,
    Assembly,
    Placed,
    assembled,
    checked,
    misplaced,
    read,
    right,
    source,
    written,
)
from transformer_core.exercises.parsons.judge import judge
from transformer_core.exercises.parsons.puzzle import Distractor, Puzzle
from transformer_core.positions import position_code
from transformer_core.verify.samples import vectors

EVERY = [(puzzle, line) for puzzle in PUZZLES.values() for line in puzzle.distractors]
LINES = [(puzzle, line.name) for puzzle in PUZZLES.values() for line in puzzle.lines]
MODULES = {"torch", "math"}


def of(puzzle: str, *names: str, **levels: int) -> Assembly:
    """Lines by their names, at the core's levels or others."""
    lines = {line.name: line for line in PUZZLES[puzzle].lines}
    kinds = {line.name: line.instead for line in PUZZLES[puzzle].distractors}
    levels = {name: lines[kinds.get(name, name)].indent for name in names} | levels
    return tuple(Placed(PUZZLES[puzzle].place(name), levels[name]) for name in names)


def with_distractor(puzzle: Puzzle, line: Distractor) -> Assembly:
    return of(puzzle.name, *(line.name if each.name == line.instead else each.name for each in puzzle.lines))


def without(puzzle: Puzzle, name: str) -> Assembly:
    return of(puzzle.name, *(each.name for each in puzzle.lines if each.name != name))


@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES)
def test_the_lines_of_the_core_in_its_order_keep_every_law(puzzle: Puzzle) -> None:
    verdict = judge(puzzle, right(puzzle))
    assert verdict.kind == "right", verdict
    assert [one.law for one in verdict.measured] == [law.name for law in puzzle.laws]
    assert all(one.held for one in verdict.measured)


@pytest.mark.parametrize(("puzzle", "line"), EVERY, ids=[f"{puzzle.name}-{line.name}" for puzzle, line in EVERY])
def test_a_line_from_a_bug_breaks_the_law_that_it_names_and_is_named(puzzle: Puzzle, line: Distractor) -> None:
    verdict = judge(puzzle, with_distractor(puzzle, line))
    assert (verdict.kind, verdict.name) == ("slip" if line.law in ("raised", "endless") else "law", line.law)
    assert verdict.cause == line.name
    assert all(one.held for one in verdict.measured if one.law != line.law)


@pytest.mark.parametrize(("puzzle", "name"), LINES, ids=[f"{puzzle.name}-{name}" for puzzle, name in LINES])
def test_every_line_is_needed(puzzle: Puzzle, name: str) -> None:
    assert judge(puzzle, without(puzzle, name)).kind != "right"


@pytest.mark.parametrize(
    ("puzzle", "names"),
    [
        ("masks", "size real ahead return"),
        ("greedy", "ys memory while mask decoded log_probs choice append return"),
        ("smoothing", "share padding answer return"),
        ("update", "for zero_grad out log_probs total loss backward step"),
        ("update", "for out log_probs zero_grad total loss backward step"),
    ],
)
def test_lines_that_do_not_need_each_other_may_stand_in_either_order(puzzle: str, names: str) -> None:
    verdict = judge(PUZZLES[puzzle], of(puzzle, *names.split()))
    assert verdict.kind == "right", verdict


def test_a_line_that_is_of_no_use_is_no_mistake() -> None:
    names = ["products", "unscaled", "scores", "masked", "weights", "return"]
    assert judge(PUZZLES["attention"], of("attention", *names)).kind == "right"


@pytest.mark.parametrize(
    ("puzzle", "names", "levels", "found"),
    [
        ("attention", "", {}, ("empty", None)),
        ("attention", "products scores", {"products": 1}, ("deeper", 0)),
        ("attention", "products scores", {"scores": 1}, ("deeper", 1)),
        ("greedy", "memory ys while", {}, ("hollow", 2)),
        ("greedy", "memory ys while return", {}, ("hollow", 2)),
        ("greedy", "while mask", {"mask": 2}, ("deeper", 1)),
        ("attention", "scores products masked weights return", {}, ("unset", 0)),
        ("attention", "products scores masked weights", {}, ("nothing", None)),
        ("greedy", "memory ys while mask decoded log_probs choice append return", {"append": 0}, ("endless", 2)),
        (
            "update",
            "for out log_probs total loss backward step zero_grad",
            {"step": 0, "zero_grad": 0},
            ("steps", None),
        ),
        ("update", "for out log_probs total loss backward zero_grad step", {}, ("first", None)),
        ("update", "for out log_probs total loss step backward zero_grad", {}, ("first", None)),
        ("update", "for out log_probs total loss backward step", {}, ("fresh", None)),
        ("greedy", "memory ys while mask decoded log_probs choice append return", {"return": 1}, ("length", None)),
    ],
)
def test_a_slip_has_its_name_and_its_line(
    puzzle: str, names: str, levels: dict[str, int], found: tuple[str, int | None]
) -> None:
    verdict = judge(PUZZLES[puzzle], of(puzzle, *names.split(), **levels))
    assert (verdict.name, verdict.at) == found


def test_the_numbers_of_a_verdict_are_those_that_a_hand_would_find() -> None:
    steps, share = vectors(5, 6), 1 / math.sqrt(6)
    weights = (steps @ vectors(7, 6, seed=1).T * share).softmax(-1)[:, :5].sum(-1)  # two of seven keys are paddings
    verdict = judge(PUZZLES["attention"], of("attention", *["products", "scores", "masked", "late", "return"]))
    row = int((weights - 1).abs().argmax())
    assert verdict.values == {"row": row, "sum": pytest.approx(float(weights[row]), rel=1e-6)}
    verdict = judge(PUZZLES["smoothing"], of("smoothing", *["share", "certain", "padding", "return"]))
    assert verdict.values == {"row": 0, "sum": pytest.approx(1.1, abs=1e-6)}  # the answer, and five others' 0.1 / 5
    verdict = judge(PUZZLES["masks"], of("masks", *["size", "itself", "real", "return"]))
    assert verdict.values == {"sentence": 0, "row": 0, "word": 0}


def test_the_right_assembly_computes_the_very_numbers_of_the_core() -> None:
    q, k, v, mask = vectors(5, 6), vectors(7, 6, seed=1), vectors(7, 4, seed=2), torch.arange(7).expand(5, 7) < 4
    ours = assembled(PUZZLES["attention"], right(PUZZLES["attention"]))(q, k, v, mask, -1e9)
    for given, wanted in zip(ours, attention(q, k, v, mask)):
        assert torch.equal(given, wanted)
    code = assembled(PUZZLES["positions"], right(PUZZLES["positions"]))(50, 16, 10000.0, torch.float32)
    assert torch.equal(code, position_code(50, 16))


def fits(pattern: Any, node: Any) -> bool:
    """Whether a part of a program has the form of another: a name stands for anything but a module or a function."""
    if isinstance(pattern, ast.Name) and pattern.id not in MODULES:
        return isinstance(node, ast.expr)
    if isinstance(pattern, ast.expr_context):
        return True
    if isinstance(pattern, list):
        return isinstance(node, list) and len(pattern) == len(node) and all(map(fits, pattern, node))
    if not isinstance(pattern, ast.AST):
        return bool(pattern == node)
    if type(pattern) is not type(node):
        return False
    called = [call.func for call in (pattern, node) if isinstance(call, ast.Call)]
    if called and isinstance(called[0], ast.Name) and ast.dump(called[0]) != ast.dump(called[1]):
        return False
    for field, value in ast.iter_fields(pattern):
        other = getattr(node, field)
        if field == "keywords":  # the core may say on which device
            if not all(any(fits(one, each) for each in other) for one in value):
                return False
        elif not fits(value, other):
            return False
    return True


def forms(code: str) -> Iterator[ast.AST]:
    """What a line computes, where that is more than a name."""
    (function,) = ast.parse(f"def f():\n {code}{' pass' if code.endswith(':') else ''}").body
    assert isinstance(function, ast.FunctionDef)
    (statement,) = function.body
    value: ast.AST | None
    match statement:
        case ast.Assign(targets=[ast.Name()]) | ast.Expr() | ast.Return():
            value = statement.value
        case ast.While():
            value = statement.test
        case ast.For():
            value = statement.iter
        case _:
            value = statement
    parts: list[Any] = value.elts if isinstance(value, ast.Tuple) else [value]
    yield from (part for part in parts if not isinstance(part, ast.Name))


@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES)
def test_every_line_stands_in_the_sources_of_the_core(puzzle: Puzzle) -> None:
    modules = {inspect.getmodule(function) for function in puzzle.core}
    nodes = [node for module in modules if module for node in ast.walk(ast.parse(inspect.getsource(module)))]
    for line in puzzle.lines:
        for form in forms(line.code):
            assert any(fits(form, node) for node in nodes), line.code
    wrong = [line.code for line in puzzle.distractors if line.name in ("axis", "next", "growing", "first")]
    assert not any(fits(form, node) for code in wrong for form in forms(code) for node in nodes)


@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES)
def test_a_puzzle_fits_its_notation_and_no_two_lines_are_alike(puzzle: Puzzle) -> None:
    assert len(puzzle.every) <= 16  # one digit to base 16
    assert len({line.code for line in puzzle.every}) == len({line.name for line in puzzle.every}) == len(puzzle.every)
    assert max(line.indent for line in puzzle.lines) <= DEEPEST
    assert sorted(puzzle.mixed(3)) == list(range(len(puzzle.every)))
    assert puzzle.mixed(3) == puzzle.mixed(3) != puzzle.mixed(4)
    assert read(puzzle, written(right(puzzle))) == right(puzzle)
    assert {line.instead for line in puzzle.distractors} <= {line.name for line in puzzle.lines}
    assert {line.law for line in puzzle.distractors} <= {"raised", "endless", *(law.name for law in puzzle.laws)}


@pytest.mark.parametrize(
    "pairs",
    [
        None, 5, "00", {}, [[0]], [[0, 0, 0]], [0, 0], [["0", "0"]], [[0.0, 0]], [[True, 0]], [[0, True]], [[-1, 0]],
        [[11, 0]], [[0, -1]], [[0, 4]], [[0, 0], [0, 1]], [[0, 0]] * 40, [["__import__('os')", 0]], [[10**30, 0]],
        [[float("inf"), 0]], [[None, None]], ["00"],
    ],
)  # fmt: skip
def test_what_is_no_assembly_is_none(pairs: object) -> None:
    assert checked(PUZZLES["attention"], pairs) is None


@pytest.mark.parametrize(
    "text", ["0", "00 ", "0g", "-100", "b0", "0004", "0001", "٠٠", "00" * 400, "<script>", "import os;"]
)
def test_a_text_that_is_no_assembly_is_none(text: str) -> None:
    assert read(PUZZLES["attention"], text) is None


def test_only_fixed_lines_are_ever_in_the_source() -> None:
    for puzzle in PUZZLES.values():
        known = {puzzle.header, *(line.code for line in puzzle.every)}
        assert {line.strip() for line in source(puzzle, right(puzzle)).splitlines()} <= known


@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES)
def test_whatever_is_put_together_has_a_verdict(puzzle: Puzzle) -> None:
    chance = random.Random(puzzle.name)
    kinds = set()
    for _ in range(40):
        places = chance.sample(range(len(puzzle.every)), chance.randrange(len(puzzle.every) + 1))
        assembly, level = [], 0
        for place in places:  # mostly levels that Python allows
            assembly.append(Placed(place, level if chance.random() < 0.95 else chance.randrange(DEEPEST + 1)))
            level += puzzle.every[place].code.endswith(":") and level < DEEPEST
        verdict = judge(puzzle, tuple(assembly))
        kinds.add(verdict.name)
        if misplaced(puzzle, tuple(assembly)) is None:
            compile(source(puzzle, tuple(assembly)), "ours", "exec")
        assert verdict.at is None or 0 <= verdict.at < len(assembly)
    assert len(kinds) > 1
