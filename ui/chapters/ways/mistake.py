"""Greedy decoding beside a beam: where the likeliest token leads to an output that is less likely."""

import math

import streamlit as st

from transformer_core import beam_search, greedy_decode
from transformer_core.experiments.search_errors import search_errors
from ui.chapters.shared.forced_prefix import ForcedPrefix
from ui.chapters.shared.output import reads
from ui.chapters.ways.figures.beams import Output, compared_board
from ui.chapters.ways.searched import Search, Searching, searched
from ui.chapters.ways.values import greedy_of, logits_of, unsure_sentence
from ui.figures import Figure, number
from ui.sections import AnyChapter, Frame, Section, show

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
