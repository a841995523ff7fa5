"""The lines of Python that compute the figures of one head again; each leaves its numbers in `shown`."""

from ui.chapters.shared.attention_values import path
from ui.chapters.shared.model_program import model_snippet
from ui.inputs.sequences import TypedSequences
from ui.model import ModelAtHand

_MASKS = {"encoder": "padding_mask(src)[0]", "decoder": "target_mask(tgt)[0]", "cross": "padding_mask(src)[0]"}


def recording(at_hand: ModelAtHand, sequences: TypedSequences) -> str:
    """Runs the model on the sequences, to the logits; every value is then in `trace`."""
    return (
        f"{model_snippet(at_hand)}from transformer_core import padding_mask, record, target_mask\n\n"
        f"src, tgt = torch.tensor([{list(sequences.src)}]), torch.tensor([{list(sequences.given)}])\n"
        "with torch.no_grad(), record(model.eval()) as trace:\n"
        "    model.generator(model(src, tgt, padding_mask(src), target_mask(tgt)))\n\n"
    )


def attention_snippet(
    at_hand: ModelAtHand, sequences: TypedSequences, kind: str, layer: int, head: int, shown: str = "weights"
) -> str:
    """Recomputes every stage from the model's q, k and v, and prints the one that is `shown`: (T, S) or (T, d_k)."""
    root = " / q.size(-1) ** 0.5" if at_hand.config.scale else ""
    return (
        f"{recording(at_hand, sequences)}"
        f"path, head = '{path(kind, layer)}', {head}\n"
        "q, k, v = (trace[f'{path}.{name}'][0, head] for name in ('query', 'key', 'value'))\n"
        "products = q @ k.T\n"
        f"scores = products{root}\n"
        f"masked = scores.masked_fill(~{_MASKS[kind]}, -1e9)\n"
        "weights = masked.softmax(-1)\n"
        "output = weights @ v\n"
        f"shown = {shown}\nprint(shown)\n"
    )


def projection_snippet(
    at_hand: ModelAtHand, sequences: TypedSequences, where: str, given: str, index: int, head: int
) -> str:
    """One head's queries, keys or values, (length, d_k), from the vectors that are given."""
    return (
        f"{recording(at_hand, sequences)}"
        f"attention, head = model.get_submodule('{where}'), {head}\n"
        f"x, linear = trace['{given}'][0], attention.linears[{index}]\n"
        "own = slice(head * attention.d_k, (head + 1) * attention.d_k)\n"
        "shown = (x @ linear.weight[own].T + linear.bias[own]).detach()\n"
        "print(shown)\n"
    )
