"""What is known of which word stands for which, and how both boards of heads name their rows."""

import numpy as np
import streamlit as st
from torch import Tensor

from transformer_core.experiments.alignment import reference_alignment
from transformer_core.tasks import OwnPairs
from ui.chapters.heads.alignment.board import AlignmentCounts
from ui.chapters.shared.attention_values import recording
from ui.chapters.shared.look_lines import task_of
from ui.chapters.shared.model_program import model_snippet, task_snippet
from ui.figures import number
from ui.inputs.sequence import TypedSequences
from ui.model import ModelAtHand
from ui.sections import AnyChapter


def reference_of(chapter: AnyChapter, sequences: TypedSequences) -> Tensor | None:
    """(T, S) bool; None if the task knows nothing of this pair."""
    task = task_of(chapter.at_hand)
    if task is None or not sequences.predicted:
        return None
    return reference_alignment(task, sequences.src, (*sequences.given[:1], *sequences.predicted))


def unknown(chapter: AnyChapter) -> None:
    task, shell = task_of(chapter.at_hand), chapter.shell
    if task is None:
        st.info(shell("task_unknown"))
    elif isinstance(task, OwnPairs):
        st.info(shell("pairs_unknown"))
    else:
        st.info(chapter.say("alignment.unknown"))


def rows_of(chapter: AnyChapter) -> list[str]:
    """The names of the rows: `layer·head`, then what all of them find together, then chance."""
    say, config = chapter.say, chapter.at_hand.config
    heads = [f"{layer}·{head}" for layer in range(config.N) for head in range(config.h)]
    return [*heads, say("alignment.some"), say("alignment.chance")]


def summary(chapter: AnyChapter, looks: AlignmentCounts, key: str, **more: object) -> None:
    shares = looks.shares
    best = int(np.argmax(shares[:-2]))
    values = {
        "best": rows_of(chapter)[best],
        "share": f"{shares[best]:.0%}",
        "some": f"{shares[-2]:.0%}",
        "chance": f"{shares[-1]:.0%}",
        "words": int(looks.words.sum()),
        "entropy": number(float(looks.entropies[best]), 3),
    }
    chapter.write(key, **(values | more))


def row_in_words(
    chapter: AnyChapter, sequences: TypedSequences, weights: np.ndarray, reference: Tensor | None, query: int
) -> None:
    """An output word: where the head looks most, and what it stands for."""
    source, output, key = sequences.sources, sequences.answers[query], int(weights[query].argmax())
    chapter.write("alignment.pair", output=output, source=source[key], weight=number(float(weights[query, key]), 3))
    if reference is not None:
        aligned = [source[at] for at in reference[query].nonzero()[:, 0].tolist()]
        counts = "alignment.reference" if aligned else "alignment.reference_none"
        chapter.write(counts, output=output, aligned=chapter.shell("comma").join(aligned))


def looks_snippet(at_hand: ModelAtHand, sequences: TypedSequences) -> str:
    """Where each head, a row, looks at an aligned word, a column each; below, whether any does, and chance."""
    target = [*sequences.given[:1], *sequences.predicted]
    return (
        f"{recording(at_hand, sequences)}"
        "from transformer_core.experiments.alignment import chance, reference_alignment, looks_at_reference\n"
        f"{task_snippet(at_hand)}"
        f"reference = reference_alignment(task, src[0].tolist(), {target})\n"
        f"paths = [f'decoder.layers.{{layer}}.src_attn' for layer in range({at_hand.config.N})]\n"
        "weights = torch.cat([trace[f'{path}.weights'][0] for path in paths])\n"
        "right, keys = looks_at_reference(weights, reference), int((src != 0).sum())\n"
        "shown = torch.cat([right, right.any(0, keepdim=True), chance(reference, keys)[None]])\n"
        "print(shown)\n"
    )


def many_looks_snippet(at_hand: ModelAtHand, count: int) -> str:
    """Of how many words each head looks at an aligned one; below, any head, and chance."""
    return (
        f"{model_snippet(at_hand)}from transformer_core.experiments.alignment import words_looked_at\n"
        f"{task_snippet(at_hand)}"
        f"found = words_looked_at(model.eval(), task, {count})\n"
        "right = found.right.flatten(0, 1)\n"
        "rows = torch.cat([right, right.any(0, keepdim=True), found.chance[None]])\n"
        "shown = rows.double().mean(-1, keepdim=True)\n"
        "print(shown)\n"
    )
