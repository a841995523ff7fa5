"""Every scene of every story, with the models and sentences that readers bring: it fits, and what it says is so."""

import ast
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests.app.answers import wrong
from tests.app.boards import unexplained
from tests.app.conftest import ROOT, Open
from tests.app.telling import scenes_of, story_of, telling
from ui.figures.actors import NARROW, WIDE, Actor, Beat, Cloud, Curve, Dot, Grid, Line, Stage, Word, message
from ui.figures.letters import breadth
from ui.sections.story import sentence
from ui.settings.chapters import STORIES
from ui.settings.fields import Settings
from ui.settings.frame import Frame
from ui.text import LANGUAGES, Words

MOST_WORDS, LONGEST_ZH = 40, 90  # of a sentence, English and Chinese
SCENES = range(3, 9)
TWENTY = 24  # seconds that a story plays, at the most, besides reading
OUTSIDE = 4  # of the stage's units an actor may stand beyond its edge

# Models of several shapes, what they read, and a reader's own run.
READERS: dict[str, dict[str, str]] = {
    "newcomer": {"model": "translate"},
    "chinese": {"model": "translate", "src": "白色的猫睡觉"},
    "spanish": {"model": "spanish"},
    "from_spanish": {"model": "spanish_deep", "src": "¿dónde descansan esos estudiantes felices?"},
    "numbers": {"model": "trained"},
    "fresh": {"model": "fresh", "fresh": "7"},
    "one_word": {"model": "translate", "src": "cats"},
    "run": {"model": "run", "run": "N:2,h:1,scale:false,steps:2", "step": "2"},
}


def languages(chapter: str, reader: str) -> tuple[str, ...]:
    """Those in which it is told: both to a newcomer, Chinese of a Chinese sentence, else one after the other."""
    if reader in ("newcomer", "chinese"):
        return (*LANGUAGES,) if reader == "newcomer" else ("zh",)
    return ([*LANGUAGES][(STORIES.index(chapter) + [*READERS].index(reader)) % 2],)


def reach(actor: Any, stage: Stage) -> Iterator[tuple[float, float]]:
    """Points that an actor covers."""
    match actor:
        case Line(to_x=x, to_y=y):
            yield from ((actor.x, actor.y), (x, y))
        case Curve(points=points):
            yield from ((actor.x + float(x), actor.y + float(y)) for x, y in points)
        case Cloud(points=points, texts=texts, size=size):
            for (x, y), text in zip(points, texts, strict=True):
                wide = size * breadth(text) / 2
                yield from (
                    (actor.x + x - wide, actor.y + y - 0.5 * size),
                    (actor.x + x + wide, actor.y + y + 0.5 * size),
                )
        case Dot(radius=radius):
            yield from ((actor.x - radius, actor.y - radius), (actor.x + radius, actor.y + radius))
        case Word(text=text, size=size, align=align, value=value):
            wide = size * breadth(text if value is None else "−0.00")
            left = actor.x - {"left": 0.0, "center": 0.5, "right": 1.0}[align] * wide
            yield from ((left, actor.y - 0.5 * size), (left + wide, actor.y + 0.5 * size))
        case _:
            yield from ((actor.x, actor.y), (actor.x + actor.width, actor.y + actor.height))


def beyond(beats: tuple[Beat, ...], stage: Stage) -> list[str]:
    """The actors that stand outside the stage."""
    return sorted({
        actor.name for beat in beats for actor in beat.actors if actor.opacity > 0
        for x, y in reach(actor, stage)
        if not (-OUTSIDE <= x <= stage.width + OUTSIDE and -OUTSIDE <= y <= stage.height + OUTSIDE)
    })  # fmt: skip


def covered(actor: Actor, stage: Stage) -> tuple[float, float, float, float]:
    """The ends of the rectangle that an actor covers: left, right, top, bottom."""
    xs, ys = zip(*reach(actor, stage))
    return min(xs), max(xs), min(ys), max(ys)


def away(place: tuple[float, float, float, float], x: float, y: float) -> float:
    """From this point to a rectangle."""
    left, right, top, bottom = place
    return math.hypot(max(left - x, 0, x - right), max(top - y, 0, y - bottom))


def missed(beat: Beat, stage: Stage) -> list[str]:
    """The arrows that end at one of several actors of a kind, such as `token 2`, while another one is set off as the
    chosen one."""
    ends = [actor for actor in beat.actors if isinstance(actor, Word | Dot) and actor.opacity > 0.5]
    arrows = [actor for actor in beat.actors if isinstance(actor, Line) and actor.arrow]
    kind = {actor.name: actor.name.rpartition(" ")[0] for actor in ends}
    place = {actor.name: covered(actor, stage) for actor in ends} if arrows else {}
    at = {arrow.name: min(ends, key=lambda one: away(place[one.name], arrow.to_x, arrow.to_y)) for arrow in arrows}
    lone = Counter(kind[one.name] for one in at.values())
    found = []
    for arrow, one in at.items():
        alike = [other for other in ends if kind[other.name] == kind[one.name]]
        chosen = [other for other in alike if other.color == "chosen"]
        chosen = chosen or [other for other in alike if isinstance(other, Word) and other.weight == 600]
        if kind[one.name] and lone[kind[one.name]] == 1 and 0 < len(chosen) < len(alike) and one not in chosen:
            found.append(f"{arrow} ends at {one.name}, and not at {chosen[0].name}")
    return found


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("chapter", STORIES)
def test_every_scene_fits_its_stage_says_one_sentence_and_its_arrows_end_at_the_chosen_one(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, chapter: str, reader: str
) -> None:
    for lang in languages(chapter, reader):
        page, _, scenes = telling(chapter, open_link, monkeypatch, lang=lang, **READERS[reader])
        assert len(scenes) in SCENES
        played = 0.0
        for scene, wide, narrow in scenes:
            said = re.sub(r"<[^>]+>", "", unexplained(sentence(page, scene, wide)))
            length = len(said.split()) if lang == "en" else len(said)
            assert length <= (MOST_WORDS if lang == "en" else LONGEST_ZH), said
            assert said == re.sub(r"<[^>]+>", "", unexplained(sentence(page, scene, narrow))), (
                "one sentence for both stages"
            )
            assert wide.origin, "a scene names what it shows"
            assert beyond(wide.beats, WIDE) == [] == beyond(narrow.beats, NARROW), scene.name
            for told, stage in ((wide, WIDE), (narrow, NARROW)):
                assert [found for beat in told.beats for found in missed(beat, stage)] == [], scene.name
            played += sum(beat.glide + beat.rest for beat in wide.beats)
            assert message(wide.beats)
            kind = page.kind
            for settings in (wide.settings, *(beat.settings for one in (wide, narrow) for beat in one.beats)):
                unknown = [name for name in settings if name not in {**named(kind), **named(Frame)}]
                assert unknown == [], "take over sets what a link can say"
                for which in (kind, Frame):
                    link = {name: value for name, value in settings.items() if name in named(which)}
                    read = which.from_query(link)
                    for name, value in link.items():
                        setting = named(which)[name]
                        assert which.kinds()[setting].format(getattr(read, setting)) == value, f"{name}={value}"
        assert played <= TWENTY, f"{played:.1f} s"


@pytest.mark.parametrize("reader", [name for name in READERS if name not in ("newcomer", "numbers")])
@pytest.mark.parametrize("chapter", STORIES)
def test_a_second_version_suits_any_model_and_sentence_or_is_not_asked(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, chapter: str, reader: str
) -> None:
    lang = languages(chapter, reader)[0]
    _, values, scenes = telling(chapter, open_link, monkeypatch, lang=lang, **READERS[reader])
    (inquiry,) = (scene.asks for scene, _, _ in scenes if scene.asks)
    say = Words(chapter, "zh")
    for seed in (1, 2):
        again = inquiry.version(values, seed)
        if again is not None:
            assert again.right in again.options
            assert len({again.label(say, option) for option in again.options}) == len(again.options)
            assert "{{" not in again.text(say, "question") + again.text(say, "right")


def named(kind: type[Settings]) -> dict[str, str]:
    """What links call each setting."""
    return {called: name for name, names in kind.names().items() for called in names}


@pytest.mark.parametrize("chapter", STORIES)
def test_a_reply_is_explained_in_the_scene_that_asks(open_link: Open, chapter: str) -> None:
    asking = [(at, scene.asks) for at, scene in enumerate(scenes_of(chapter), 1) if scene.asks]
    assert asking
    say = Words(chapter, "en")
    for at, inquiry in asking:
        question, why = inquiry.asks
        for reply, key in {question.right: f"{question.name}.right", **wrong(question)}.items():
            replies = {question.name: reply, why.name: why.right}
            app = open_link(chapter, open="", lang="en", model="translate", scene=str(at), **replies)
            said = [box.value for box in (*app.success, *app.error)]
            assert any(say(key) in text for text in said), (reply, said)


@pytest.mark.parametrize("chapter", STORIES)
def test_a_story_opens_a_chapter_and_a_link_with_settings_does_not(open_link: Open, chapter: str) -> None:
    app = open_link(chapter, model="", open="", lang="en")
    assert app.query_params["scene"] == "1"
    assert "scene" not in open_link(chapter, open="", model="trained").query_params
    beyond_the_last = open_link(chapter, open="", scene="99", model="translate")
    assert any("99" in info.value for info in beyond_the_last.info)


@pytest.mark.parametrize("text", ["-1", "1000", "x", "1e3", "", "99999999999999999999999"])
def test_a_scene_that_is_no_number_is_none(open_link: Open, text: str) -> None:
    app = open_link(STORIES[0], open="", model="trained", scene=text)
    assert not app.exception
    assert "scene" not in app.query_params


def test_grids_keep_one_scale_between_scenes() -> None:
    """What glides from one grid to another of the same name is compared: its colours mean the same."""
    grid = Grid("a", 0, 0, 2, 1, [[0.123456789, float("nan")]], shares=True)
    (said,) = message([Beat((grid,))])[0]["actors"]
    assert said["values"] == [0.123, None], "a thousandth of a scale from 0 to 1 is less than its colours show"
    assert said["rows"] == 1


@pytest.mark.parametrize(("end", "sent"), [(0.02, [0.01235, -0.00001]), (3.0, [0.012, 0.0]), (4000.0, [0.0, 0.0])])
def test_a_cell_is_sent_with_the_digits_that_its_colour_shows(end: float, sent: list[float]) -> None:
    values = [[0.0123456789, -0.00001234]]
    (shades,) = message([Beat((Grid("a", 0, 0, 2, 1, values, end=end),))])[0]["actors"]
    assert shades["values"] == sent
    (written,) = message([Beat((Grid("a", 0, 0, 2, 1, values, end=end, digits=2),))])[0]["actors"]
    assert written["values"] == [0.012346, -1.234e-05], "a number that is written has all of its digits"


def test_two_actors_of_one_name_are_refused() -> None:
    one = Word(name="a", x=0, y=0, text="a")
    with pytest.raises(ValueError, match="a name is one actor's: a"):
        Beat((one, one))


ELSEWHERE = {"why_attention"}  # whose poster is of attention, and whose question of recurrence


@pytest.mark.parametrize("chapter", sorted(set(STORIES) - ELSEWHERE))
def test_a_story_opens_before_its_question_is_answered(chapter: str) -> None:
    told = story_of(chapter)
    assert told.poster <= next(at for at, scene in enumerate(told.scenes) if scene.asks)


def test_a_size_that_differs_between_the_stages_is_a_pair() -> None:
    """`stage.of(20, 14)`, and not a condition of its own at each place; what is told may depend on the stage."""
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"
        for file in sorted(ROOT.glob("ui/chapters/*/story*.py"))
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.IfExp) and "wide" in ast.unparse(node.test) and _sized(node.body, node.orelse)
    ]
    assert found == []


def _sized(*nodes: ast.expr) -> bool:
    """Whether they are made of numbers alone."""
    parts = [part for node in nodes for part in ast.walk(node)]
    numbers = [isinstance(part.value, int | float) for part in parts if isinstance(part, ast.Constant)]
    return all(numbers) and not any(isinstance(part, ast.Name | ast.Call | ast.JoinedStr) for part in parts)
