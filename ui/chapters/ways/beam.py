"""Beam search: its tree, and which of the finished outputs wins."""

from functools import partial

import numpy as np
import streamlit as st

from transformer_core import Beam, beam_search, length_penalty
from ui.chapters.shared.forced_prefix import OWN, ForcedPrefix
from ui.chapters.shared.output import reads
from ui.chapters.ways.candidates import CandidatesSettings
from ui.chapters.ways.figures import tree as drawing
from ui.chapters.ways.figures.beams import ends_board
from ui.chapters.ways.figures.tree import Kind, Twig
from ui.chapters.ways.searched import Search, Searching, searched
from ui.figures import Drawing, Figure
from ui.sections import Chapter, Frame, Section, controls, show
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
