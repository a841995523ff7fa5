"""Why the model writes this word and not that one: what each head, network and vector adds to the difference."""

import math

import numpy as np
import streamlit as st
import torch

from transformer_core.experiments.contributions import Addends, Contributions, contributions
from ui import address
from ui.chapters.heads.programs import contributions_snippet
from ui.figures import contributions as drawing
from ui.figures.contributions import Labels, Parts, contributions_board
from ui.figures.figure import Figure
from ui.figures.number import number
from ui.frame.chapter import Chapter
from ui.model.recorded import recorded
from ui.page import controls
from ui.page.sections import alone
from ui.reading.sequences import Sequences
from ui.settings.chapters import page
from ui.showing.show import show

KINDS = ("decoder", "cross")  # of attention, in the order of a decoder layer
MOST = 700.0  # of which exp is still a number


def why_word(chapter: Chapter, sequences: Sequences) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    names = at_hand.target.every
    left, right = st.columns(2)
    with left:
        row = controls.one_of(chapter, "why_row", sequences.steps)
    trace = recorded(at_hand, sequences.src, sequences.given)
    ranked = torch.argsort(trace["generator.logits"][0, row], descending=True, stable=True).tolist()
    with right:
        rivals = [say("why_word.rank", rank=rank, word=names[token]) for rank, token in enumerate(ranked[1:], 2)]
        token, rival = ranked[0], ranked[1 + controls.named(chapter, "why_rival", rivals)]
    found = contributions(at_hand.model, trace, row, token, rival)
    parts, labels = _parts(found), _labels(chapter, found)
    figure = Figure(
        "why_word",
        contributions_board(parts, labels),
        say("why_word.alt", word=names[token], rival=names[rival]),
        at_hand.provenance("generator.logits", *trace["generator.logits"][0].shape),
        code=(contributions,),
        program=contributions_snippet(at_hand, sequences, row, token, rival),
    )
    cell = show(chapter, figure).chosen
    _summary(chapter, sequences.steps[row], names[token], names[rival], found, _largest(chapter, found, labels))
    norms = len(found.norm_biases.vectors)
    if norms:
        chapter.write("why_word.held_post" if norms > 1 else "why_word.held", norms=norms)
    if cell and cell[0] == "heads":
        _ways_on(chapter, KINDS[cell[1] % 2], cell[1] // 2, cell[2], row)


def _rows(of: Addends) -> drawing.Addends:
    return drawing.Addends(*(side.flatten(0, -2).numpy() for side in of))


def _parts(found: Contributions) -> Parts:
    biases, norms = _rows(found.biases), _rows(found.norm_biases)
    both = drawing.Addends(*(np.concatenate(sides) for sides in zip(biases, norms)))
    generator = found.generator_biases.numpy()
    return Parts(_rows(found.heads), _rows(found.inputs), _rows(found.feed_forward), both, generator)


def _labels(chapter: Chapter, found: Contributions) -> Labels:
    say, layers = chapter.say, range(len(found.feed_forward.vectors))
    short = [f"{say(f'short.{kind}')} {layer}" for layer in layers for kind in KINDS]
    networks = [say("why_word.network", layer=layer) for layer in layers]
    in_order = [name for layer in layers for name in (*short[2 * layer : 2 * layer + 2], networks[layer])]
    count = len(found.norm_biases.vectors)
    norms = [say("why_word.norm", of=name) for name in in_order] if count >= len(in_order) else []  # post-norm
    norms += [say("why_word.last_norm")] if count > len(norms) else []
    rows = {
        "heads": short,
        "vectors": [say("why_word.embedding"), say("why_word.position"), *networks],
        "biases": [*in_order, *norms, say("why_word.generator")],
        "sums": [say(f"why_word.sum_{name}") for name in ("heads", "vectors", "biases", "all")],
    }
    titles = {key: say(f"why_word.{key}") for key in rows}
    return Labels(rows, titles, say("layer_axis"), say("head_axis"))


def _largest(chapter: Chapter, found: Contributions, labels: Labels) -> tuple[str, float]:
    """The part that adds most, either way, in words."""
    say, heads = chapter.say, found.heads.contributions
    named = {
        say("why_word.head", kind=say(f"kind.{kind}"), layer=layer, head=head): float(heads[layer, at, head])
        for layer in range(len(heads))
        for at, kind in enumerate(KINDS)
        for head in range(heads.shape[2])
    }
    parts = _parts(found)
    named |= dict(zip(labels.rows["vectors"], parts.vectors.tolist()))
    biases = [say("why_word.bias", of=name) for name in labels.rows["biases"]]
    named |= dict(zip(biases, parts.all_biases.tolist()))
    return max(named.items(), key=lambda part: abs(part[1]))


def _summary(
    chapter: Chapter, step: str, word: str, rival: str, found: Contributions, largest: tuple[str, float]
) -> None:
    part, value = largest
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


def _ways_on(chapter: Chapter, kind: str, layer: int, head: int, row: int) -> None:
    """From a head that is chosen: into its stages and, in cross-attention, to what it looks at."""
    say = chapter.say
    with st.container(horizontal=True):
        st.page_link(
            page("attention"),
            label=say("why_word.link"),
            icon=":material/zoom_in:",
            query_params=address.query("attention", kind=kind, layer=layer, head=head),
        )
        if kind == "cross" and not alone(chapter):
            pressed = st.button(
                say("why_word.look"),
                icon=":material/visibility:",
                type="tertiary",
                on_click=_align,
                args=(chapter, layer, head, row),
            )
            if pressed:
                address.run_again()  # the lines are drawn elsewhere on the page


def _align(chapter: Chapter, layer: int, head: int, row: int) -> None:
    for name, value in {"align_layer": layer, "align_head": head, "align_word": row}.items():
        chapter.put(name, value)
