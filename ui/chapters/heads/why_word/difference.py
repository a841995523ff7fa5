"""Why the model writes this word and not that one: what each head, network and vector adds to the difference."""

import math
from functools import partial

import numpy as np
import streamlit as st
import torch

from transformer_core.experiments.contributions import Addends, Contributions, contributions
from ui import state
from ui.chapters.heads.alignment.sentences import HeadAlignmentSettings
from ui.chapters.heads.why_word import board
from ui.chapters.heads.why_word.board import Parts, contributions_board
from ui.chapters.shared.attention_values import recording
from ui.figures import Figure, number
from ui.inputs.sequence import TypedSequences
from ui.model import ModelAtHand, recorded
from ui.sections import AnyChapter, Chapter, Section, alone, controls, show
from ui.settings.chapters import page
from ui.settings.fields import Settings, whole

KINDS = ("decoder", "cross")  # of attention, in the order of a decoder layer


def _rows(of: Addends) -> board.VectorContributions:
    return board.VectorContributions(*(side.flatten(0, -2).numpy() for side in of))


def parts_of(found: Contributions) -> Parts:
    biases, norms = _rows(found.biases), _rows(found.norm_biases)
    both = board.VectorContributions(*(np.concatenate(sides) for sides in zip(biases, norms)))
    generator = found.generator_biases.numpy()
    return Parts(_rows(found.heads), _rows(found.inputs), _rows(found.feed_forward), both, generator)


def rows_of(chapter: AnyChapter, found: Contributions) -> dict[str, list[str]]:
    say, layers = chapter.say, range(len(found.feed_forward.vectors))
    short = [f"{say(f'short.{kind}')} {layer}" for layer in layers for kind in KINDS]
    networks = [say("why_word.network", layer=layer) for layer in layers]
    in_order = [name for layer in layers for name in (*short[2 * layer : 2 * layer + 2], networks[layer])]
    count = len(found.norm_biases.vectors)
    norms = [say("why_word.norm", of=name) for name in in_order] if count >= len(in_order) else []  # post-norm
    norms += [say("why_word.last_norm")] if count > len(norms) else []
    return {
        "heads": short,
        "vectors": [say("why_word.embedding"), say("why_word.position"), *networks],
        "biases": [*in_order, *norms, say("why_word.generator")],
        "sums": [say(f"why_word.sum_{name}") for name in ("heads", "vectors", "biases", "all")],
    }


def largest(chapter: AnyChapter, found: Contributions, rows: dict[str, list[str]]) -> tuple[str, float]:
    say, heads = chapter.say, found.heads.contributions
    named = {
        say("why_word.head", kind=say(f"kind.{kind}"), layer=layer, head=head): float(heads[layer, at, head])
        for layer in range(len(heads))
        for at, kind in enumerate(KINDS)
        for head in range(heads.shape[2])
    }
    parts = parts_of(found)
    named |= dict(zip(rows["vectors"], parts.vectors.tolist()))
    biases = [say("why_word.bias", of=name) for name in rows["biases"]]
    named |= dict(zip(biases, parts.all_biases.tolist()))
    return max(named.items(), key=lambda part: abs(part[1]))


MOST = 700.0  # of which exp is still a number


class WhyWord(Settings):
    why_row: int = whole(3, 0, 98)  # of the decoder
    why_rival: int = whole(0, 0, 999)  # in the order of their logits, after the likeliest token


@Section("why_word", settings=WhyWord, cell="why_cell=heads.1.0", sets=(HeadAlignmentSettings,), text="text", why="why")
def why_word(chapter: Chapter[WhyWord]) -> None:
    say, at_hand, sequences = chapter.say, chapter.at_hand, chapter.typed
    names = at_hand.target.every
    left, right = st.columns(2)
    with left:
        row = controls.one_of(chapter, "why_row", sequences.steps)
    trace = recorded(at_hand, sequences.src, sequences.given)
    ranked = torch.argsort(trace["generator.logits"][0, row], descending=True, stable=True).tolist()
    with right:
        rivals = [say("why_word.rank", rank=rank, word=names[token]) for rank, token in enumerate(ranked[1:], 2)]
        token, rival = ranked[0], ranked[1 + controls.named(chapter, "why_rival", rivals)]
    found = contributions(at_hand.load(), trace, row, token, rival)
    rows = rows_of(chapter, found)
    figure = Figure(
        "why_word",
        contributions_board(parts_of(found), rows, say),
        at_hand.provenance("generator.logits", *trace["generator.logits"][0].shape),
        code=(contributions,),
        program=_program(at_hand, sequences, row, token, rival),
        alt=say("why_word.alt", word=names[token], rival=names[rival]),
    )
    cell = show(chapter, figure)
    _summary(chapter, sequences.steps[row], names[token], names[rival], found, largest(chapter, found, rows))
    norms = len(found.norm_biases.vectors)
    if norms:
        chapter.write("why_word.held_post" if norms > 1 else "why_word.held", norms=norms)
    if cell and cell[0] == "heads":
        _ways_on(chapter, KINDS[cell[1] % 2], cell[1] // 2, cell[2], row)


def _summary(
    chapter: Chapter[WhyWord], step: str, word: str, rival: str, found: Contributions, most: tuple[str, float]
) -> None:
    part, value = most
    chapter.write(
        "why_word.difference",
        step=step,
        word=word,
        rival=rival,
        logit=number(float(found.logits[0])),
        rival_logit=number(float(found.logits[1])),
        difference=number(found.difference),
        times=number(_times(found.difference)),
    )
    chapter.write("why_word.largest", part=part, value=number(abs(value), 3), word=word if value > 0 else rival)
    chapter.write("why_word.remainder", total=number(found.total, 7), remainder=number(found.remainder, 2))


def _times(difference: float) -> float:
    """How often as likely, to as many digits as exp has of a difference of four; logits of a run gone astray may be
    further apart than any number says."""
    return float(f"{math.exp(difference):.2g}") if difference < MOST else math.inf


def _ways_on(chapter: Chapter[WhyWord], kind: str, layer: int, head: int, row: int) -> None:
    say = chapter.say
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(
            page("attention"),
            label=say("why_word.link"),
            icon=":material/zoom_in:",
            query_params=state.query("attention", kind=kind, layer=layer, head=head),
        )
        if kind == "cross" and not alone(chapter):
            st.button(
                say("why_word.look"),
                icon=":material/visibility:",
                type="tertiary",
                on_click=chapter.then(partial(_align, chapter, layer, head, row)),
            )


def _align(chapter: Chapter[WhyWord], layer: int, head: int, row: int) -> None:
    for name, value in {"align_layer": layer, "align_head": head, "align_word": row}.items():
        chapter.of(HeadAlignmentSettings).put(name, value)


def _program(at_hand: ModelAtHand, sequences: TypedSequences, row: int, token: int, rival: int) -> str:
    """What each head adds to the difference of two logits: a row per attention of the decoder."""
    return (
        f"{recording(at_hand, sequences)}from transformer_core.experiments.contributions import contributions\n\n"
        f"found = contributions(model, trace, {row}, {token}, {rival})\n"
        "print(found.difference, found.total, found.remainder)\n"
        "shown = found.heads.contributions.flatten(0, 1)\nprint(shown)\n"
    )
