"""Beam search: its tree, and which of the finished outputs wins."""

import numpy as np
import streamlit as st

from transformer_core import Beam, beam_search, length_penalty
from ui.canvas.tree import tree
from ui.chapters.shared.begun import OWN, Tokens
from ui.chapters.shared.output import reads
from ui.chapters.ways.searched import to_search
from ui.chapters.ways.values import beam_of, beam_program
from ui.figures import tree as drawing
from ui.figures.beams import ends_board
from ui.figures.figure import Figure
from ui.figures.tree import Kind, Twig
from ui.frame.chapter import Chapter, draw_again
from ui.page import controls
from ui.page.typed import typed
from ui.showing import show

PRUNED = (2, 4)  # branches of a turn that did not stay and are drawn: at least and at most
ENDS = 6  # finished outputs that are listed
LIST = ("ends", "sum", "length", "penalty", "normalised", "output")


def beam(chapter: Chapter) -> None:
    at_hand, say, src = chapter.at_hand, chapter.say, typed(chapter, "src")
    left, right = st.columns(2)
    with left:
        width = controls.number(chapter, "width")
    with right:
        alpha = controls.slider(chapter, "alpha", step=0.1)
    begun = to_search(chapter, src)
    if begun is None:
        return
    if width > len(at_hand.target):
        st.info(say("wide", width=width, vocab=len(at_hand.target)))
    found = beam_of(at_hand, src, width, alpha, begun)
    winner = found.finished(alpha)[0]
    _tree(chapter, found, winner, src, begun)
    _ends(chapter, found, src, begun)
    chapter.write("beam.see", "beam.formula", "beam.why")


def _tree(chapter: Chapter, found: Beam, winner: int, src: Tokens, begun: Tokens) -> None:
    say, at_hand, settings = chapter.say, chapter.at_hand, chapter.settings
    twigs = _twigs(chapter, found, winner, len(begun))
    alt = say("beam.alt", output=reads(at_hand, found.output(winner)))
    svg = drawing.tree(twigs, alt, settings.node or None)
    place = tree(svg, key="ways.tree", hint=say("beam.hint"))
    way = np.array([[found.nodes[at].log_prob, found.nodes[at].score] for at in found.way(winner)])
    shown = (
        f"way = [beam.nodes[at] for at in beam.way(beam.finished({settings.alpha:g})[0])]\n"
        "shown = torch.tensor([[node.log_prob, node.score] for node in way])\n"
    )
    figure = Figure(
        "tree",
        (),
        (),
        f"beam.nodes · {len(found.nodes)} · {at_hand.provenance('generator.log_probs', len(at_hand.target))}",
        way,
        ["ln p", "s"],
        code=[beam_search],
        program=beam_program(at_hand, src, settings.width, settings.alpha, begun, shown),
    )
    show.close(chapter, figure)
    if place is not None and place < len(found.nodes):
        chapter.put("node", place)
        turn = found.nodes[place].turn - len(begun)
        if turn >= 1:
            chapter.put("beam_turn", turn)
        draw_again()


def _twigs(chapter: Chapter, found: Beam, winner: int, begun: int) -> list[Twig]:
    """The nodes that are drawn: all that stayed, and of those that did not the best of each turn."""
    named, won = chapter.at_hand.target.every, {0, *found.way(winner)}
    most = min(max(chapter.settings.width, PRUNED[0]), PRUNED[1])
    drawn = set(range(begun + 1))
    for turn in found.turns:
        pruned = sorted(
            (at for at in turn.children if found.nodes[at].fate == "pruned"), key=lambda at: -found.nodes[at].score
        )
        drawn |= {at for at in turn.children if found.nodes[at].fate != "pruned"} | set(pruned[:most])
    (start,) = chapter.at_hand.target.labels(found.output(0))
    twigs = []
    for at in sorted(drawn):
        node = found.nodes[at]
        kind: Kind = "won" if at in won else "pruned" if node.fate == "pruned" else "kept"
        name = start if at == 0 else f"{OWN} {named[node.token]}" if at <= begun else named[node.token]
        words = " ".join(named[found.nodes[one].token] for one in found.way(at))
        parts = " + ".join(f"{-found.nodes[one].log_prob:.3f}" for one in found.way(at))
        added = f"{words}: −({parts}) = {drawing.log_prob(node.score, 3)}" if at else ""
        twigs.append(Twig(at, node.parent, node.turn, name, node.score, kind, added))
    return twigs


def _ends(chapter: Chapter, found: Beam, src: Tokens, begun: Tokens) -> None:
    """The finished outputs, the best first."""
    at_hand, say, alpha = chapter.at_hand, chapter.say, chapter.settings.alpha
    ends = found.finished(alpha)[:ENDS]
    ways = [[found.nodes[at].log_prob for at in found.way(end)] for end in ends]
    longest = max(map(len, ways))
    padded = np.array([[*way, *[0.0] * (longest - len(way))] for way in ways])
    lengths = [found.nodes[end].turn for end in ends]
    ranks = [str(rank) for rank in range(1, len(ends) + 1)]
    shown = (
        f"ends = beam.finished({alpha:g})[:{ENDS}]\n"
        "shown = torch.tensor([\n"
        "    [beam.nodes[at].score, beam.nodes[at].turn, beam.nodes[at].score / beam.normalised(at, "
        f"{alpha:g}), beam.normalised(at, {alpha:g})]\n"
        "    for at in ends\n"
        "], dtype=torch.float64)\n"
    )
    figure = Figure(
        "ends",
        ends_board(padded, lengths, alpha, ranks, {name: say(f"label.{name}") for name in LIST}),
        say("beam.ends_alt", output=reads(at_hand, found.output(ends[0]))),
        at_hand.provenance("beam.finished", len(ends)),
        columns=[say(f"label.{name}") for name in LIST[1:5]],
        code=[length_penalty, Beam.finished],
        program=beam_program(at_hand, src, chapter.settings.width, alpha, begun, shown),
    )
    left, right = st.columns([2, 3])
    with left:
        st.markdown("\n".join(f"{rank}. {reads(at_hand, found.output(end))}" for rank, end in zip(ranks, ends)))
    with right:
        show.show(chapter, figure)
