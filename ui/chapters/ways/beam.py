"""Beam search: its tree and which output wins; and greedy decoding, which finds a less likely one."""

import math
from functools import partial

import numpy as np
import streamlit as st

from transformer_core import Beam, beam_search, greedy_decode, length_penalty
from transformer_core.experiments.search_errors import search_errors
from ui.chapters.shared.forced_prefix import OWN, ForcedPrefix
from ui.chapters.shared.output import reads
from ui.chapters.ways.candidates import CandidatesSettings, Search, Searching, searched
from ui.chapters.ways.figures import tree as drawing
from ui.chapters.ways.figures.beams import Output, compared_board, ends_board
from ui.chapters.ways.figures.tree import Kind, Twig
from ui.chapters.ways.values import greedy_of, logits_of, unsure_sentence
from ui.figures import Drawing, Figure, number
from ui.sections import AnyChapter, Chapter, Frame, Section, controls, show
from ui.settings.fields import by_click, whole

PRUNED = (2, 4)  # branches of a turn that did not stay and are drawn: at least and at most
ENDS = 6  # finished outputs that are listed
LIST = ("ends", "sum", "length", "penalty", "normalised", "output")


class Tree(Searching):
    node: int = by_click(whole(0, 0, 9999))


@Section(
    "beam", settings=Tree, cell="end_cell", reads=(CandidatesSettings, ForcedPrefix, Frame), look="open", text="text"
)
def beam(chapter: Chapter[Tree]) -> None:
    left, right = st.columns(2)
    with left:
        width = controls.number(chapter, "width")
    with right:
        controls.slider(chapter, "alpha", step=0.1)
    search = searched(chapter)
    if search is None:
        return
    vocab = len(chapter.at_hand.target)
    if width > vocab:
        st.info(chapter.say("wide", width=width, vocab=vocab))
    _tree(chapter, search)
    _ends(chapter, search)
    chapter.write("beam.see", "beam.formula", "beam.why")


def _tree(chapter: Chapter[Tree], search: Search) -> None:
    say, at_hand, found = chapter.say, chapter.at_hand, search.found
    alt = say("beam.alt", output=reads(at_hand, found.output(search.winner)))
    svg = drawing.tree(_twigs(chapter, search), alt, chapter.settings.node or None)
    shown = (
        f"way = [found.nodes[at] for at in found.way(found.finished({search.alpha:g})[0])]\n"
        "shown = torch.tensor([[node.log_prob, node.score] for node in way])\n"
    )
    figure = Figure(
        "tree",
        Drawing(svg, "tree", told=say("beam.hint")),
        f"Beam.nodes · {len(found.nodes)} · {at_hand.provenance('generator.log_probs', len(at_hand.target))}",
        np.array([[found.nodes[at].log_prob, found.nodes[at].score] for at in found.way(search.winner)]),
        ["ln p", "s"],
        code=[beam_search],
        program=search.program(shown),
        alt=alt,
    )
    show(chapter, figure, on_pick=chapter.then(partial(_choose, chapter, search)))


def _choose(chapter: Chapter[Tree], search: Search, place: int) -> None:
    """A node of the tree, and with it the turn of the search in which it was found."""
    if place < len(search.found.nodes):
        chapter.put("node", place)
        turn = search.found.nodes[place].turn - len(search.prefix)
        if turn >= 1:
            chapter.of(CandidatesSettings).put("beam_turn", turn)


def _twigs(chapter: Chapter[Tree], search: Search) -> list[Twig]:
    """The nodes that are drawn: all that stayed, and of those that did not the best of each turn."""
    found, target, prefix = search.found, search.at_hand.target, len(search.prefix)
    named, won = target.every, {0, *found.way(search.winner)}
    most = min(max(search.width, PRUNED[0]), PRUNED[1])
    drawn = set(range(prefix + 1))
    for turn in found.turns:
        pruned = sorted(
            (at for at in turn.children if found.nodes[at].fate == "pruned"), key=lambda at: -found.nodes[at].score
        )
        drawn |= {at for at in turn.children if found.nodes[at].fate != "pruned"} | set(pruned[:most])
    (start,) = target.labels(found.output(0))
    twigs = []
    for at in sorted(drawn):
        node = found.nodes[at]
        kind: Kind = "won" if at in won else "pruned" if node.fate == "pruned" else "kept"
        name = start if at == 0 else f"{OWN} {named[node.token]}" if at <= prefix else named[node.token]
        gloss = chapter.glosses.get(named[node.token])
        words = " ".join(named[found.nodes[one].token] for one in found.way(at))
        parts = " + ".join(f"{-found.nodes[one].log_prob:.3f}" for one in found.way(at))
        added = f"{words}: −({parts}) = {drawing.log_prob(node.score, 3)}" if at else ""
        twigs.append(Twig(at, node.parent, node.turn, name, node.score, kind, added, gloss))
    return twigs


def _ends(chapter: Chapter[Tree], search: Search) -> None:
    at_hand, say, alpha, found = chapter.at_hand, chapter.say, search.alpha, search.found
    ends = found.finished(alpha)[:ENDS]
    ways = [[found.nodes[at].log_prob for at in found.way(end)] for end in ends]
    longest = max(map(len, ways))
    padded = np.array([[*way, *[0.0] * (longest - len(way))] for way in ways])
    lengths = [found.nodes[end].turn for end in ends]
    ranks = [str(rank) for rank in range(1, len(ends) + 1)]
    shown = (
        f"ends = found.finished({alpha:g})[:{ENDS}]\n"
        "shown = torch.tensor([\n"
        "    [found.nodes[at].score, found.nodes[at].turn, found.nodes[at].score / found.normalised(at, "
        f"{alpha:g}), found.normalised(at, {alpha:g})]\n"
        "    for at in ends\n"
        "], dtype=torch.float64)\n"
    )
    figure = Figure(
        "ends",
        ends_board(padded, lengths, alpha, ranks, {name: say(f"label.{name}") for name in LIST}),
        at_hand.provenance("Beam.finished", len(ends)),
        columns=[say(f"label.{name}") for name in LIST[1:5]],
        code=[length_penalty, Beam.finished],
        program=search.program(shown),
        alt=say("beam.ends_alt", output=reads(at_hand, found.output(ends[0]))),
    )
    left, right = st.columns([2, 3])
    with left:
        st.markdown("\n".join(f"{rank}. {reads(at_hand, found.output(end))}" for rank, end in zip(ranks, ends)))
    with right:
        show(chapter, figure)


LABELS = ("greedy", "beam", "sum", "length", "penalty", "normalised", "token")


@Section("mistake", cell="greedy_cell", reads=(Searching, ForcedPrefix, Frame), text="text")
def mistake(chapter: AnyChapter) -> None:
    unsure_sentence(chapter)
    search = searched(chapter)
    if search is not None:
        _figure(chapter, search)
    if chapter.at_hand.kind == "translate":
        chapter.write("mistake.searched")


def _figure(chapter: AnyChapter, search: Search) -> None:
    at_hand, say = chapter.at_hand, chapter.say
    alone, winner = greedy_of(at_hand, search.src, search.prefix), search.found.output(search.winner)
    outputs = {"greedy": _output(search, alone), "beam": _output(search, winner)}
    labels = {name: say(f"label.{name}", width=search.width) for name in LABELS}
    shown = (
        f"best = found.finished({search.alpha:g})[0]\n"
        "shown = torch.tensor([[found.nodes[at].log_prob for at in found.way(best)]])\n"
    )
    figure = Figure(
        "greedy",
        compared_board(outputs, search.alpha, labels),
        at_hand.provenance("generator.logits", len(winner) - 1, len(at_hand.target)),
        columns=outputs["beam"].names,
        code=[greedy_decode, beam_search, search_errors],
        program=search.program(shown),
        alt=say("mistake.alt", greedy=reads(at_hand, alone), beam=reads(at_hand, winner)),
    )
    show(chapter, figure)
    scores = {name: float(output.log_probs.sum()) for name, output in outputs.items()}
    key = "same" if alone == winner else "mended" if scores["beam"] > scores["greedy"] else "shorter"
    values: dict[str, object] = {name: number(score, 4) for name, score in scores.items()}
    values |= {f"{name}_share": _share(math.exp(score)) for name, score in scores.items()}
    values |= {"greedy_reads": reads(at_hand, alone), "beam_reads": reads(at_hand, winner)}
    parted = next((at for at, pair in enumerate(zip(alone, winner)) if pair[0] != pair[1]), 0)
    named = at_hand.target.every
    values |= {"turn": parted, "one": named[alone[parted]], "other": named[winner[parted]]}
    chapter.write(f"mistake.{key}", **values)
    if key == "same" and math.exp(scores["beam"]) > 0.5:
        st.markdown(say("mistake.half"))


def _share(probability: float) -> str:
    """`21.4%`; what would be written as nothing as a power of ten."""
    return f"{probability:.1%}" if probability >= 5e-4 else number(probability, 2)


def _output(search: Search, output: list[int]) -> Output:
    (logits,) = logits_of(search.at_hand, search.src, (tuple(output[:-1]),))
    return Output(logits, output[1:], search.at_hand.target.labels(output)[1:])
