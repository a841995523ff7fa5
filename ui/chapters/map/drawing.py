"""The map's drawing of figure 1, with all that it plays and says; or with nothing in it, where nothing can be read."""

from collections.abc import Iterable, Sequence

import numpy as np

from ui.chapters.map.figures.figure_one import Block, Thumbnail, arrows, blocks, figure_one
from ui.chapters.map.figures.playing import Spoken, Threads, TokenRow, message
from ui.chapters.map.figures.written import Column, written
from ui.chapters.map.tale import ATTENTION, Play, tale, unread
from ui.chapters.shared.forward.stops import stops
from ui.figures import Drawing, percent
from ui.figures.markup import Markup
from ui.model import ModelAtHand
from ui.sections import AnyChapter

SEEN = 0.005  # a probability below this is not listed beside the likeliest
LABELS = ("times", "inputs", "outputs", "probabilities", "alt")
WORDS = ("play", "pause", "back", "on", "speed", "place", "player", "turn", "encoder", "waits", "wrote")
NONE = Thumbnail(np.zeros((1, 1, 1), np.uint8), "signed", 1.0, 1)


def blocks_of(at_hand: ModelAtHand, S: int | str, T: int | str) -> list[Block]:
    config = at_hand.config
    sizes = {name: getattr(config, name) for name in ("d_model", "d_ff", "h", "N")}
    at = {stop.path: index for index, stop in enumerate(stops(at_hand.load()))}
    return blocks(sizes, config.vocab, config.tgt_vocab, S, T, at)


def playing(chapter: AnyChapter, drawn: list[Block], played: Play, src: tuple[int, ...]) -> Drawing:
    say, at_hand = chapter.say, chapter.at_hand
    S, T = len(src), len(played.given)
    source = _line(chapter, at_hand.source.labels(src))
    read = _line(chapter, at_hand.target.labels(played.given))
    # After a first token, for a 1 in front would be called the start symbol
    wrote = _line(chapter, at_hand.target.labels((*played.given[:1], *played.written))[1:])
    sentence = written(
        Column(say("play.reads"), source.tokens, source.glosses),
        Column(say("play.writes"), wrote.tokens, wrote.glosses),
        [percent(chance, 1) for chance in played.chances],
        played.looks,
        say("play.alt", source=" ".join(source.tokens), output=" ".join(wrote.tokens)),
    )
    every = at_hand.target.every
    turns = [
        " · ".join(f"{every[token]} {percent(chance, 1)}" for token, chance in zip(*turn) if chance >= SEEN)
        for turn in zip(played.likeliest, played.probabilities)
    ]
    story = tale(chapter, drawn, played, src)
    threads = {key: Threads(played.weights[key].mean(0), story.told[key]) for key in ATTENTION}
    of_threads = dict.fromkeys(ATTENTION, say("play.mean", h=at_hand.config.h))
    if story.link:
        threads["encoder"] = Threads(played.weights["encoder"][story.link.head], story.told["encoder"])
        of_threads["encoder"] = say("play.head", head=story.link.head)
    threads["masked"] = Threads(threads["masked"].rows[:1, :1], story.told["masked"])  # they are seen in turn 1 alone
    texts = _texts(chapter, drawn, S, T)
    told = _told(chapter, drawn, played.pictures, S, T, texts)
    named = {name: say(f"play.{name}", turn="{turn}", T=T) for name in WORDS}
    named["note"] = say(
        "play.note" if at_hand.config.N == 1 else "play.note_layers", h=at_hand.config.h, layer=at_hand.config.N - 1
    )
    later = _told(chapter, blocks_of(at_hand, S, "{t}"), played.pictures, S, "{t}", texts, of_threads)
    still = [story.still.get(block.key, "") if block.side == "decoder" else "" for block in drawn]
    spoken = Spoken(story.beats, later, still, named)
    svg = figure_one(drawn, arrows(drawn, S, T), texts, [". ".join(lines) for lines in told])
    lines = source, read, wrote
    turned = list(zip(wrote.tokens, turns))
    return Drawing(svg, "map", message(sentence, drawn, played.pictures, turned, lines, threads, spoken))


def empty(chapter: AnyChapter, typed: Sequence[tuple[str, bool]]) -> Drawing:
    """With the reader's words below it, of which some are unknown, and nothing in it."""
    say, at_hand = chapter.say, chapter.at_hand
    drawn = blocks_of(at_hand, "S", "T")
    texts, pictures = _texts(chapter, drawn, "S", "T"), [NONE] * len(drawn)
    tokens, unknown = [word[:40] for word, _ in typed[:40]], [not known for _, known in typed[:40]]
    source = Column(say("play.reads"), tokens, unknown=unknown)
    output = Column(say("play.writes"), ())
    why = unread(chapter, typed)
    sentence = written(source, output, (), np.zeros((0, len(tokens))), " ".join(tokens))
    told = _told(chapter, drawn, pictures, "S", "T", texts)
    named = {name: say(f"play.{name}", turn="{turn}", T=0) for name in WORDS} | {"note": ""}
    svg = figure_one(drawn, arrows(drawn, "S", "T"), texts, [". ".join(lines) for lines in told])
    lines = TokenRow(tokens, unknown=unknown), TokenRow(()), TokenRow(())
    spoken = Spoken([why], told, [Markup("")] * len(drawn), named)
    return Drawing(svg, "map", message(sentence, drawn, pictures, (), lines, {}, spoken))


def _line(chapter: AnyChapter, tokens: list[str]) -> TokenRow:
    return TokenRow(tokens, [chapter.glosses.get(token, "") for token in tokens])


def _texts(chapter: AnyChapter, drawn: Iterable[Block], S: int | str, T: int | str) -> dict[str, str]:
    names = (*LABELS, *(block.key for block in drawn))
    return {name: chapter.say(f"block.{name}", N=chapter.at_hand.config.N, S=S, T=T) for name in names}


def _told(
    chapter: AnyChapter,
    drawn: list[Block],
    pictures: Sequence[Thumbnail],
    S: int | str,
    T: int | str,
    texts: dict[str, str],
    threads: dict[str, str] | None = None,
) -> list[tuple[str, str, str]]:
    """Of each block its name, the shapes of what goes in and out, and what its picture shows."""
    say, ways, told = chapter.say, arrows(drawn, S, T), []
    for index, (block, picture) in enumerate(zip(drawn, pictures)):
        given = ", ".join(way.carries for way in ways if way.end == index and way.kind != "again")
        path = f"exp({block.path})" if block.key == "softmax" else block.path
        shown = f"{path} · {block.pictured}"
        if picture.every > 1:
            shown += f" · {say('play.every', every=picture.every)}"
        if picture is not NONE and len(picture.values) < chapter.at_hand.config.h and block.chapter == "attention":
            shown += f" · {say('play.heads', last=len(picture.values) - 1)}"
        if threads and block.key in threads:
            shown += f" · {threads[block.key]}"
        told.append((texts[block.key], say("play.flow", given=given, leaves=block.leaves), shown))
    return told
