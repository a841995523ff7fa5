"""The lines of Python that compute the figures on alignment again; each leaves its numbers in `shown`."""

from transformer_core.tasks import Letters, OwnPairs, Translation
from ui.chapters.shared.attention_programs import recording
from ui.chapters.shared.model_program import SAVED_PAIRS, model_snippet
from ui.inputs.sequences import TypedSequences
from ui.model import ModelAtHand


def task_snippet(at_hand: ModelAtHand) -> str:
    match at_hand.words:
        case Translation(direction):
            name, made = "Translation", repr(direction)
        case Letters(task):
            name, made = "Letters", repr(task)
        case OwnPairs():
            name, made = "OwnPairs", SAVED_PAIRS
        case _:
            config = at_hand.run
            name, made = "Copy", f"{config.vocab}, {config.length}, {config.min_length}"
    return f"from transformer_core.tasks import {name}\n\ntask = {name}({made})\n"


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
