"""Lines put in order and indented: read from a link, checked, and made a function.

Nothing that is typed is executed: an assembly is places in a puzzle's fixed lines, each used once at the most.
"""

import ast
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from transformer_core.exercises.parsons.puzzle import Function, Puzzle

DEEPEST = 3  # levels of indentation
TURNS = 32  # of all loops of one call: more than any right assembly needs
FILE = "<assembly>"
_TURN = "turn of a loop"  # no line can name it
_PARSING = threading.Lock()  # Python 3.11 counts the depth of trees for all threads together


class Placed(NamedTuple):
    """A line of an assembly: its place in the puzzle's lines, and its level."""

    line: int
    indent: int


Assembly = tuple[Placed, ...]


class Stopped(Exception):
    """Why a function was ended, or has ended without a result: `endless`, `nothing`."""


class Misplaced(NamedTuple):
    """Why an assembly is no Python, and at which of its lines, counted from 0."""

    name: str  # empty, deeper, hollow
    at: int = 0


def checked(puzzle: Puzzle, pairs: object) -> Assembly | None:
    """The assembly that a list of (line, indent) is, if it is one: whole numbers in their ranges, no line twice."""
    if not isinstance(pairs, Sequence) or isinstance(pairs, str) or len(pairs) > len(puzzle.every):
        return None
    placed = []
    for pair in pairs:
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
            return None
        line, indent = pair
        if type(line) is not int or type(indent) is not int:
            return None
        if not (0 <= line < len(puzzle.every) and 0 <= indent <= DEEPEST):
            return None
        placed.append(Placed(line, indent))
    return tuple(placed) if len({one.line for one in placed}) == len(placed) else None


def read(puzzle: Puzzle, text: str) -> Assembly | None:
    """An assembly as `written`: two digits to a line, its place (to base 16) and its level. None if it is none."""
    if len(text) % 2 or not all(sign in "0123456789abcdef" for sign in text):
        return None
    return checked(puzzle, [(int(text[at], 16), int(text[at + 1], 16)) for at in range(0, len(text), 2)])


def written(assembly: Assembly) -> str:
    return "".join(f"{line:x}{indent}" for line, indent in assembly)


def right(puzzle: Puzzle) -> Assembly:
    """The core's own order."""
    return tuple(Placed(at, line.indent) for at, line in enumerate(puzzle.lines))


def misplaced(puzzle: Puzzle, assembly: Assembly) -> Misplaced | None:
    """What keeps the lines from being Python, whose only rule here is where a line may be deeper than the last."""
    if not assembly:
        return Misplaced("empty")
    level, opens = 0, False
    for at, (line, indent) in enumerate(assembly):
        if opens and indent <= level:
            return Misplaced("hollow", at - 1)
        if indent > level + opens:
            return Misplaced("deeper", at)
        level, opens = indent, puzzle.every[line].code.endswith(":")
    return Misplaced("hollow", len(assembly) - 1) if opens else None


def source(puzzle: Puzzle, assembly: Assembly) -> str:
    """The function as Python: line n of the assembly, counted from 0, is line n + 2."""
    lines = [puzzle.header, *(4 * (1 + indent) * " " + puzzle.every[line].code for line, indent in assembly)]
    return "\n".join(lines) + "\n"


def assembled(puzzle: Puzzle, assembly: Assembly) -> Function:
    """The function that the lines make; one whose loops do not end raises Stopped. SyntaxError if it is misplaced."""
    with _PARSING:
        tree = ast.parse(source(puzzle, assembly), FILE)
    (made,) = tree.body
    assert isinstance(made, ast.FunctionDef)
    for node in ast.walk(made):
        if isinstance(node, ast.While | ast.For):
            counted = ast.Expr(ast.Call(ast.Name(_TURN, ast.Load()), [], []))
            node.body.insert(0, ast.fix_missing_locations(ast.copy_location(counted, node)))
    names: dict[str, Any] = dict(puzzle.names)
    exec(compile(tree, FILE, "exec"), names)
    function = names[made.name]

    def bounded(*args: Any) -> Any:
        left = iter(range(TURNS))

        def turn() -> None:
            if next(left, None) is None:
                raise Stopped("endless")

        names[_TURN] = turn
        return function(*args)

    return bounded
