"""What is summed up in the difference of two logits, part by part, and what each part is called."""

import numpy as np

from transformer_core.experiments.contributions import Addends, Contributions
from ui.chapters.heads.why_word import board
from ui.chapters.heads.why_word.board import Parts
from ui.sections import AnyChapter

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
