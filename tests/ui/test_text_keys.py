"""Which texts the code asks for: none is missing, and none is left over.

Read from the sources, so with a limit: a key put together from parts, `say(f"kind.{kind}")`, counts as asked for if
each part is a string (or a name that becomes one) somewhere in the chapter's code; KNOWN_BY_NAME holds the few whose
parts are nowhere written. A text whose key is a common word may so pass as used.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.test_structure import ROOT, imported, module_name, our_sources
from ui.settings.chapters import BESIDE, CHAPTERS, MAP, QUESTIONS, ROUTE, page
from ui.settings.questions import ASKED
from ui.settings.route import STEPS
from ui.text import load

SHELL = "shell"
Pattern = tuple[str | None, ...]  # an f-string: its letters, and None where a value stands

KNOWN_BY_NAME = {
    MAP: {"count.src_embed", "count.tgt_embed"},  # the model's own names
    QUESTIONS: {f"{one.name}.{part}" for one in ASKED for part in ("question", "answer")},  # named by that very file
    ROUTE: {f"{step.name}.{part}" for step in STEPS for part in ("at", "see", *["correction"] * step.corrected)},
    "walkthrough": {"at.cross_query.title", "at.cross_query.text"},  # a stop's name before which "cross_" is put
    SHELL: {
        f"provenance.{word}" for word in ("dropout_seed", "warm-up", "clip")
    },  # found in the line by a regular expression
}


def named(path: Path) -> str:
    """As it is imported."""
    return module_name(path).removesuffix(".__init__")


@cache
def trees() -> dict[str, ast.Module]:
    """Of every module. Whoever only collects the tests parses none."""
    return {named(path): ast.parse(path.read_text(encoding="utf-8")) for path in our_sources()}


@cache
def imports() -> dict[str, set[str]]:
    ours = {named(path): imported(module_name(path), path.read_text(encoding="utf-8")) for path in our_sources()}
    return {module: {name for name in names if name in ours} for module, names in ours.items()}


@cache
def strings(module: str) -> tuple[set[str], set[Pattern]]:
    """What a module may make keys of: its strings, the words of `"a b".split()`, names of fields and of the functions
    that are scenes; and its f-strings."""
    found: set[str] = set()
    patterns: set[Pattern] = set()
    aside: set[ast.AST] = set()  # docstrings, and the letters of f-strings
    for node in ast.walk(trees()[module]):
        match node:
            case ast.Expr(value=ast.Constant() as docstring):
                aside.add(docstring)
            case ast.JoinedStr(values=values):
                aside.update(values)
                parts = tuple(str(part.value) if isinstance(part, ast.Constant) else None for part in values)
                if any(parts) and all(part is None or re.fullmatch(r"[\w.]+", part) for part in parts):
                    patterns.add(parts)
            case ast.Constant(value=str() as text) if node not in aside:
                found.add(text)
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as text), attr="split")):
                found.update(text.split())
            case ast.FunctionDef(name=name, returns=ast.Name(id="Told")):
                found.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.keyword(arg=str() as name):
                found.add(name)
    return found, patterns


def with_imports(modules: set[str]) -> set[str]:
    seen: set[str] = set()
    todo = [*modules]
    while todo:
        module = todo.pop()
        if module not in seen:
            seen.add(module)
            todo += imports()[module]
    return seen


def words_of(module: str) -> Iterator[tuple[str, str]]:
    """(variable, chapter) for each `variable = Words("chapter", ...)`; the variable is empty where it has no name."""
    for node in ast.walk(trees()[module]):
        match node:
            case ast.Assign(targets=targets, value=value):
                names = [name for target in targets for name in getattr(target, "elts", [target])]
                for name, given in zip(names, getattr(value, "elts", [value])):
                    if (chapter := chapter_of(given)) and isinstance(name, ast.Name):
                        yield name.id, chapter
            case ast.Call() | ast.Attribute() if chapter := chapter_of(node):
                yield "", chapter


def chapter_of(node: ast.AST) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id="Words"), args=[ast.Constant(value=str() as chapter), *_]):
            return chapter
        case ast.Attribute(value=ast.Name(id="chapter"), attr="shell"):
            return SHELL
    return None


@cache
def takers() -> dict[str, set[str]]:
    """Of each module, the chapters whose words it takes by name."""
    return {module: {chapter for _, chapter in words_of(module)} for module in trees()}


def page_of(chapter: str) -> str:
    return named(ROOT / page(chapter))


def code_of(chapter: str) -> set[str]:
    """The modules that speak for a chapter: its page, whoever takes its words by name, and all that these import."""
    if chapter == SHELL:
        return set(trees())
    return with_imports({page_of(chapter), *(module for module, taken in takers().items() if chapter in taken)})


def left_over(chapter: str, keys: set[str]) -> set[str]:
    """The keys that no string and no f-string of the chapter's code can be."""
    modules = code_of(chapter)
    atoms = set().union(*(strings(module)[0] for module in modules))
    patterns = set().union(*(strings(module)[1] for module in modules))

    @cache
    def made(key: str) -> bool:
        return key in atoms or key.isdigit() or any(fits(key, pattern) for pattern in patterns)

    def fits(key: str, pattern: Pattern) -> bool:
        if not pattern:
            return not key
        if pattern[0] is not None:
            return key.startswith(pattern[0]) and fits(key.removeprefix(pattern[0]), pattern[1:])
        return any(fits(key[end:], pattern[1:]) and made(key[:end]) for end in range(1, len(key) + 1))

    return {key for key in keys - KNOWN_BY_NAME.get(chapter, set()) if not made(key)}


def asked(module: str) -> Iterator[tuple[str, Pattern]]:
    """(who says it, key) for each text that is asked for by name: `say("size")`, `shell(f"matrix.{word}")`."""
    for node in ast.walk(trees()[module]):
        match node:
            case ast.Call(func=ast.Name(id=who), args=[key, *_]):
                pass
            case ast.Call(
                func=ast.Attribute(attr="say" | "write" as who, value=ast.Name(id="chapter")), args=[key, *_]
            ):
                pass
            case ast.Call(func=ast.Call() | ast.Attribute() as words, args=[key, *_]) if chapter_of(words):
                who = f"Words {chapter_of(words)}"
            case _:
                continue
        match key:
            case ast.Constant(value=str() as text):
                yield who, (text,)
            case ast.JoinedStr(values=parts):
                yield who, tuple(str(part.value) if isinstance(part, ast.Constant) else None for part in parts)


def missing(module: str, chapters: set[str]) -> list[str]:
    """What a module asks for by name and the texts do not hold; `chapters` are those whose pages use the module.

    Where several do, one that holds it is enough: a function may be handed another chapter's words.
    """
    named = {name: chapter for name, chapter in words_of(module) if name}
    faults = []
    for who, key in asked(module):
        if who.startswith("Words "):
            speaking = {who.removeprefix("Words ")}
        elif who in named:
            speaking = {named[who]}
        elif who in ("say", "write"):
            speaking = chapters
        else:
            continue
        if key[0] is None:  # what a control or a question adds to a name
            continue
        pattern = re.compile("".join(".+" if part is None else re.escape(part) for part in key))
        if not any(pattern.fullmatch(text) for chapter in speaking for text in load(chapter)):
            faults.append(f"asks {' or '.join(sorted(speaking))} for {key}")
    return faults


@pytest.mark.parametrize("chapter", [SHELL, MAP, *CHAPTERS, *BESIDE])
def test_no_text_is_left_over(chapter: str) -> None:
    assert left_over(chapter, set(load(chapter))) == set()


def test_a_text_that_nobody_asks_for_is_found() -> None:
    assert left_over("masks", {"nobody.asks", "title", "fill_with_option.nobody"}) == {
        "nobody.asks",
        "fill_with_option.nobody",
    }


def test_every_text_that_is_asked_for_by_name_is_there() -> None:
    used = {chapter: with_imports({page_of(chapter)}) for chapter in (MAP, *CHAPTERS, *BESIDE)}
    users = {module: {chapter for chapter, modules in used.items() if module in modules} for module in trees()}
    assert [f"{module} {fault}" for module, chapters in users.items() for fault in missing(module, chapters)] == []


def test_a_text_that_is_not_there_is_found() -> None:
    trees()["sample"] = ast.parse('shell = Words("shell", lang)\nshell("back")\nshell("no")\nsay("no")\nsay(f"no.{x}")')
    try:
        assert len(missing("sample", {"masks"})) == 3
    finally:
        del trees()["sample"]
